// SPDX-License-Identifier: GPL-2.0
/*
 * Access to the processor's local APIC and to the I/O APICs. (On AMD processors a write of an
 * APIC's MSR waits for earlier stores.)
 */
#include <host/bare/apic.h>

#define APIC_BASE_X2 (1u << 10)

bool apic_x2;

/* Called on each CPU. All CPUs have the same mode. */
void apic_mode_find(void)
{
	apic_x2 = bare_msr_read(BARE_MSR_APIC_BASE) & APIC_BASE_X2;
}

u32 apic_read(word offset)
{
	if (unlikely(apic_x2))
		return (u32)bare_msr_read(BARE_MSR_APIC + (u32)offset / 16);
	return *(volatile u32 *)(BARE_APIC + offset);
}

void apic_write(word offset, u32 value)
{
	if (unlikely(apic_x2))
		bare_msr_write(BARE_MSR_APIC + (u32)offset / 16, value);
	else
		*(volatile u32 *)(BARE_APIC + offset) = value;
}

void apic_command(u32 to, u32 value)
{
	if (apic_x2) {
		bare_msr_write(BARE_MSR_APIC + COMMAND / 16, (u64)to << 32 | value);
		return;
	}
	apic_write(COMMAND_HIGH, to << 24);
	apic_write(COMMAND, value);
	while (apic_read(COMMAND) & DELIVERY_PENDING)
		hal_relax();
}

void bare_apic_kick(const struct bare_cpu *to)
{
	apic_command(to->apic_id, ASSERT | BARE_VECTOR_KICK);
}

void bare_apic_kick_other(const struct bare_cpu *cpu, const struct bare_cpu *to)
{
	if (to != cpu)
		bare_apic_kick(to);
}

void bare_apic_init(const struct bare_cpu *to)
{
	apic_command(to->apic_id, ASSERT | MODE_INIT << 8);
}

u32 apic_id_of(u32 value)
{
	return apic_x2 ? value : value >> 24;
}

unsigned int apic_more(void)
{
	return apic_read(VERSION) & VERSION_MORE ? apic_read(MORE) >> 16 & 0xff : 0;
}

u64 apic_deadline_read(void)
{
	return bare_msr_read(BARE_MSR_DEADLINE);
}

/* The fence orders the write after an earlier write of the mode to memory. */
void apic_deadline_write(u64 deadline)
{
	asm volatile("mfence" : : : "memory");
	bare_msr_write(BARE_MSR_DEADLINE, deadline);
}

static volatile u32 *io_apic_at(const struct bare_layer *layer, const struct bare_io_apic *io,
				word offset)
{
	return (volatile u32 *)(BARE_IO_APIC((word)(io - layer->io_apic)) + offset);
}

u32 bare_io_apic_load(const struct bare_layer *layer, const struct bare_io_apic *io, word offset)
{
	return *io_apic_at(layer, io, offset);
}

void bare_io_apic_store(const struct bare_layer *layer, const struct bare_io_apic *io, word offset,
			u32 value)
{
	*io_apic_at(layer, io, offset) = value;
}
