// SPDX-License-Identifier: GPL-2.0
/*
 * The resources of components. From the load of a system to its end they do not exist for the
 * guest, also after a restart of the guest.
 */
#include <host/bare/bare.h>

static bool is_line(const struct limpet_image_resource *given)
{
	return given->kind == LIMPET_RESOURCE_INTERRUPT && given->first < LIMPET_LINES_MAX;
}

static void ports_set(u8 *bitmap, word first, word count, bool exit)
{
	for (word port = first; port < first + count; port++)
		bitmap[port / 8] = exit ? bitmap[port / 8] | 1u << port % 8
					: bitmap[port / 8] & ~(1u << port % 8);
}

static void pci_ports_exit(const struct bare_layer *layer, bool exit)
{
	ports_set(layer->ports, BARE_PORT_PCI, 8, exit);
	bare_ports_intercept(layer->ports, layer->reset_port); /* ports that always exit */
}

/*
 * Returns whether a component can have the page: it is not the layer's, and the layer does not need
 * it.
 */
static bool page_possible(struct bare_layer *layer, word physical)
{
	const struct bare_memory *memory = &layer->physical;

	return physical < 1ul << memory->bits &&
	       (physical < memory->hidden || physical >= memory->hidden_end) &&
	       !bare_in_hole(memory, physical) && !bare_io_apic_at(layer, physical);
}

/* PCI's configuration: that of one function is for the component that has the function. */
static bool is_config(const struct bare_layer *layer, word physical)
{
	for (u32 i = 0; i < layer->configs; i++) {
		const struct bare_config *config = &layer->config[i];
		word bus = (physical - config->physical) >> 20;

		if (physical >= config->physical && bus >= config->first && bus <= config->last)
			return true;
	}
	return false;
}

/* Sets the guest's access to the pages. Returns false if no page is left for its page table. */
static bool memory_set(struct bare_cpu *cpu, const struct limpet_image_resource *given,
		       enum bare_nested how)
{
	struct bare_layer *layer = cpu->layer;

	for (word at = given->first; at < given->first + given->count; at += LIMPET_PAGE) {
		if (page_possible(layer, at) &&
		    !bare_nested_set(&layer->spare, &layer->physical, at, how))
			return false;
		bare_yield(cpu);
	}
	return true;
}

static long memory_take(struct bare_cpu *cpu, const struct limpet_image_resource *given)
{
	const bool shown = given->flags & LIMPET_RESOURCE_SHOWN;
	const bool config = given->flags & LIMPET_RESOURCE_CONFIG;
	struct bare_layer *layer = cpu->layer;

	for (word at = 0; at < given->count;
	     at += LIMPET_PAGE) { /* a register can contain any address */
		if (!page_possible(layer, given->first + at))
			return BARE_ENXIO;
		if (!config && is_config(layer, given->first + at))
			return BARE_EEXIST;
	}
	return memory_set(cpu, given, shown ? BARE_NESTED_READ : BARE_NESTED_ONES) ? 0 : BARE_E2BIG;
}

void bare_resources_next(struct bare_cpu *cpu)
{
	struct bare_layer *layer = cpu->layer;

	for (u32 n = 0; n < layer->resources; n++) {
		const struct limpet_image_resource *given = &layer->given[n];

		if (given->flags & LIMPET_RESOURCE_SHOWN)
			memory_set(cpu, given, BARE_NESTED_ONES);
	}
}

static long line_take(struct bare_layer *layer, u32 n)
{
	if (layer->resource[n].on->apic_id > BARE_IO_APIC_TO_MAX || !bare_io_apic_take(layer, n))
		return BARE_ENXIO;
	return 0;
}

/* Takes resource n, whose record is in the table, from the guest. */
static long take(struct bare_cpu *cpu, u32 n)
{
	struct bare_layer *layer = cpu->layer;
	const struct limpet_image_resource *given = &layer->given[n];

	if (given->kind == LIMPET_RESOURCE_MEMORY)
		return memory_take(cpu, given);
	if (given->kind == LIMPET_RESOURCE_PORTS)
		ports_set(layer->ports, given->first, given->count, true);
	return is_line(given) ? line_take(layer, n) : 0;
}

/* Adds a resource to the table, a PCI function by its parts. */
static long add(struct bare_layer *layer, const struct limpet_image_resource *given)
{
	if (given->kind != LIMPET_RESOURCE_PCI)
		return bare_resources_add(layer, given);
	pci_ports_exit(layer, true); /* the guest does not interfere from here on */
	return bare_pci_take(layer, given);
}

long bare_resources_take(struct bare_cpu *cpu, const struct limpet_image *image)
{
	const u8 *base = (const u8 *)image;
	const struct limpet_image_component *component =
		(const void *)(base + image->components_at);
	const struct limpet_image_resource *given = (const void *)(base + image->resources_at);
	struct bare_layer *layer = cpu->layer;
	long error = 0;

	for (u32 i = 0; i < image->resources && !error; i++)
		error = add(layer, &given[i]);
	for (u32 n = 0; n < layer->resources; n++)
		layer->resource[n].on = layer->on[component[layer->given[n].component].cpu];
	for (u32 n = 0; n < layer->resources && !error; n++)
		error = take(cpu, n);
	if (error)
		bare_resources_return(cpu);
	else if (layer->resources)
		bare_translations_forget(cpu);
	return error;
}

void bare_resources_begin(struct bare_layer *layer)
{
	for (u32 n = 0; n < layer->resources; n++)
		if (layer->resource[n].io_apic)
			bare_io_apic_route(layer, n);
}

void bare_resources_return(struct bare_cpu *cpu)
{
	struct bare_layer *layer = cpu->layer;

	for (u32 n = 0; n < layer->resources; n++) {
		const struct limpet_image_resource *given = &layer->given[n];

		if (layer->resource[n].io_apic)
			bare_io_apic_give(layer, n);
		if (given->kind == LIMPET_RESOURCE_PORTS)
			ports_set(layer->ports, given->first, given->count, false);
		else if (given->kind == LIMPET_RESOURCE_MEMORY)
			memory_set(cpu, given, BARE_NESTED_ALL);
	}
	for (u32 i = 0; i < layer->functions; i++)
		bare_pci_give(&layer->function[i]);
	pci_ports_exit(layer,
		       false); /* last, because a component can have ports that always exit */
	/*
	 * Before the flush a CPU can still exit by an old translation. The new one is then in the
	 * table.
	 */
	if (layer->resources)
		bare_translations_forget(cpu);
	layer->functions = layer->resources = 0;
}
