/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures code in ticks of the time-stamp counter, or in instructions on an emulator that counts
 * them. The cost of an empty measurement is subtracted. For one file of a component that imports
 * log.
 */
#ifndef RUNTIME_MEASURE_H
#define RUNTIME_MEASURE_H

#include <runtime/figure.h>
#include <runtime/print.h>
#include <runtime/time.h>

#define MEASURE_MAX 10000
#define MEASURE_WARM_UP 16 /* rounds that are not counted */

static uint32_t measure_values[MEASURE_MAX];
static uint64_t measure_rounds;
static uint64_t measure_empty; /* cost of an empty measurement */

/* The start of a measurement is in memory, because an invocation changes all registers. */
static volatile uint64_t measure_start;

/* Returns the ticks from measure_start to `end`, less the cost of an empty measurement. */
static inline uint32_t measure_since_start(uint64_t end)
{
	uint64_t ticks = end - measure_start;

	return ticks > measure_empty ? (uint32_t)(ticks - measure_empty) : 0;
}

/* Fills measure_values with the cost of `code`, in ticks, once for each round. */
#define MEASURE(code)                                                                              \
	do {                                                                                       \
		for (uint64_t i = 0; i < measure_rounds + MEASURE_WARM_UP; i++) {                  \
			uint64_t end;                                                              \
                                                                                                   \
			measure_start = limpet_time();                                             \
			code;                                                                      \
			end = limpet_time();                                                       \
			measure_values[i < MEASURE_WARM_UP ? 0 : i - MEASURE_WARM_UP] =            \
				measure_since_start(end);                                          \
		}                                                                                  \
	} while (0)

/*
 * Reads the argument `rounds` and measures the cost of an empty measurement. It must be called
 * first.
 */
static inline void measure_begin(const struct limpet_info *info)
{
	int64_t wanted = limpet_arg_number(info, "rounds", 1000);

	measure_rounds = wanted < 1 ? 1 : wanted > MEASURE_MAX ? MEASURE_MAX : (uint64_t)wanted;
	limpet_print("measuring %lu rounds of each figure\n", measure_rounds);
	measure_empty = 0;
	MEASURE((void)0);
	measure_empty = figure_of_values(measure_values, measure_rounds).min;
}

/* Prints the summary of measure_values. */
static inline void measure_report(const char *suite, const char *name, const char *subject)
{
	struct figure figure = figure_of_values(measure_values, measure_rounds);

	figure_print(&figure, suite, name, subject);
}

#endif
