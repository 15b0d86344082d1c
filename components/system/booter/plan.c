// SPDX-License-Identifier: BSD-2-Clause
/*
 * Computes everything that can be known before the first kernel call, so that the booter starts
 * only what it can finish.
 */
#include <runtime/kernel_call.h>
#include <runtime/window.h>

#include "booter.h"

#define RANGES_MAX 48

struct ranges {
	unsigned int count;
	struct range {
		uint64_t start, end;
	} range[RANGES_MAX];
};

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool flag(const struct part *part, uint32_t bit)
{
	return part->record->flags & bit;
}

/* Adds a range of addresses, in order. */
static void range_add(struct ranges *ranges, uint64_t start, uint64_t bytes)
{
	unsigned int at = ranges->count;

	if (!bytes)
		return;
	if (ranges->count == RANGES_MAX)
		give_up_text("a component has more than %u segments", RANGES_MAX - 15);
	for (; at && ranges->range[at - 1].start > start; at--)
		ranges->range[at] = ranges->range[at - 1];
	ranges->range[at] = (struct range){ start, start + bytes };
	ranges->count++;
}

/*
 * A memory manager maps its frames in its own window. Other components have memory there from their
 * manager.
 */
static uint64_t window_pages(const struct part *part)
{
	if (part == booter.memory)
		return booter.image->frames;
	return part->memory ? part->record->quota : 0;
}

/* A component that no other thread can reach has stacks only for its own threads and the booter's. */
static void stacks_add(struct ranges *ranges, const struct part *part)
{
	const struct limpet_image_component *component = part->record;

	if (part->visited || component->pool_count) {
		range_add(ranges, component->stacks, stacks_size(part));
		range_add(ranges, component->pool, pool_size(part));
		return;
	}
	range_add(ranges, component->stacks, 1ul << component->stack_shift);
	range_add(ranges,
		  component->stacks + ((uint64_t)stack_first(part) << component->stack_shift),
		  (uint64_t)part->stacks << component->stack_shift);
}

/* Collects all address ranges that are, or may be, mapped in the component. */
static void ranges_read(struct ranges *ranges, const struct part *part)
{
	const struct limpet_image_component *component = part->record;
	const struct limpet_image_segment *segment = &booter.segment[component->segment];

	ranges->count = 0;
	for (uint32_t i = 0; i < component->segments; i++)
		range_add(ranges, segment[i].address, segment[i].size);
	range_add(ranges, component->heap, component->heap_size);
	stacks_add(ranges, part);
	range_add(ranges, component->info, LIMPET_INFO_PAGES * PAGE);
	range_add(ranges, part->ramdisk, part->ramdisk ? booter.image->ramdisk_size : 0);
	range_add(ranges, part->channel, part->channel ? CHANNEL_FRAMES * PAGE : 0);
	range_add(ranges, part->channel_info, part->channels ? PAGE : 0);
	range_add(ranges, part->channels, channels_pages(part) * PAGE);
	for (uint32_t i = 0; i < booter.resources; i++)
		if (booter.resource[i].part == part)
			range_add(ranges, booter.resource[i].info.address,
				  resource_pages(&booter.resource[i]) * PAGE);
	range_add(ranges, part->window, window_pages(part) * PAGE);
	range_add(ranges, part->second, plan_second_pages(part) * PAGE);
	range_add(ranges, part->names, round_up(plan_names(part), PAGE));
	range_add(ranges, part->image, part->image ? booter.image->size : 0);
	range_add(ranges, booter.views, part == booter.supervisor ? booter.seen : 0);
	range_add(ranges, booter.kept, part == booter.supervisor ? booter.kept_size : 0);
}

/* Returns how many page tables of the level the ranges need. Each table maps 1 << shift bytes. */
static uint64_t tables_touched(const struct ranges *ranges, unsigned int shift)
{
	uint64_t total = 0, next = 0;

	for (unsigned int i = 0; i < ranges->count; i++) {
		uint64_t first = max(ranges->range[i].start >> shift, next);
		uint64_t end = ((ranges->range[i].end - 1) >> shift) + 1;

		total += end > first ? end - first : 0;
		next = max(next, end);
	}
	return total;
}

/*
 * Returns the page tables below the root, on a processor with four levels. If a mapping needs a
 * fifth level, the booter adds it. A memory manager maps the pages of a window later, so a
 * component with a window has the top-level page of it from the start.
 */
uint64_t plan_pool_frames(const struct part *part)
{
	struct ranges ranges;

	ranges_read(&ranges, part);
	return tables_touched(&ranges, 21) + tables_touched(&ranges, 30) +
	       tables_touched(&ranges, 39) + !!part->window;
}

uint64_t plan_table_slots(const struct part *part)
{
	uint64_t slots = resource_slot(part) + resource_count(part), all = booter.image->components;
	const uint64_t threads = booter.threads + 1ul;

	if (flag(part, LIMPET_COMPONENT_MEMORY))
		slots = max(slots,
			    (booter.managers > 1 ? LIMPET_SLOT_TABLES : LIMPET_SLOT_PAGE_TABLES) +
				    all);
	if (flag(part, LIMPET_COMPONENT_SCHEDULER))
		slots = max(slots,
			    (booter.schedulers > 1 ? LIMPET_SLOT_ENDPOINTS : LIMPET_SLOT_THREADS) +
				    threads);
	if (flag(part, LIMPET_COMPONENT_CLIENTS))
		slots = max(slots, LIMPET_SLOT_COMPONENTS + all);
	if (flag(part, LIMPET_COMPONENT_SUPERVISOR))
		slots = max(slots, LIMPET_SLOT_SPACES + all);
	return slots;
}

/* Returns the fresh frames for the objects of a component, in the order of part_build(). */
static uint64_t objects_frames(const struct part *part, struct packing *packing)
{
	const uint64_t table = (1 + plan_table_slots(part)) * LIMPET_SLOT_SIZE;
	unsigned int at;
	uint64_t frames = object_place(packing, LIMPET_PAGE_TABLE_SIZE, &at);

	frames += object_place(packing, table, &at);
	frames += object_place(packing, LIMPET_COMPONENT_SIZE, &at);
	for (uint32_t i = 0; i < part->record->threads + !!part->thread_id; i++)
		frames += object_place(packing, booter.thread_bytes, &at);
	if (part->thread_id)
		frames += object_place(packing, LIMPET_ENDPOINT_SIZE, &at);
	return frames;
}

/* Counts all frames of a component. Its page table has one more than planned, for a fifth level. */
static uint64_t part_frames(const struct part *part, struct packing *packing)
{
	const struct limpet_image_component *component = part->record;
	const struct limpet_image_segment *segment = &booter.segment[component->segment];
	uint64_t frames = 1 + plan_pool_frames(part) + 1 + objects_frames(part, packing) +
			  component->heap_size / PAGE + 1;

	frames += stacks_pages(part);
	for (uint32_t i = 0; i < component->segments; i++)
		frames += segment[i].rights & LIMPET_WRITE ? segment[i].size / PAGE : 0;
	frames += plan_code(part) / PAGE;
	frames += plan_second_pages(part) + round_up(plan_names(part), PAGE) / PAGE;
	if (part == booter.supervisor)
		frames += booter.kept_size / PAGE;
	if (part->channels)
		frames += 1 + channels_frames(part);
	return frames + (part->channel ? CHANNEL_FRAMES : 0);
}

/* Returns the first address above all segments and areas that the image gives for the component. */
static uint64_t address_above(const struct part *part)
{
	const struct limpet_image_component *component = part->record;
	const struct limpet_image_segment *segment = &booter.segment[component->segment];
	uint64_t end = max(component->info + LIMPET_INFO_PAGES * PAGE,
			   component->heap + component->heap_size);

	end = max(end, component->stacks + stacks_size(part) + PAGE);
	end = max(end, component->pool + pool_size(part) + PAGE);
	for (uint32_t i = 0; i < component->segments; i++)
		end = max(end, segment[i].address + segment[i].size);
	return end;
}

/* Returns the bytes of a component's writable segments, or of its read-only segments. */
static uint64_t segments_size(const struct part *part, bool writable)
{
	const struct limpet_image_component *component = part->record;
	const struct limpet_image_segment *segment = &booter.segment[component->segment];
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < component->segments; i++)
		bytes += !!(segment[i].rights & LIMPET_WRITE) == writable ? segment[i].size : 0;
	return bytes;
}

uint64_t plan_writable(const struct part *part)
{
	return segments_size(part, true) + part->record->heap_size;
}

uint64_t plan_code(const struct part *part)
{
	return flag(part, LIMPET_COMPONENT_UPDATE) ? segments_size(part, false) : 0;
}

uint64_t plan_other(const struct part *part)
{
	return plan_code(part) ? plan_code(part) + 2 * segments_size(part, true) : 0;
}

uint32_t plan_supervised(const struct part *supervisor)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < booter.parts; i++)
		count += booter.part[i].supervisor == supervisor;
	return count;
}

uint64_t plan_second_pages(const struct part *part)
{
	uint64_t bytes = 0;

	if (flag(part, LIMPET_COMPONENT_MEMORY))
		bytes = booter.image->components * sizeof(struct limpet_info_memory);
	if (part == booter.supervisor)
		bytes = plan_supervised(part) * sizeof(struct limpet_info_supervised);
	return round_up(bytes, PAGE) / PAGE;
}

uint64_t plan_names(const struct part *part)
{
	return part == booter.console ? booter.image->components * LIMPET_NAME_MAX : 0;
}

/* Places device memory: one area after the other, with an unmapped page between them. */
static void resources_place(const struct part *part, uint64_t next)
{
	for (uint32_t i = 0; i < booter.resources; i++) {
		struct resource *resource = &booter.resource[i];

		if (resource->part != part || !resource_pages(resource))
			continue;
		if (resource_pages(resource) >= (limpet_window(0) - next) / PAGE)
			give_up_text("%s: a device's memory of %lu pages is too large",
				     part_name(part), resource_pages(resource));
		resource->info.address = next + PAGE;
		next = resource->info.address + resource_pages(resource) * PAGE;
	}
}

/*
 * Places an area of `bytes` at `next`. Sets *at to its address, or to 0 if it is empty. Returns the address behind it.
 */
static uint64_t area_place(uint64_t *at, uint64_t next, uint64_t bytes)
{
	*at = bytes ? next : 0;
	return next + bytes;
}

/*
 * Places the supervisor's view: the image, and for each supervised component a place in both areas.
 */
static uint64_t supervision_place(struct part *supervisor, uint64_t next)
{
	next = area_place(&supervisor->image, next, booter.image->size);
	booter.views = next;
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *part = &booter.part[i];

		if (part->supervisor != supervisor)
			continue;
		next = area_place(&part->view, next, plan_writable(part));
		next = area_place(&part->code, next, plan_code(part));
	}
	booter.seen = next - booter.views;
	booter.kept = next;
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *part = &booter.part[i];

		if (part->supervisor != supervisor)
			continue;
		next = area_place(&part->kept, next, plan_writable(part));
		next = area_place(&part->other, next, plan_other(part));
	}
	booter.kept_size = next - booter.kept;
	return next;
}

static void place(struct part *part)
{
	uint64_t next = address_above(part);

	if (flag(part, LIMPET_COMPONENT_RAMDISK) && booter.image->ramdisk_at) {
		part->ramdisk = next;
		next += round_up(booter.image->ramdisk_size, PAGE);
	}
	if (flag(part, LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_SUPERVISOR)) {
		part->channel = next;
		next += CHANNEL_FRAMES * PAGE;
	}
	if (part->channel_count) {
		part->channel_info = next;
		part->channels = next + PAGE;
		next = part->channels + channels_pages(part) * PAGE;
	}
	if (plan_second_pages(part)) {
		part->second = next;
		next += plan_second_pages(part) * PAGE;
	}
	if (plan_names(part)) {
		part->names = next;
		next += round_up(plan_names(part), PAGE);
	}
	if (part == booter.supervisor)
		next = supervision_place(part, next);
	resources_place(part, next);
	if (window_pages(part))
		part->window = limpet_window(part->index);
}

static void role_take(struct part **role, struct part *part, uint32_t bit, const char *text)
{
	if (!flag(part, bit))
		return;
	if (*role)
		give_up_text("%s and %s are both a %s, but a CPU can have only one",
			     part_name(*role), part_name(part), text);
	*role = part;
}

static void part_add(uint32_t index)
{
	struct part *part = &booter.part[booter.parts++];

	part->index = index;
	part->record = &booter.component[index];
	booter.at[index] = part;
	booter.schedulers += flag(part, LIMPET_COMPONENT_SCHEDULER);
	booter.managers += flag(part, LIMPET_COMPONENT_MEMORY);
	if (booter.threads + !!part->record->priority + part->record->threads >= LIMPET_THREADS_MAX)
		give_up_text("%s: more than %u threads", part_name(part), LIMPET_THREADS_MAX - 1);
	if (part->record->priority)
		part->thread_id = ++booter.threads;
	if (part->record->threads)
		part->spare_id = booter.threads + 1;
	booter.threads += part->record->threads;
	if (!part->record->scheduler)
		role_take(&booter.root, part, LIMPET_COMPONENT_SCHEDULER, "root scheduler");
	if (!part->record->memory)
		role_take(&booter.memory, part, LIMPET_COMPONENT_MEMORY,
			  "memory manager with all frames");
	role_take(&booter.console, part, LIMPET_COMPONENT_CONSOLE, "console");
	role_take(&booter.supervisor, part, LIMPET_COMPONENT_SUPERVISOR, "supervisor");
}

static void parts_relate(void)
{
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *part = &booter.part[i];
		const struct limpet_image_component *component = part->record;

		part->scheduler = component->scheduler ? part_at(component->scheduler) : NULL;
		part->supervisor = component->supervisor ? part_at(component->supervisor) : NULL;
		part->memory = component->memory ? part_at(component->memory) : NULL;
	}
}

/* Returns the bytes that own_take() hands out: the table of threads, and the tables for roles. */
static uint64_t own_bytes(uint64_t threads)
{
	uint64_t bytes = booter.own - booter.own_begin + threads;

	bytes += booter.managers *
		 (booter.image->components * sizeof(struct limpet_info_memory) + 16);
	if (booter.supervisor)
		bytes += plan_supervised(booter.supervisor) * sizeof(struct limpet_info_supervised);
	if (booter.console)
		bytes += plan_names(booter.console) + 16;
	return bytes;
}

static void check_frames(void)
{
	const uint64_t threads = (booter.threads + 1) * sizeof(struct limpet_info_thread);
	struct packing packing = { 0 };
	uint64_t needed = 1; /* the last one cannot be split off */

	needed += pages_of(threads) + pages_of(own_bytes(threads));

	for (uint32_t i = 0; i < booter.parts; i++)
		needed += part_frames(&booter.part[i], &packing);
	if (needed > booter.frames)
		give_up_text(
			"%lu frames are missing: the components need %lu of 4096 bytes, %lu are "
			"free. Raise [system] frames.",
			needed - booter.frames, needed, booter.frames);
}

/* Returns the bytes of a thread with space for the nested invocations that the image requests. */
static uint64_t thread_bytes(void)
{
	struct limpet_out out = { 0 };
	long status = limpet_call_cpu_info(LIMPET_BOOT_CPU, LIMPET_CPU_THREAD, &out);

	if (status)
		give_up(NULL, "read the size of a thread", status);
	return out.w0 + booter.image->depth * out.w1;
}

/* Returns the bytes of tables for the components and threads of this CPU. */
static void tables_make(void)
{
	uint32_t parts = 0, threads = 1;

	for (uint32_t i = 1; i < booter.image->components; i++) {
		const struct limpet_image_component *component = &booter.component[i];

		parts += component->cpu == booter.cpu;
		threads += component->cpu == booter.cpu ? !!component->priority + component->threads
							: 0;
	}
	booter.at = own_take(booter.image->components * sizeof(booter.at[0]));
	booter.part = own_take(parts * sizeof(booter.part[0]));
	booter.thread = own_take(threads * sizeof(booter.thread[0]));
}

void plan(void)
{
	booter.thread_bytes = thread_bytes();
	tables_make();
	for (uint32_t i = 1; i < booter.image->components; i++)
		if (booter.component[i].cpu == booter.cpu)
			part_add(i);
	channels_find();
	if (!booter.root)
		give_up_text("no component of this CPU is a root scheduler");
	parts_relate();
	stacks_plan();
	resources_read();
	for (uint32_t i = 0; i < booter.parts; i++)
		place(&booter.part[i]);
	check_frames();
}
