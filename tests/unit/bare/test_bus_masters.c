// SPDX-License-Identifier: GPL-2.0
/* Tests which PCI functions the restart of Linux stops, on a simulated configuration space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define countof(array) (sizeof(array) / sizeof((array)[0]))

struct function {
	uint32_t place; /* bus, device and function */
	uint32_t command, header;
};

/* Two devices of Linux, one of them with several functions, and a port with a device behind it. */
static struct function functions[] = {
	{ 0x0010, 0x0007, 0 },	      /* 00:02.0 */
	{ 0x0018, 0x0007, 0x800000 }, /* 00:03.0 */
	{ 0x001f, 0x0006, 0x800000 }, /* 00:03.7 */
	{ 0x0020, 0x0007, 0x010000 }, /* 00:04.0: a bridge */
	{ 0x0101, 0x0004, 0x800000 }, /* 01:00.1: a component has 01:00.0, which the layer hides */
	{ 0xfff8, 0x0003, 0 },	      /* ff:1f.0: it writes nothing */
};
static uint32_t address;
static unsigned int writes;

static struct function *function_find(void)
{
	for (unsigned int i = 0; i < countof(functions); i++)
		if (functions[i].place == (address >> 8 & 0xffff))
			return &functions[i];
	return NULL;
}

static void out32(uint16_t port, uint32_t value)
{
	struct function *function = function_find();

	if (port == 0xcf8) {
		assert_true(value >> 31);
		address = value;
		return;
	}
	assert_int_equal(port, 0xcfc);
	assert_int_equal(address & 0xff, 4);
	assert_non_null(function);
	function->command = value;
	writes++;
}

static uint32_t in32(uint16_t port)
{
	const struct function *function = function_find();

	assert_int_equal(port, 0xcfc);
	if (!function)
		return ~0u;
	switch (address & 0xff) {
	case 0:
		return 0x12348086;
	case 4:
		return 0x00100000 | function->command;
	case 0xc:
		return function->header;
	}
	fail();
	return 0;
}

#include <host/restart/bus_masters.h>

static void test_stop(void **state)
{
	static const uint32_t after[] = { 3, 3, 2, 7, 0, 3 };

	(void)state;
	bus_masters_stop();
	for (unsigned int i = 0; i < countof(functions); i++)
		assert_int_equal(functions[i].command, after[i]);
	assert_int_equal(writes, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stop) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
