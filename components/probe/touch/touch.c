// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures in ticks of the time-stamp counter, which are instructions if the machine counts them.
 * Subtracts the cost of an empty measurement.
 */
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/mem.h>

#define ROUNDS_MAX 10000
#define FREES_MAX 1000
#define WARM_UP 16 /* rounds that are not counted */

static uint32_t values[ROUNDS_MAX];
static uint32_t frees[FREES_MAX];
static uint64_t touched, freed;
static uint64_t empty; /* cost of an empty measurement */

static uint32_t touch(volatile char *at)
{
	uint64_t start = limpet_time(), ticks;

	*at = 1;
	ticks = limpet_time() - start;
	return ticks > empty ? (uint32_t)(ticks - empty) : 0;
}

/* Measures the same loop on pages with memory. */
static void measure_empty(uint64_t rounds)
{
	static char here;

	for (uint64_t i = 0; i < rounds; i++)
		values[i] = touch(&here);
	empty = figure_of_values(values, rounds).min;
}

/* Measures the cost of freeing touched pages, for each page. */
static long free_all(word address, uint64_t pages)
{
	uint64_t start = limpet_time();
	long status = mem_free(address);

	frees[freed++ % FREES_MAX] = (uint32_t)((limpet_time() - start) / pages);
	return status;
}

/* Touches each page once, and then frees the memory. */
static long measure_once(uint64_t pages)
{
	word address;
	long status = mem_reserve(pages, LIMPET_READ | LIMPET_WRITE, &address);

	if (status)
		return status;
	for (uint64_t i = 0; i < pages; i++, touched++) {
		uint32_t ticks = touch((char *)address + i * LIMPET_PAGE);

		if (touched >= WARM_UP && touched - WARM_UP < ROUNDS_MAX)
			values[touched - WARM_UP] = ticks;
	}
	return free_all(address, pages);
}

static uint64_t number(const char *name, int64_t otherwise, int64_t max)
{
	int64_t value = limpet_arg_number(limpet_info(), name, otherwise);

	return (uint64_t)(value < 1 ? 1 : value > max ? max : value);
}

void component_main(const struct limpet_info *info)
{
	uint64_t rounds = number("rounds", 1000, ROUNDS_MAX), pages = number("pages", 200, 4096);
	struct figure figure;
	long status = LIMPET_OK;

	(void)info;
	measure_empty(rounds);
	while (touched < rounds + WARM_UP && !status)
		status = measure_once(pages);
	if (status) {
		limpet_print("cannot measure: %s\n", limpet_error_text(status));
		return;
	}
	figure = figure_of_values(values, rounds);
	figure_print(&figure, "fault", "page", "limpet");
	figure = figure_of_values(frees, freed < FREES_MAX ? freed : FREES_MAX);
	figure_print(&figure, "fault", "page-free", "limpet");
	limpet_print("done\n");
}
