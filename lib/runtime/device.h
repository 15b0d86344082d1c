/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses resources of the machine for drivers: I/O ports, memory-mapped registers and interrupts.
 * The system file assigns them to components. Offsets count from the start of a resource.
 *
 *	const struct limpet_info_resource *uart = limpet_resource(LIMPET_RESOURCE_PORTS, 0);
 *	long status = uart ? limpet_port_read8(uart, 5) : LIMPET_ENOENT;
 *
 * Context: any thread of the component. No function waits. A function of ports or interrupts costs one kernel call.
 * Resources must be results of limpet_resource().
 */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include <runtime/types.h>

/* The address and data that a device writes to raise a message-signalled interrupt. */
struct limpet_message {
	word address, data;
};

struct limpet_interrupt {
	word count; /* interrupts since the system started */
	word death; /* LIMPET_LINE_LINUX: cause of Linux's end, enum limpet_death; 0: Linux runs */
};

/*
 * Returns the component's resource `n` of a kind, from 0 in the order of the system file, or NULL.
 */
const struct limpet_info_resource *limpet_resource(enum limpet_resource kind, unsigned int n);
/* Returns the slot of the resource's capability. */
word limpet_resource_slot(const struct limpet_info_resource *resource);

/*
 * Reads from I/O ports: `bytes`, 1, 2 or 4, from `offset` on. Returns their value. ERANGE: `bytes` has another value,
 * or the ports are outside the resource.
 */
long limpet_port_read(const struct limpet_info_resource *ports, word offset, word bytes);
/* Writes the lowest `bytes` bytes of a value to I/O ports. Returns 0. ERANGE: as limpet_port_read(). */
long limpet_port_write(const struct limpet_info_resource *ports, word offset, word bytes,
		       uint32_t value);

/*
 * Binds an interrupt to the component's own thread, which then receives the events `bits`, any of bits 0 to 61, for
 * each interrupt. If `message` is not NULL, stores the address and the data for the device there, or zeros if the line
 * is not LIMPET_LINE_MESSAGE. Returns 0. ERANGE: `bits` is 0 or has other bits.
 */
long limpet_interrupt_bind(const struct limpet_info_resource *interrupt, word bits,
			   struct limpet_message *message);
/*
 * Acknowledges an interrupt. A level-triggered line can raise it again only then. Stores the number of interrupts, and
 * the cause of Linux's end, in *state, unless it is NULL. Returns 0. Costs also a switch to the host for a
 * level-triggered line.
 */
long limpet_interrupt_ack(const struct limpet_info_resource *interrupt,
			  struct limpet_interrupt *state);

/*
 * Define functions that access ports of 8 to 32 bits and registers of 8 to 64 bits, for example limpet_port_read8() and
 * limpet_register_write32(). Offsets are in bytes. A register must be inside the resource, whose `count` is its bytes,
 * because these functions do not check it.
 */
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
