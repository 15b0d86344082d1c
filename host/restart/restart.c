// SPDX-License-Identifier: GPL-2.0
/*
 * Prepares the machine between a dead Linux and the next one. Stops what devices still do for the
 * dead one, then copies the next one to its start address. Runs as the guest, with interrupts off.
 */
#include <stddef.h>

#include <host/restart/restart.h>

_Static_assert(offsetof(struct restart_plan, parameters) == 4, "entry.S");
_Static_assert(offsetof(struct restart_plan, stack) == 8, "entry.S");

#define PCI_ADDRESS 0xcf8
#define PCI_DATA 0xcfc
#define PCI_ENABLE (1u << 31)
#define PCI_FUNCTIONS (1u << 16) /* of all buses */
#define PCI_NONE 0xffffffffu
#define PCI_COMMAND 0x04u
#define PCI_BUS_MASTER 0x04u
#define PCI_HEADER 0x0cu
#define PCI_SEVERAL (0x80u << 16) /* functions of the device */
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

static uint32_t pci_read(uint32_t function, uint32_t offset)
{
	out32(PCI_ADDRESS, PCI_ENABLE | function << 8 | offset);
	return in32(PCI_DATA);
}

/*
 * Stops all writes of devices to memory. The upper half of this register is status: writing 0
 * changes nothing.
 */
static void bus_masters_stop(void)
{
	for (uint32_t function = 0; function < PCI_FUNCTIONS; function++) {
		uint32_t command;

		if (pci_read(function, 0) == PCI_NONE) {
			if (function % 8 == 0)
				function += 7; /* the device does not exist */
			continue;
		}
		command = pci_read(function, PCI_COMMAND) & 0xffff;
		if (command & PCI_BUS_MASTER)
			out32(PCI_DATA, command & ~PCI_BUS_MASTER);
		if (function % 8 == 0 && !(pci_read(function, PCI_HEADER) & PCI_SEVERAL))
			function += 7;
	}
}

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
