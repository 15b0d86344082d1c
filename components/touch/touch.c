// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures in ticks of the time-stamp counter: instructions, when the machine counts them. What an
 * empty measurement costs is taken off.
 */
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/mem.h>

#define ROUNDS_MOST 10000
#define WARM_UP 16 /* rounds that are not counted */

static uint32_t values[ROUNDS_MOST];
static uint64_t empty; /* what an empty measurement shows */

static uint32_t touch(volatile char *at)
{
	uint64_t start = limpet_time(), ticks;

	*at = 1;
	ticks = limpet_time() - start;
	return ticks > empty ? (uint32_t)(ticks - empty) : 0;
}

/* The same on memory that is there. */
static void measure_empty(uint64_t rounds)
{
	static char here;

	for (uint64_t i = 0; i < rounds; i++)
		values[i] = touch(&here);
	empty = figure_of_values(values, rounds).min;
}

/* Fills `values`; pages that are warming up are touched, too. */
static long measure(uint64_t rounds, uint64_t pages)
{
	for (uint64_t done = 0; done < rounds + WARM_UP;) {
		word address;
		long status = mem_reserve(pages, LIMPET_READ | LIMPET_WRITE, &address);

		for (uint64_t i = 0; i < pages && !status && done < rounds + WARM_UP; i++, done++) {
			uint32_t ticks = touch((char *)address + i * LIMPET_PAGE);

			values[done < WARM_UP ? 0 : done - WARM_UP] = ticks;
		}
		if (!status)
			status = mem_free(address);
		if (status)
			return status;
	}
	return LIMPET_OK;
}

static uint64_t number(const char *name, int64_t otherwise, int64_t most)
{
	int64_t value = limpet_arg_number(limpet_info(), name, otherwise);

	return (uint64_t)(value < 1 ? 1 : value > most ? most : value);
}

void component_main(const struct limpet_info *info)
{
	uint64_t rounds = number("rounds", 1000, ROUNDS_MOST), pages = number("pages", 200, 4096);
	struct figure figure;
	long status;

	(void)info;
	measure_empty(rounds);
	status = measure(rounds, pages);
	if (status) {
		limpet_print("cannot measure: %s\n", limpet_error_text(status));
		return;
	}
	figure = figure_of_values(values, rounds);
	figure_print(&figure, "fault", "page", "limpet");
	limpet_print("done\n");
}
