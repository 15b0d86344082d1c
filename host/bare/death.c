// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's death. The guest reports a panic. The layer detects a reset of the processor or the
 * machine, and a guest that cannot handle exceptions any more. A dead guest does not run again.
 * Components continue, and restart.c may start another guest.
 */
#include <host/bare/bare.h>

#define RESET_FULL 0x06u
#define RESET_CPU 0x04u
#define KEYBOARD_PULSE 0xfeu
#define SYSTEM_FAST 0x01u

void bare_machine_reset(void)
{
	for (;;) {
		hal_io_write(BARE_PORT_RESET, 1, RESET_FULL);
		hal_io_write(BARE_PORT_KEYBOARD, 1, KEYBOARD_PULSE);
	}
}

bool bare_death(struct bare_cpu *cpu, enum limpet_death cause)
{
	struct bare_layer *layer = cpu->layer;

	if (cause == LIMPET_DEATH_RESET && layer->again.kept == LIMPET_KEPT_RELOAD)
		cause = LIMPET_DEATH_RELOAD;
	else if (layer->state != LIMPET_STATE_RUNNING)
		return false;
	if (layer->death)
		return true;
	layer->again.died = cpu;
	layer->silent_at = BARE_NEVER;
	layer->death = cause;
	bare_resources_notify(layer);
	for (u32 i = 0; i < layer->count; i++)
		bare_apic_kick_other(cpu, layer->cpus[i]);
	return true;
}

void bare_death_shutdown(struct bare_cpu *cpu)
{
	if (!bare_death(cpu, LIMPET_DEATH_SHUTDOWN))
		bare_machine_reset();
}

static bool byte_resets(const struct bare_layer *layer, u16 port, u8 value)
{
	switch (port) {
	case BARE_PORT_RESET:
		return value & RESET_CPU;
	case BARE_PORT_KEYBOARD:
		return (value & 0xf1) == 0xf0; /* pulses the line of reset */
	case BARE_PORT_SYSTEM:
		return value & SYSTEM_FAST;
	}
	return port && port == layer->reset_port && value == layer->reset_value;
}

/* A wide access accesses each port, except for the address of PCI configuration. */
static bool resets(const struct bare_layer *layer, u16 port, unsigned int size, u32 value)
{
	bool any = false;

	for (unsigned int i = 0; i < size && !(port == BARE_PORT_PCI && size == 4); i++)
		any |= byte_resets(layer, (u16)(port + i), (u8)(value >> i * 8));
	return any;
}

bool bare_death_write(struct bare_cpu *cpu, u16 port, u32 value, unsigned int size)
{
	return resets(cpu->layer, port, size, value) && bare_death(cpu, LIMPET_DEATH_RESET);
}
