// SPDX-License-Identifier: GPL-2.0
/*
 * PCI functions of components (PCI local bus specification 3.0 chapter 6). Their accesses to memory
 * are not checked, see CAVEATS.md.
 */
#include <host/bare/bare.h>

/* Words of configuration space. */
enum { IDENTITY = 0, COMMAND = 1, HEADER = 3, BAR = 4 };
#define NONE 0xffffffffu
#define DECODES 3u /* bits of COMMAND: answers to ports and memory */
#define MASTER 4u
#define HEADER_TYPE(word) ((word) >> 16 & 0x7f)
#define BARS 6
#define BAR_PORTS 1u
#define BAR_64(bar) (((bar) & 6) == 4)
#define KIND(ports) ((ports) ? 3ul : 15ul) /* bits that are not part of the address */

/* Physical address of its configuration space; 0: it is not in memory. */
static word config_of(const struct bare_layer *layer, word id)
{
	for (u32 i = 0; i < layer->configs; i++) {
		const struct bare_config *config = &layer->config[i];
		word bus = id >> 8 & 0xff;

		if (config->segment == id >> 16 && bus >= config->first && bus <= config->last)
			return config->physical + ((id & 0xffff) << 12);
	}
	return 0;
}

/*
 * Writes a value to a base address register, and returns the register's content. A 32-bit one has
 * ones in the upper half.
 */
static u64 bar_ask(volatile u32 *config, unsigned int n, bool wide, u64 ask)
{
	u64 value;

	config[BAR + n] = (u32)ask;
	value = config[BAR + n];
	if (!wide)
		return value | ~0ul << 32;
	config[BAR + n + 1] = (u32)(ask >> 32);
	return value | (u64)config[BAR + n + 1] << 32;
}

word bare_pci_size(u64 answer, bool ports, bool wide)
{
	u64 size = -(answer & ~KIND(ports));

	if (ports)
		return size & 0xffff;
	return !wide && size >> 32 ? 0 : size;
}

/* Adds the range of a base address register. A range of memory is extended to whole pages. */
static long bar_add(struct bare_layer *layer, const struct limpet_image_resource *given,
		    volatile u32 *config, unsigned int n)
{
	u32 low = config[BAR + n];
	bool ports = low & BAR_PORTS, wide = !ports && BAR_64(low);
	u64 now = wide ? low | (u64)config[BAR + n + 1] << 32 : low;
	u64 size = bare_pci_size(bar_ask(config, n, wide, ~0ul), ports, wide);
	struct limpet_image_resource part = { .component = given->component,
					      .kind = ports ? LIMPET_RESOURCE_PORTS
							    : LIMPET_RESOURCE_MEMORY,
					      .flags = LIMPET_RESOURCE_BAR(n),
					      .first = now & ~KIND(ports),
					      .count = size };

	bar_ask(config, n, wide, now);
	if (!part.first || !size)
		return 0; /* the register does not exist or has no address */
	if (ports)
		return part.first + size > 0x10000 ? BARE_ENXIO : bare_resources_add(layer, &part);
	if (size > LIMPET_DEVICE_MEMORY_MAX)
		return BARE_E2BIG;
	part.first &= -LIMPET_PAGE;
	part.count = (size + LIMPET_PAGE - 1) & -LIMPET_PAGE;
	return bare_resources_add(layer, &part);
}

/* Decoding is off while the sizes are read. The function's driver enables bus mastering later. */
long bare_pci_take(struct bare_layer *layer, const struct limpet_image_resource *given)
{
	struct bare_function *function = &layer->function[layer->functions];
	word physical = config_of(layer, given->first);
	struct limpet_image_resource part = { .component = given->component,
					      .kind = LIMPET_RESOURCE_MEMORY,
					      .flags = LIMPET_RESOURCE_CONFIG,
					      .first = physical,
					      .count = LIMPET_PAGE };
	long error;

	if (!physical || physical >> layer->physical.bits)
		return BARE_ENXIO;
	*function = (struct bare_function){ .id = (u32)given->first,
					    .config = (u32 *)(physical + layer->virtual_offset) };
	if (function->config[IDENTITY] == NONE || HEADER_TYPE(function->config[HEADER]))
		return BARE_ENXIO;
	error = bare_resources_add(layer, &part);
	if (error)
		return error;
	function->command = function->config[COMMAND] & 0xffff;
	for (unsigned int i = 0; i < BARS; i++)
		function->bar[i] = function->config[BAR + i];
	layer->functions++;
	function->config[COMMAND] = function->command & ~(DECODES | MASTER);
	for (unsigned int i = 0; i < BARS && !error; i++) {
		error = bar_add(layer, given, function->config, i);
		i += !(function->bar[i] & BAR_PORTS) && BAR_64(function->bar[i]);
	}
	function->config[COMMAND] = (function->command | DECODES) & ~MASTER;
	return error;
}

void bare_pci_give(const struct bare_function *function)
{
	function->config[COMMAND] = 0;
	for (unsigned int i = 0; i < BARS; i++)
		function->config[BAR + i] = function->bar[i];
	function->config[COMMAND] = function->command & ~MASTER;
}
