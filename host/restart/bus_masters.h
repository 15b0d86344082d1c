/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stops what PCI functions write to memory for the dead Linux. The file that includes this has out32() and in32(), which
 * access a port.
 */
#ifndef RESTART_BUS_MASTERS_H
#define RESTART_BUS_MASTERS_H

#include <stdint.h>

#define PCI_ADDRESS 0xcf8
#define PCI_DATA 0xcfc
#define PCI_ENABLE (1u << 31)
#define PCI_FUNCTIONS (1u << 16) /* of all buses */
#define PCI_NONE 0xffffffffu
#define PCI_COMMAND 0x04u
#define PCI_BUS_MASTER 0x04u
#define PCI_HEADER 0x0cu
#define PCI_HEADER_KIND (0x7fu << 16)
#define PCI_BRIDGE (1u << 16)
#define PCI_SEVERAL (0x80u << 16) /* functions of the device */

static uint32_t pci_read(uint32_t function, uint32_t offset)
{
	out32(PCI_ADDRESS, PCI_ENABLE | function << 8 | offset);
	return in32(PCI_DATA);
}

/*
 * Stops all writes of devices to memory. The upper half of the command register is status: writing 0 changes nothing.
 *
 * A bridge passes on what the functions behind it send, so it stays on for a component's function there. A function
 * without writes needs no bridge to stop it. The layer hides a component's functions. Therefore the first function of a
 * device can seem absent while Linux has another one, and all eight are looked for.
 */
static void bus_masters_stop(void)
{
	for (uint32_t function = 0; function < PCI_FUNCTIONS; function++) {
		uint32_t command, header;

		if (pci_read(function, 0) == PCI_NONE)
			continue;
		header = pci_read(function, PCI_HEADER);
		command = pci_read(function, PCI_COMMAND) & 0xffff;
		if (command & PCI_BUS_MASTER && (header & PCI_HEADER_KIND) != PCI_BRIDGE)
			out32(PCI_DATA, command & ~PCI_BUS_MASTER);
		if (function % 8 == 0 && !(header & PCI_SEVERAL))
			function += 7;
	}
}

#endif
