// SPDX-License-Identifier: GPL-2.0
/* Events of the parts of the machine that components have. */
#include <host/bare/bare.h>

/* Returns NULL if no system runs on that CPU any more, which another CPU can see at any time. */
static struct cpu *cpu_on(const struct bare_cpu *on)
{
	return __atomic_load_n(&on->entry.cpu, __ATOMIC_RELAXED);
}

static void notify(struct cpu *cpu, u32 n)
{
	if (cpu)
		inbox_put(&cpu->inbox, INBOX_INTERRUPT + n);
}

/* All devices share one vector, so the device that sent an edge or a message is unknown. */
void bare_resources_came(struct bare_cpu *cpu)
{
	struct bare_layer *layer = cpu->layer;

	for (u32 n = 0; n < layer->resources; n++) {
		const struct bare_resource *resource = &layer->resource[n];

		if (resource->on == cpu &&
		    (resource->io_apic ? bare_io_apic_came(layer, n)
				       : layer->given[n].kind == LIMPET_RESOURCE_INTERRUPT &&
						 layer->given[n].first == LIMPET_LINE_MESSAGE))
			notify(cpu_on(cpu), n);
	}
}

void bare_resources_notify(struct bare_layer *layer)
{
	for (u32 n = 0; layer->state == LIMPET_STATE_RUNNING && n < layer->resources; n++) {
		struct cpu *cpu = cpu_on(layer->resource[n].on);

		if (layer->given[n].kind != LIMPET_RESOURCE_INTERRUPT ||
		    layer->given[n].first != LIMPET_LINE_LINUX || !cpu)
			continue;
		cpu->inbox.host_state = layer->death;
		notify(cpu, n);
		bare_apic_kick(layer->resource[n].on);
	}
}
