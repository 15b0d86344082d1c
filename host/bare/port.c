// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's accesses of ports that exit: ports of components, which do not exist for the guest;
 * ports that can reset the machine; and PCI configuration while components have PCI functions.
 */
#include <host/bare/bare.h>

#define KEYBOARD_OUTPUT 0xd1u /* the next byte of data is for lines, that of reset among them */
#define KEYBOARD_A20_OFF 0xddu
#define KEYBOARD_A20_ON 0xdfu
#define SYSTEM_A20 0x02u

#define PCI_ENABLED (1u << 31)
#define PCI_ID(address) ((address) >> 8 & 0xffff)

/*
 * Keeps address line 20 enabled. If it were masked, each odd MiB would be the one before it, also
 * in the layer's memory.
 */
static u8 line_20_stays(u16 port, u8 value)
{
	if (port == BARE_PORT_SYSTEM)
		return value | SYSTEM_A20;
	if (port == BARE_PORT_KEYBOARD && (value == KEYBOARD_OUTPUT || value == KEYBOARD_A20_OFF))
		return KEYBOARD_A20_ON;
	return value;
}

/* Returns whether the access is of the whole PCI address, or within the PCI data. */
static bool is_pci(u16 port, unsigned int size)
{
	return (port == BARE_PORT_PCI && size == 4) ||
	       (port >= BARE_PORT_PCI_DATA && port + size <= BARE_PORT_PCI_DATA + 4);
}

/*
 * Splits a wide write into bytes, because each of them goes to one port. A device without wide
 * registers could take all bytes for one port, as QEMU's devices do.
 */
static void write_harmless(u16 port, u32 value, unsigned int size)
{
	if (is_pci(port, size)) {
		hal_io_write(port, size, value);
		return;
	}
	for (unsigned int i = 0; i < size; i++)
		hal_io_write((u16)(port + i), 1,
			     line_20_stays((u16)(port + i), (u8)(value >> i * 8)));
}

/*
 * Returns whether an access reaches the configuration of a function of a component. The address
 * register selects the function. A wide access may begin before the data. Called with the lock, so
 * the address does not change.
 */
static bool is_hidden_function(const struct bare_layer *layer, u16 port, unsigned int size)
{
	u32 address;

	if (!layer->functions || port >= BARE_PORT_PCI_DATA + 4 ||
	    port + size <= BARE_PORT_PCI_DATA)
		return false;
	address = hal_io_read(BARE_PORT_PCI, 4);
	return address & PCI_ENABLED && bare_resources_hide_function(layer, PCI_ID(address));
}

static bool is_hidden(const struct bare_layer *layer, u16 port, unsigned int size)
{
	return bare_resources_hide(layer, LIMPET_RESOURCE_PORTS, port, size) ||
	       is_hidden_function(layer, port, size);
}

static u32 port_read(struct bare_layer *layer, u16 port, unsigned int size)
{
	u32 value;

	bare_lock(&layer->device_lock);
	value = is_hidden(layer, port, size) ? ~0u : hal_io_read(port, size);
	bare_unlock(&layer->device_lock);
	return value;
}

static void port_write(struct bare_cpu *cpu, u16 port, u32 value, unsigned int size)
{
	bare_lock(&cpu->layer->device_lock);
	if (!is_hidden(cpu->layer, port, size) && !bare_death_write(cpu, port, value, size))
		write_harmless(port, value, size);
	bare_unlock(&cpu->layer->device_lock);
}

bool bare_port_exit(struct bare_cpu *cpu)
{
	struct vm_port access = vm_port(&cpu->vm);
	const u64 mask = access.size == 4 ? ~0ul : (1ul << access.size * 8) - 1;
	u64 *ax = vm_register(&cpu->vm, 0);

	if (access.string)
		return false;
	if (!access.in)
		port_write(cpu, access.port, (u32)*ax, access.size);
	else
		*ax = (*ax & ~mask) | (port_read(cpu->layer, access.port, access.size) & mask);
	vm_skip(&cpu->vm, access.length);
	return true;
}
