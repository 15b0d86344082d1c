/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the machine, for drivers: I/O ports, registers in memory, interrupts. Which ones a
 * component has says the system file; offsets are from the start of a resource.
 *
 *	const struct limpet_info_resource *uart = limpet_resource(LIMPET_RESOURCE_PORTS, 0);
 *	long status = uart ? limpet_port_read8(uart, 5) : LIMPET_ENOENT;
 */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include <runtime/types.h>

/* What a device writes, and where, to raise a message-signalled interrupt. */
struct limpet_message {
	word address, data;
};

struct limpet_interrupt {
	word count; /* how often it came since the system began */
	word death; /* of LIMPET_LINE_LINUX: why Linux has ended, enum limpet_death; 0: it runs */
};

/* The component's resource number `n`, from 0, of a kind, in the order of the system file; or NULL. */
const struct limpet_info_resource *limpet_resource(enum limpet_resource kind, unsigned int n);
/* Where its capability is. */
word limpet_resource_slot(const struct limpet_info_resource *resource);

/* Reads 1, 2 or 4 bytes of a port: their value, or an error below 0. */
long limpet_port_read(const struct limpet_info_resource *ports, word offset, word bytes);
long limpet_port_write(const struct limpet_info_resource *ports, word offset, word bytes,
		       uint32_t value);

/*
 * The component's own thread receives `bits` when the interrupt comes. `message`, unless NULL: of
 * LIMPET_LINE_MESSAGE, what the device has to be told.
 */
long limpet_interrupt_bind(const struct limpet_info_resource *interrupt, word bits,
			   struct limpet_message *message);
/* Handled: one that is level triggered comes again only now. `state` may be NULL. */
long limpet_interrupt_ack(const struct limpet_info_resource *interrupt,
			  struct limpet_interrupt *state);

/* Ports and registers of 8 to 64 bits. Registers are not checked: stay below the resource's `count`. */
#define LIMPET_PORT_ACCESS(bits)                                                                   \
	static inline long limpet_port_read##bits(const struct limpet_info_resource *ports,        \
						  word offset)                                     \
	{                                                                                          \
		return limpet_port_read(ports, offset, bits / 8);                                  \
	}                                                                                          \
	static inline long limpet_port_write##bits(const struct limpet_info_resource *ports,       \
						   word offset, uint##bits##_t value)              \
	{                                                                                          \
		return limpet_port_write(ports, offset, bits / 8, value);                          \
	}
#define LIMPET_REGISTER_ACCESS(bits)                                                               \
	static inline uint##bits##_t limpet_register_read##bits(                                   \
		const struct limpet_info_resource *memory, word offset)                            \
	{                                                                                          \
		return *(const volatile uint##bits##_t *)(memory->address + offset);               \
	}                                                                                          \
	static inline void limpet_register_write##bits(const struct limpet_info_resource *memory,  \
						       word offset, uint##bits##_t value)          \
	{                                                                                          \
		*(volatile uint##bits##_t *)(memory->address + offset) = value;                    \
	}

LIMPET_PORT_ACCESS(8)
LIMPET_PORT_ACCESS(16)
LIMPET_PORT_ACCESS(32)
LIMPET_REGISTER_ACCESS(8)
LIMPET_REGISTER_ACCESS(16)
LIMPET_REGISTER_ACCESS(32)
LIMPET_REGISTER_ACCESS(64)

#endif
