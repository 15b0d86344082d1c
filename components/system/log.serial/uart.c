// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sends text to a 16550 UART (National Semiconductor PC16550D data sheet). A writer puts text into
 * a ring and enables the UART's interrupt. The component's thread sends 16 bytes at each interrupt.
 */
#include <runtime/device.h>
#include <runtime/format.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/ring.h>

#include "../log/channel.h"
#include "uart.h"

enum { /* registers */
       DATA = 0,
       INTERRUPTS = 1, /* interrupts to enable */
       FIFO = 2,
       FORMAT = 3,
       MODEM = 4,
       STATE = 5,
};

#define REGISTERS 8
#define CLOCK 115200
#define SENT 0x02 /* value of INTERRUPTS: interrupt when the FIFO is empty */
#define FIFO_BYTES 16
#define FIFO_ON 0x07 /* enables and clears both FIFOs */
#define FORMAT_8N1 0x03
#define FORMAT_DIVISOR 0x80 /* DATA and INTERRUPTS address the divisor's bytes */
#define MODEM_ON 0x0b	    /* ready; on a PC, also connects the interrupt output */
#define STATE_EMPTY 0x20
#define EVENT 1

static const struct limpet_info_resource *ports, *line;
static struct limpet_ring *ring;
static struct ring_writer writer;

long uart_init(const struct limpet_info *info)
{
	int64_t baud = limpet_arg_number(info, "baud", CLOCK);
	uint32_t divisor = (uint32_t)(CLOCK / (baud < 50 ? 50 : baud > CLOCK ? CLOCK : baud));

	ports = limpet_resource(LIMPET_RESOURCE_PORTS, 0);
	line = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 0);
	if (!ports || ports->count < REGISTERS || !line)
		return LIMPET_ENOENT;
	ring = (struct limpet_ring *)info->heap;
	ring_head_init(ring, info->heap_size);
	ring_writer_init(&writer, ring, info->heap_size);
	limpet_port_write8(ports, INTERRUPTS, 0);
	limpet_port_write8(ports, FORMAT, FORMAT_DIVISOR | FORMAT_8N1);
	limpet_port_write8(ports, DATA, (uint8_t)divisor);
	limpet_port_write8(ports, INTERRUPTS, (uint8_t)(divisor >> 8));
	limpet_port_write8(ports, FORMAT, FORMAT_8N1);
	limpet_port_write8(ports, FIFO, FIFO_ON);
	limpet_port_write8(ports, MODEM, MODEM_ON);
	return LIMPET_OK;
}

void uart_write(const char *text, uint64_t size)
{
	if (ring_write(&writer, text, size))
		limpet_port_write8(ports, INTERRUPTS, SENT);
}

/*
 * Sends as much text as fits the FIFO. Returns false if the ring is empty. This component is both
 * writer and reader of the ring.
 */
static bool uart_send(void)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_SEQ_CST), tail = ring->tail;

	for (unsigned int i = 0; i < FIFO_BYTES && tail != head; i++, tail++)
		limpet_port_write8(ports, DATA, (uint8_t)ring->data[tail & (writer.size - 1)]);
	__atomic_store_n(&ring->tail, tail, __ATOMIC_SEQ_CST);
	return tail != __atomic_load_n(&ring->head, __ATOMIC_SEQ_CST);
}

/* Reports dropped bytes when the ring is empty, and so has space for the message. */
static void dropped_report(void)
{
	static uint64_t reported;
	uint64_t dropped = writer.dropped;
	char text[80];

	if (dropped == reported)
		return;
	uart_write(text, limpet_format(text, sizeof(text), "log: %lu bytes were dropped\n",
				       dropped - reported));
	reported = dropped;
}

/*
 * Disables and enables the interrupt, which creates a new edge. If the ring is empty, a writer
 * enables it.
 */
static void serve(void)
{
	limpet_port_write8(ports, INTERRUPTS, 0);
	if (!(limpet_port_read8(ports, STATE) & STATE_EMPTY) || uart_send())
		limpet_port_write8(ports, INTERRUPTS, SENT);
	else
		dropped_report();
}

void component_main(const struct limpet_info *info)
{
	static const char silent[] =
		"log: the serial port is not used, because it has no interrupt\n";
	struct limpet_out out;

	(void)info;
	if (limpet_interrupt_bind(line, EVENT, NULL)) {
		channel_write(silent, sizeof(silent) - 1);
		return;
	}
	for (;;) {
		serve();
		limpet_interrupt_ack(line, NULL);
		limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
	}
}
