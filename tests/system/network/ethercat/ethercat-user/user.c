// SPDX-License-Identifier: BSD-2-Clause
#include <import/ethercat.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#define DRIVE 1
#define WIDTH 2 /* bytes of its outputs, which its inputs repeat */

static uint16_t written, before;

/*
 * Writes the next outputs, and checks that the inputs belong to earlier outputs. The slave inverts the outputs of a
 * cycle in the same cycle, so they return in the next one.
 */
static void exchange_check(void)
{
	word data = 0;
	long length = ethercat_input(DRIVE, 0, &data);
	uint16_t back = (uint16_t)~data;

	if (length != 2 * WIDTH || (uint16_t)data != (uint16_t)(data >> 16))
		limpet_print("wrong: %ld bytes of inputs, %lx\n", length, data);
	else if (back > written || back < before)
		limpet_print("wrong: inputs of %u after %u, and %u was written\n", back, before,
			     written);
	before = back;
	ethercat_output(DRIVE, 0, WIDTH, ++written);
}

void component_main(const struct limpet_info *info)
{
	const uint64_t row = (uint64_t)limpet_arg_within(info, "row", 100, 1, 100000);
	uint64_t good = 0;
	word cycles;
	long status;

	for (;;) {
		status = ethercat_cycle(LIMPET_NEVER, &cycles);
		if (status == LIMPET_EAGAIN)
			continue;
		if (status < 0)
			break;
		good = status ? good + 1 : 0;
		if (status && good > 2) /* the slave has the outputs of an earlier cycle */
			exchange_check();
		if (status && good % row == 0)
			limpet_print("%lu good cycles in a row\n", good);
	}
	limpet_print("wrong: cycle returns %s\n", limpet_error_text(status));
}
