// SPDX-License-Identifier: GPL-2.0
/*
 * Prepares the machine between a dead Linux and the next one. Stops what devices still do for the
 * dead one, then copies the next one to its start address. Runs as the guest, with interrupts off.
 */
#include <stddef.h>

#include <host/restart/restart.h>

_Static_assert(offsetof(struct restart_plan, parameters) == 4, "entry.S");
_Static_assert(offsetof(struct restart_plan, stack) == 8, "entry.S");

#define PIC_FIRST 0x21
#define PIC_SECOND 0xa1
#define IO_APIC_DATA 0x10
#define IO_APIC_VERSION 1
#define IO_APIC_ENTRIES 0x10
#define IO_APIC_MASKED 0x10000u
#define HPET_CONFIG 0x10

static void out8(uint16_t port, uint8_t value)
{
	asm volatile("outb %0, %1" : : "a"(value), "d"(port));
}

static void out32(uint16_t port, uint32_t value)
{
	asm volatile("outl %0, %1" : : "a"(value), "d"(port));
}

static uint32_t in32(uint16_t port)
{
	uint32_t value;

	asm volatile("inl %1, %0" : "=a"(value) : "d"(port));
	return value;
}

#include <host/restart/bus_masters.h>

static volatile uint32_t *device_register(uint32_t address)
{
	return (volatile uint32_t *)address;
}

static void io_apic_mask(uint32_t address)
{
	uint32_t last;

	*device_register(address) = IO_APIC_VERSION;
	last = *device_register(address + IO_APIC_DATA) >> 16 & 0xff;
	for (uint32_t pin = 0; pin <= last; pin++) {
		*device_register(address) = IO_APIC_ENTRIES + pin * 2;
		*device_register(address + IO_APIC_DATA) = IO_APIC_MASKED;
	}
}

static void interrupts_mask(const struct restart_plan *plan)
{
	out8(PIC_FIRST, 0xff);
	out8(PIC_SECOND, 0xff);
	for (uint32_t i = 0; i < plan->io_apics; i++)
		io_apic_mask(plan->io_apic[i]);
	if (plan->hpet)
		*device_register(plan->hpet + HPET_CONFIG) = 0;
}

static void copy_make(const uint8_t *reserved, const struct restart_copy *copy)
{
	uint32_t to = copy->to, from = (uint32_t)reserved + copy->at, count = copy->size;

	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
	count = copy->clear;
	asm volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
}

void restart(const uint8_t *reserved)
{
	const struct restart_plan *plan = (const void *)(reserved + RESTART_PLAN);

	bus_masters_stop();
	interrupts_mask(plan);
	for (uint32_t i = 0; i < plan->copies; i++)
		copy_make(reserved, &plan->copy[i]);
}
