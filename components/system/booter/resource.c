// SPDX-License-Identifier: BSD-2-Clause
/*
 * Resources of the machine that components get. The kernel describes them and names their owners,
 * because the host may have found several for one record of the image.
 */
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include "booter.h"

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

word resource_slot(const struct part *part)
{
	return channel_slot(part) + part->channel_count;
}

uint32_t resource_count(const struct part *part)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < booter.resources; i++)
		count += booter.resource[i].part == part;
	return count;
}

static void resource_add(const struct part *part, uint32_t number, const struct limpet_out *out)
{
	struct resource *resource = &booter.resource[booter.resources];
	uint32_t own = resource_count(part);

	if (own == LIMPET_INFO_RESOURCES || booter.resources == LIMPET_RESOURCES_MAX)
		give_up_text(
			"%s: with all parts of PCI functions it has more than %u resources, or "
			"the system more than %u",
			part_name(part), LIMPET_INFO_RESOURCES, LIMPET_RESOURCES_MAX);
	*resource = (struct resource){
		.part = part,
		.number = number,
		.slot = resource_slot(part) + own,
		.info = { .kind = out->w0 & 0xff,
			  .flags = out->w0 >> 8 & 0xffffff,
			  .first = out->w1,
			  .count = out->w2 },
	};
	booter.resources++;
}

/* Does nothing if the image has no resources. */
void resources_read(void)
{
	struct limpet_out out;
	long status = booter.image->resources ? LIMPET_OK : LIMPET_ERANGE;

	for (uint32_t number = 0; !status; number++) {
		status = limpet_call_resource_info(LIMPET_BOOT_CPU, number, &out);
		if (!status && part_at((uint32_t)(out.w0 >> 32)))
			resource_add(part_at((uint32_t)(out.w0 >> 32)), number, &out);
	}
	if (status != LIMPET_ERANGE)
		give_up(NULL, "read the components' resources", status);
}

bool part_interrupted(const struct part *part)
{
	for (uint32_t i = 0; i < booter.resources; i++)
		if (booter.resource[i].part == part &&
		    booter.resource[i].info.kind == LIMPET_RESOURCE_INTERRUPT)
			return true;
	return false;
}

uint64_t resource_pages(const struct resource *resource)
{
	return resource->info.kind == LIMPET_RESOURCE_MEMORY ? resource->info.count / PAGE : 0;
}

static void resource_map(const struct resource *resource, word slot)
{
	for (uint64_t at = 0; at < resource_pages(resource); at += LIMPET_MAP_MAX) {
		uint64_t count = min(resource_pages(resource) - at, LIMPET_MAP_MAX);
		long status = pages_map(resource->part, resource->part->page_table, slot, at,
					resource->info.address + at * PAGE, count,
					LIMPET_READ | LIMPET_WRITE);

		if (status)
			give_up(resource->part, "map a device's memory", status);
	}
}

/* Creates the capability in the booter's table, from which it can be mapped, and then moves it. */
static void resource_give(const struct resource *resource)
{
	word slot = slot_take();
	long status = limpet_call_resource_create(LIMPET_BOOT_CPU, resource->number,
						  LIMPET_BOOT_TABLE, slot);

	if (status)
		give_up(resource->part, "create a capability to a resource", status);
	resource_map(resource, slot);
	status = limpet_call_cap_move(LIMPET_BOOT_TABLE, slot, resource->part->table,
				      resource->slot);
	if (status)
		give_up(resource->part, "assign a resource to it", status);
	slot_put(slot);
}

void resources_give(void)
{
	for (uint32_t i = 0; i < booter.resources; i++)
		resource_give(&booter.resource[i]);
}
