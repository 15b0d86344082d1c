// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's death. It says so itself when it panics; else it is seen when it resets the processor or
 * the machine, or can handle no exception any more. It never runs again then; components do, and
 * restart.c may start another.
 */
#include <host/bare/bare.h>

#define RESET_FULL 0x06u
#define RESET_CPU 0x04u
#define KEYBOARD_PULSE 0xfeu
#define SYSTEM_FAST 0x01u

/* exit_info_1 of an access to a port (APM vol. 2 section 15.10.2). */
#define IO_IN (1u << 0)
#define IO_STRING (1u << 2)
#define IO_SIZE(info) ((info) >> 4 & 7) /* bytes */
#define IO_PORT(info) ((u16)((info) >> 16))

static void port_write(u16 port, u32 value, unsigned int size)
{
	if (size == 1)
		asm volatile("outb %b0, %w1" : : "a"(value), "d"(port));
	else if (size == 2)
		asm volatile("outw %w0, %w1" : : "a"(value), "d"(port));
	else
		asm volatile("outl %0, %w1" : : "a"(value), "d"(port));
}

static u32 port_read(u16 port, unsigned int size)
{
	u32 value = 0;

	if (size == 1)
		asm volatile("inb %w1, %b0" : "+a"(value) : "d"(port));
	else if (size == 2)
		asm volatile("inw %w1, %w0" : "+a"(value) : "d"(port));
	else
		asm volatile("inl %w1, %0" : "=a"(value) : "d"(port));
	return value;
}

void bare_machine_reset(void)
{
	for (;;) {
		port_write(BARE_PORT_RESET, RESET_FULL, 1);
		port_write(BARE_PORT_KEYBOARD, KEYBOARD_PULSE, 1);
	}
}

bool bare_death(struct bare_cpu *b, enum limpet_death cause)
{
	struct bare_layer *layer = b->layer;

	if (cause == LIMPET_DEATH_RESET && layer->again.kept == LIMPET_KEPT_RELOAD)
		cause = LIMPET_DEATH_RELOAD;
	else if (layer->state != LIMPET_STATE_RUNNING)
		return false;
	if (layer->death)
		return true;
	layer->again.died = b;
	layer->silent_at = BARE_NEVER;
	layer->death = cause;
	for (u32 i = 0; i < layer->count; i++)
		if (layer->cpus[i] != b)
			bare_apic_kick(layer->cpus[i]);
	return true;
}

void bare_death_shutdown(struct bare_cpu *b)
{
	if (!bare_death(b, LIMPET_DEATH_SHUTDOWN))
		bare_machine_reset();
}

static bool resets(u16 port, unsigned int size, u32 value)
{
	switch (port) {
	case BARE_PORT_RESET:
		return value & RESET_CPU;
	case BARE_PORT_KEYBOARD:
		return (value & 0xf1) == 0xf0; /* pulses the line of reset */
	case BARE_PORT_SYSTEM:
		return value & SYSTEM_FAST;
	case BARE_PORT_SYSTEM - 1:
		return size > 1 && value >> 8 & SYSTEM_FAST;
	}
	return false;
}

bool bare_death_port(struct bare_cpu *b)
{
	struct vmcb *vmcb = b->vmcb;
	u32 info = (u32)vmcb->exit_info_1, value = (u32)vmcb->ax;
	unsigned int size = IO_SIZE(info);
	u16 port = IO_PORT(info);

	if (info & IO_STRING)
		return false;
	if (!(info & IO_IN)) {
		if (!resets(port, size, value) || !bare_death(b, LIMPET_DEATH_RESET))
			port_write(port, value, size);
	} else {
		value = port_read(port, size);
		if (size < 4)
			vmcb->ax = (vmcb->ax & ~((1ul << size * 8) - 1)) |
				   (value & ((1u << size * 8) - 1));
		else
			vmcb->ax = value;
	}
	vmcb->ip = vmcb->exit_info_2;
	vmcb->interrupt_shadow = 0;
	return true;
}
