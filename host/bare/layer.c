// SPDX-License-Identifier: GPL-2.0
/* The tables of the layer: CPUs, I/O APICs, and the parts of the machine that components have. */
#include <host/bare/bare.h>

struct bare_cpu *bare_cpu_find(const struct bare_layer *layer, u32 number)
{
	for (u32 i = 0; i < layer->count; i++)
		if (layer->cpus[i]->number == number)
			return layer->cpus[i];
	return NULL;
}

struct bare_io_apic *bare_io_apic_at(struct bare_layer *layer, word physical)
{
	for (u32 i = 0; i < layer->io_apics; i++)
		if (layer->io_apic[i].physical == (physical & -LIMPET_PAGE))
			return &layer->io_apic[i];
	return NULL;
}

bool bare_resources_hide(const struct bare_layer *layer, u32 kind, word first, word count)
{
	for (u32 n = 0; n < layer->resources; n++)
		if (layer->given[n].kind == kind &&
		    first < layer->given[n].first + layer->given[n].count &&
		    layer->given[n].first < first + count)
			return true;
	return false;
}

bool bare_resources_hide_function(const struct bare_layer *layer, u32 id)
{
	for (u32 i = 0; i < layer->functions; i++)
		if (layer->function[i].id == id)
			return true;
	return false;
}

/* Firmware or Linux determines the addresses of a PCI function's registers. */
static bool is_others(const struct limpet_image_resource *one,
		      const struct limpet_image_resource *other)
{
	return one->kind == other->kind && one->component != other->component &&
	       (one->kind == LIMPET_RESOURCE_MEMORY || one->kind == LIMPET_RESOURCE_PORTS) &&
	       one->first < other->first + other->count && other->first < one->first + one->count;
}

long bare_resources_add(struct bare_layer *layer, const struct limpet_image_resource *given)
{
	u32 n = layer->resources;

	if (n == LIMPET_RESOURCES_MAX)
		return BARE_E2BIG;
	for (u32 i = 0; i < n; i++)
		if (is_others(given, &layer->given[i]))
			return BARE_EEXIST;
	layer->given[n] = *given;
	layer->resource[n] = (struct bare_resource){ 0 };
	layer->resources = n + 1;
	return 0;
}
