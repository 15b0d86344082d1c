// SPDX-License-Identifier: BSD-2-Clause
/* Driver of QEMU's device edu (docs/specs/edu.txt). The device computes factorials, and reports each by a message. */
#include <runtime/component.h>
#include <runtime/device.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

/* Registers of the device. */
#define IDENTITY 0x00
#define FACTORIAL 0x08
#define STATUS 0x20
#define WHY 0x24
#define SERVED 0x64
#define STATUS_COMPUTING 0x01
#define STATUS_RAISE_INTERRUPT 0x80

/* Configuration space (PCI local bus specification 3.0, 6.2 and 6.8). */
#define COMMAND 0x04
#define COMMAND_MASTER 4u
#define CAPABILITIES 0x34
#define MESSAGE 5u
#define MESSAGE_ON 0x10000u
#define MESSAGE_WIDE 0x800000u

#define EVENT 1
#define ROUNDS 20
#define PAUSE_US 5000

static const struct limpet_info_resource *config, *bar, *line;

/* Sets the address and data of the device's message. Returns false if it does not support messages. */
static bool message_set(const struct limpet_message *message)
{
	uint32_t at = limpet_register_read32(config, CAPABILITIES) & 0xfc, head = 0;

	for (unsigned int i = 0; i < 48 && at; i++, at = head >> 8 & 0xfc) {
		head = limpet_register_read32(config, at);
		if ((head & 0xff) == MESSAGE)
			break;
	}
	if (!at)
		return false;
	limpet_register_write32(config, at + 4, (uint32_t)message->address);
	if (head & MESSAGE_WIDE)
		limpet_register_write32(config, at + 8, 0);
	limpet_register_write32(config, at + (head & MESSAGE_WIDE ? 12 : 8),
				(uint32_t)message->data);
	limpet_register_write32(config, at, head | MESSAGE_ON);
	limpet_register_write32(config, COMMAND,
				limpet_register_read32(config, COMMAND) | COMMAND_MASTER);
	return true;
}

/* QEMU computes in another thread, in real time. The device ignores a number that is written meanwhile. */
static void result_await(void)
{
	while (limpet_register_read32(bar, STATUS) & STATUS_COMPUTING)
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(PAUSE_US));
}

/*
 * An interrupt wakes all components that wait for messages. The first interrupt can belong to a computation of
 * an earlier system.
 */
static uint32_t factorial(uint32_t n)
{
	struct limpet_out out;

	result_await();
	limpet_register_write32(bar, STATUS, STATUS_RAISE_INTERRUPT);
	limpet_register_write32(bar, FACTORIAL, n);
	do
		limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
	while (!limpet_register_read32(bar, WHY));
	limpet_register_write32(bar, SERVED, limpet_register_read32(bar, WHY));
	result_await();
	return limpet_register_read32(bar, FACTORIAL);
}

static void compute(void)
{
	for (uint32_t n = 1, product = 1; n <= ROUNDS; n++) {
		uint32_t got;

		product *= n;
		got = factorial(n);
		if (got != product)
			limpet_print("wrong: %u! is not %u\n", n, got);
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(PAUSE_US));
	}
	limpet_print("%u factorials\n", ROUNDS);
}

void component_main(const struct limpet_info *info)
{
	struct limpet_message message;

	(void)info;
	config = limpet_resource(LIMPET_RESOURCE_MEMORY, 0);
	bar = limpet_resource(LIMPET_RESOURCE_MEMORY, 1);
	line = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 0);
	if (!config || !bar || !line || limpet_interrupt_bind(line, EVENT, &message) ||
	    !message_set(&message)) {
		limpet_print("wrong: the device is not complete\n");
		return;
	}
	limpet_print("the device is 0x%x\n", limpet_register_read32(bar, IDENTITY));
	for (;;)
		compute();
}
