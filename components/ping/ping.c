// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures in ticks of the time-stamp counter: instructions, when the machine counts them. What an
 * empty measurement costs is taken off.
 */
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/pong.h>

#include "local.h"

#define ROUNDS_MOST 10000
#define WAIT_MOST 10000 /* ms */
#define WARM_UP 16	/* rounds that are not counted */

static uint32_t values[ROUNDS_MOST];
static uint32_t more_values[ROUNDS_MOST];
static uint64_t rounds;
static uint64_t empty; /* what an empty measurement shows */

/* The start of a measurement goes through memory: an invocation leaves no register alone. */
static volatile uint64_t start;

static uint32_t since_start(uint64_t end)
{
	uint64_t ticks = end - start;

	return ticks > empty ? (uint32_t)(ticks - empty) : 0;
}

/* Fills `values` with what `code` takes. */
#define MEASURE(code)                                                                              \
	do {                                                                                       \
		for (uint64_t i = 0; i < rounds + WARM_UP; i++) {                                  \
			uint64_t end;                                                              \
                                                                                                   \
			start = limpet_time();                                                     \
			code;                                                                      \
			end = limpet_time();                                                       \
			values[i < WARM_UP ? 0 : i - WARM_UP] = since_start(end);                  \
		}                                                                                  \
	} while (0)

static struct figure report(const char *name, const char *subject)
{
	struct figure figure = figure_of_values(values, rounds);

	figure_print(&figure, "table1", name, subject);
	return figure;
}

static void measure_empty(void)
{
	empty = 0;
	MEASURE((void)0);
	empty = figure_of_values(values, rounds).min;
}

static void measure_invocations(void)
{
	word x, y, z;

	MEASURE(pong_call0());
	report("invoke-0", "limpet");
	MEASURE(pong_call4(1, 2, 3, 4, &x, &y, &z));
	report("invoke-4", "limpet");
	MEASURE(pong_call6(1, 2, 3, 4, 5, 6, &x, &y, &z));
	report("invoke-6", "limpet");
	MEASURE(limpet_call_nop());
	report("kernel-call", "limpet");
}

/* What both legs of an invocation take at user level; least of all rounds. */
static void legs_local(uint64_t *there, uint64_t *back)
{
	*there = *back = UINT64_MAX;
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t end;
		word time;

		start = limpet_time();
		local_stamp(&time);
		end = limpet_time();
		*there = time - start < *there ? time - start : *there;
		*back = end - time < *back ? end - time : *back;
	}
	*back -= 1; /* see local.S */
}

/* The parts of an invocation: stubs, the kernel on the way there, and on the way back. */
static void measure_parts(void)
{
	uint64_t there, back;

	MEASURE(local_call0());
	report("invoke-0", "limpet.stub");
	legs_local(&there, &back);
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t end;
		word time;

		start = limpet_time();
		pong_stamp(&time);
		end = limpet_time();
		values[i] = (uint32_t)(time - start > there ? time - start - there : 0);
		more_values[i] = (uint32_t)(end - time > back ? end - time - back : 0);
	}
	report("invoke-0", "limpet.call");
	for (uint64_t i = 0; i < rounds; i++)
		values[i] = more_values[i];
	report("invoke-0", "limpet.return");
}

/* There and back are two dispatches; pong's thread does nothing else. */
static void measure_dispatch(void)
{
	MEASURE(limpet_call_thread_dispatch(LIMPET_SLOT_FREE, 0));
	for (uint64_t i = 0; i < rounds; i++)
		values[i] /= 2;
	report("dispatch", "limpet");
}

static void wait(uint64_t ticks)
{
	uint64_t until = limpet_time() + ticks;

	while (limpet_time() < until)
		;
}

void component_main(const struct limpet_info *info)
{
	int64_t wanted = limpet_arg_number(info, "rounds", 1000);

	int64_t ms = limpet_arg_number(info, "wait-ms", 0);

	if (ms > 0 && ms <= WAIT_MOST)
		wait((uint64_t)ms * info->ticks_per_ms);
	rounds = wanted < 1 ? 1 : wanted > ROUNDS_MOST ? ROUNDS_MOST : (uint64_t)wanted;
	limpet_print("measuring %lu rounds of each figure\n", rounds);
	measure_empty();
	measure_invocations();
	measure_parts();
	if (limpet_arg_text(info, "dispatch-to", NULL))
		measure_dispatch();
	pong_done();
	limpet_print("done\n");
}
