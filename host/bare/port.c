// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's accesses of ports that exit: those that components have, where there is nothing for it any
 * more; those that can reset the machine; and, while components have PCI functions, PCI's configuration.
 */
#include <host/bare/bare.h>

/* exit_info_1 of an access to a port (APM vol. 2 section 15.10.2). */
#define IO_IN (1u << 0)
#define IO_STRING (1u << 2)
#define IO_SIZE(info) ((info) >> 4 & 7) /* bytes */
#define IO_PORT(info) ((u16)((info) >> 16))

#define KEYBOARD_OUTPUT 0xd1u /* the next byte of data is for lines, that of reset among them */
#define KEYBOARD_A20_OFF 0xddu
#define KEYBOARD_A20_ON 0xdfu
#define SYSTEM_A20 0x02u

#define PCI_ENABLED (1u << 31)
#define PCI_ID(address) ((address) >> 8 & 0xffff)

void bare_port_write(u16 port, u32 value, unsigned int size)
{
	if (size == 1)
		asm volatile("outb %b0, %w1" : : "a"(value), "d"(port));
	else if (size == 2)
		asm volatile("outw %w0, %w1" : : "a"(value), "d"(port));
	else
		asm volatile("outl %0, %w1" : : "a"(value), "d"(port));
}

u32 bare_port_read(u16 port, unsigned int size)
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

/* With address line 20 masked every second MiB would be the one before: of the layer's memory, too. */
static u8 line_20_stays(u16 port, u8 value)
{
	if (port == BARE_PORT_SYSTEM)
		return value | SYSTEM_A20;
	if (port == BARE_PORT_KEYBOARD && (value == KEYBOARD_OUTPUT || value == KEYBOARD_A20_OFF))
		return KEYBOARD_A20_ON;
	return value;
}

/*
 * A wide access is one of each port, but for the address of PCI configuration: so it is made of bytes here,
 * since a device may take all of them for one port (QEMU's do).
 */
static void write_harmless(u16 port, u32 value, unsigned int size)
{
	if (port == BARE_PORT_PCI && size == 4) {
		bare_port_write(port, value, size);
		return;
	}
	for (unsigned int i = 0; i < size; i++)
		bare_port_write((u16)(port + i),
				line_20_stays((u16)(port + i), (u8)(value >> i * 8)), 1);
}

/* Whether that is an access of the address or data register of PCI's configuration. */
static bool is_pci(const struct bare_layer *layer, u16 port, unsigned int size)
{
	return layer->functions && ((port == BARE_PORT_PCI && size == 4) ||
				    (port >= BARE_PORT_PCI_DATA && port < BARE_PORT_PCI_DATA + 4));
}

/* Of a function that the guest has; the address register is the layer's, so nobody comes in between. */
static bool pci_begin(struct bare_layer *layer)
{
	u32 address = layer->pci_address;

	if (address & PCI_ENABLED && bare_resources_hide_function(layer, PCI_ID(address)))
		return false;
	bare_lock(&layer->device_lock);
	bare_port_write(BARE_PORT_PCI, address, 4);
	return true;
}

static u32 pci_read(struct bare_layer *layer, u16 port, unsigned int size)
{
	u32 value;

	if (port == BARE_PORT_PCI)
		return layer->pci_address;
	if (!pci_begin(layer))
		return ~0u;
	value = bare_port_read(port, size);
	bare_unlock(&layer->device_lock);
	return value;
}

static void pci_write(struct bare_layer *layer, u16 port, u32 value, unsigned int size)
{
	if (port == BARE_PORT_PCI) {
		layer->pci_address = value;
	} else if (pci_begin(layer)) {
		bare_port_write(port, value, size);
		bare_unlock(&layer->device_lock);
	}
}

static u32 read(struct bare_cpu *b, u16 port, unsigned int size)
{
	if (bare_resources_hide_ports(b->layer, port, size))
		return ~0u;
	if (is_pci(b->layer, port, size))
		return pci_read(b->layer, port, size);
	return bare_port_read(port, size);
}

static void write(struct bare_cpu *b, u16 port, u32 value, unsigned int size)
{
	if (bare_resources_hide_ports(b->layer, port, size))
		return;
	if (is_pci(b->layer, port, size))
		pci_write(b->layer, port, value, size);
	else if (!bare_death_write(b, port, value, size))
		write_harmless(port, value, size);
}

bool bare_port_exit(struct bare_cpu *b)
{
	struct vmcb *vmcb = b->vmcb;
	u32 info = (u32)vmcb->exit_info_1;
	unsigned int size = IO_SIZE(info);
	u16 port = IO_PORT(info);

	if (info & IO_STRING)
		return false;
	if (!(info & IO_IN))
		write(b, port, (u32)vmcb->ax, size);
	else if (size == 4)
		vmcb->ax = read(b, port, size);
	else
		vmcb->ax = (vmcb->ax & ~((1ul << size * 8) - 1)) |
			   (read(b, port, size) & ((1u << size * 8) - 1));
	vmcb->ip = vmcb->exit_info_2;
	vmcb->interrupt_shadow = 0;
	return true;
}
