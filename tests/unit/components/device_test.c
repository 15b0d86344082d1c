// SPDX-License-Identifier: BSD-2-Clause
/* Tests lib/runtime/device: resources, capabilities, and the words of the kernel call. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>
#include <runtime/device.h>
#include <runtime/kernel_call.h>

#define REGISTERS 0x10000000ul /* address of the registers in the component */

const struct limpet_info __limpet_info = {
	.resources = 5,
	.resource_slot = 48,
	.resource = {
		{ .kind = LIMPET_RESOURCE_PORTS, .first = 0x2f8, .count = 8 },
		{ .kind = LIMPET_RESOURCE_INTERRUPT, .first = 3, .count = 1 },
		{ .kind = LIMPET_RESOURCE_PORTS, .first = 0x70, .count = 1 },
		{ .kind = LIMPET_RESOURCE_MEMORY, .first = 0xfed00000, .count = 4096,
		  .address = REGISTERS },
		{ .kind = LIMPET_RESOURCE_INTERRUPT, .first = LIMPET_LINE_MESSAGE, .count = 1 },
		{ .kind = LIMPET_RESOURCE_MEMORY }, /* beyond the component's resources */
	},
};

static long asked;
static word with[6];
static long answer;
static struct limpet_out answer_words;

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	asked = op;
	memcpy(with, in, sizeof(with));
	*out = answer_words;
	return answer;
}

static void assert_call(enum limpet_call call, word w0, word w1, word w2)
{
	assert_int_equal(asked, LIMPET_CALL(call));
	assert_int_equal(with[0], w0);
	assert_int_equal(with[1], w1);
	assert_int_equal(with[2], w2);
}

static void answer_with(long status, word w0, word w1)
{
	answer = status;
	answer_words = (struct limpet_out){ w0, w1, 0 };
}

static void test_resource(void **state)
{
	const struct limpet_info_resource *all = limpet_info()->resource;

	(void)state;
	assert_ptr_equal(limpet_resource(LIMPET_RESOURCE_PORTS, 0), &all[0]);
	assert_ptr_equal(limpet_resource(LIMPET_RESOURCE_PORTS, 1), &all[2]);
	assert_null(limpet_resource(LIMPET_RESOURCE_PORTS, 2));
	assert_ptr_equal(limpet_resource(LIMPET_RESOURCE_INTERRUPT, 1), &all[4]);
	assert_ptr_equal(limpet_resource(LIMPET_RESOURCE_MEMORY, 0), &all[3]);
	assert_null(limpet_resource(LIMPET_RESOURCE_MEMORY, 1));
	assert_null(limpet_resource(LIMPET_RESOURCE_PCI, 0));
	assert_int_equal(limpet_resource_slot(&all[2]), 50);
}

static void test_ports(void **state)
{
	const struct limpet_info_resource *uart = limpet_resource(LIMPET_RESOURCE_PORTS, 0);

	(void)state;
	answer_with(LIMPET_OK, 0x61, 0);
	assert_int_equal(limpet_port_read8(uart, 5), 0x61);
	assert_call(LIMPET_CALL_IO_READ, 48, 0x2fd, 1);
	answer_with(LIMPET_OK, 0xffffffff, 0);
	assert_int_equal(limpet_port_read32(uart, 4), 0xffffffffl);
	assert_call(LIMPET_CALL_IO_READ, 48, 0x2fc, 4);
	answer_with(LIMPET_ERANGE, 0x61, 0);
	assert_int_equal(limpet_port_read16(uart, 7), LIMPET_ERANGE);
	assert_call(LIMPET_CALL_IO_READ, 48, 0x2ff, 2);
	assert_int_equal(limpet_port_write16(uart, 8, 0xbeef), LIMPET_ERANGE);
	assert_call(LIMPET_CALL_IO_WRITE, 48, 0x300, 2);
	assert_int_equal(with[3], 0xbeef);
	answer_with(LIMPET_OK, 0, 0);
	assert_int_equal(limpet_port_write8(limpet_resource(LIMPET_RESOURCE_PORTS, 1), 0, 0x8a), 0);
	assert_call(LIMPET_CALL_IO_WRITE, 50, 0x70, 1);
	assert_int_equal(with[3], 0x8a);
	assert_int_equal(limpet_port_write32(uart, 0, 0x87654321), 0);
	assert_call(LIMPET_CALL_IO_WRITE, 48, 0x2f8, 4);
	assert_int_equal(with[3], 0x87654321);
}

static void test_interrupt(void **state)
{
	const struct limpet_info_resource *line = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 0);
	const struct limpet_info_resource *msi = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 1);
	struct limpet_message message = { 1, 2 };
	struct limpet_interrupt came = { 3, 4 };

	(void)state;
	answer_with(LIMPET_OK, 0xfee00000, 0x41);
	assert_int_equal(limpet_interrupt_bind(line, 4, NULL), 0);
	assert_call(LIMPET_CALL_INTERRUPT_BIND, 49, LIMPET_SLOT_ENDPOINT, 4);
	assert_int_equal(limpet_interrupt_bind(msi, 8, &message), 0);
	assert_call(LIMPET_CALL_INTERRUPT_BIND, 52, LIMPET_SLOT_ENDPOINT, 8);
	assert_int_equal(message.address, 0xfee00000);
	assert_int_equal(message.data, 0x41);
	answer_with(LIMPET_OK, 7, 2);
	assert_int_equal(limpet_interrupt_ack(line, &came), 0);
	assert_call(LIMPET_CALL_INTERRUPT_ACK, 49, 0, 0);
	assert_int_equal(came.count, 7);
	assert_int_equal(came.death, 2);
	assert_int_equal(limpet_interrupt_ack(msi, NULL), 0);
	assert_call(LIMPET_CALL_INTERRUPT_ACK, 52, 0, 0);
}

/* A refused call leaves its output unchanged. */
static void test_interrupt_refused(void **state)
{
	const struct limpet_info_resource *msi = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 1);
	struct limpet_message message = { 1, 2 };
	struct limpet_interrupt came = { 3, 4 };

	(void)state;
	answer_with(LIMPET_ERIGHTS, 9, 9);
	assert_int_equal(limpet_interrupt_bind(msi, 8, &message), LIMPET_ERIGHTS);
	assert_int_equal(limpet_interrupt_ack(msi, &came), LIMPET_ERIGHTS);
	assert_int_equal(message.address + message.data, 3);
	assert_int_equal(came.count + came.death, 7);
}

static void test_registers(void **state)
{
	static uint64_t registers[2] = { 0x1122334455667788, 0 };
	const struct limpet_info_resource memory = { .address = (uintptr_t)registers };

	(void)state;
	assert_int_equal(limpet_register_read8(&memory, 1), 0x77);
	assert_int_equal(limpet_register_read16(&memory, 2), 0x5566);
	assert_int_equal(limpet_register_read32(&memory, 4), 0x11223344);
	assert_int_equal(limpet_register_read64(&memory, 0), 0x1122334455667788);
	limpet_register_write8(&memory, 8, 0x11);
	limpet_register_write16(&memory, 10, 0x2233);
	limpet_register_write32(&memory, 12, 0x44556677);
	assert_int_equal(registers[1], 0x4455667722330011);
	limpet_register_write64(&memory, 8, 5);
	assert_int_equal(registers[1], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resource),  cmocka_unit_test(test_ports),
		cmocka_unit_test(test_interrupt), cmocka_unit_test(test_interrupt_refused),
		cmocka_unit_test(test_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
