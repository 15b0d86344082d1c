// SPDX-License-Identifier: BSD-2-Clause
/* Measures an invocation and its parts, a kernel call, and a dispatch. */
#include <runtime/kernel_call.h>
#include <runtime/measure.h>

#include <import/pong.h>

#include "local.h"

#define WAIT_MAX 10000 /* ms */

static uint32_t more_values[MEASURE_MAX];

static void report(const char *name, const char *subject)
{
	measure_report("table1", name, subject);
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

/* Returns the cost of both user-level parts of an invocation: the minimum of all rounds. */
static void legs_local(uint64_t *there, uint64_t *back)
{
	*there = *back = UINT64_MAX;
	for (uint64_t i = 0; i < measure_rounds; i++) {
		uint64_t end;
		word time;

		measure_start = limpet_time();
		local_stamp(&time);
		end = limpet_time();
		*there = time - measure_start < *there ? time - measure_start : *there;
		*back = end - time < *back ? end - time : *back;
	}
	*back -= 1; /* see local.S */
}

/*
 * Measures the parts of an invocation: the stubs, the kernel on the call, and the kernel on the
 * return.
 */
static void measure_parts(void)
{
	uint64_t there, back;

	MEASURE(local_call0());
	report("invoke-0", "limpet.stub");
	legs_local(&there, &back);
	for (uint64_t i = 0; i < measure_rounds; i++) {
		uint64_t end;
		word time;

		measure_start = limpet_time();
		pong_stamp(&time);
		end = limpet_time();
		measure_values[i] =
			(uint32_t)(time - measure_start > there ? time - measure_start - there : 0);
		more_values[i] = (uint32_t)(end - time > back ? end - time - back : 0);
	}
	report("invoke-0", "limpet.call");
	for (uint64_t i = 0; i < measure_rounds; i++)
		measure_values[i] = more_values[i];
	report("invoke-0", "limpet.return");
}

/* A round trip is two dispatches. Pong's thread does nothing else. */
static void measure_dispatch(void)
{
	MEASURE(limpet_call_thread_dispatch(LIMPET_SLOT_FREE, 0));
	for (uint64_t i = 0; i < measure_rounds; i++)
		measure_values[i] /= 2;
	report("dispatch", "limpet");
}

static void ticks_wait(uint64_t ticks)
{
	uint64_t until = limpet_time() + ticks;

	while (limpet_time() < until)
		;
}

void component_main(const struct limpet_info *info)
{
	int64_t ms = limpet_arg_number(info, "wait-ms", 0);

	if (ms > 0 && ms <= WAIT_MAX)
		ticks_wait((uint64_t)ms * info->ticks_per_ms);
	measure_begin(info);
	measure_invocations();
	measure_parts();
	if (limpet_arg_text(info, "dispatch-to", NULL))
		measure_dispatch();
	pong_done();
	limpet_print("done\n");
}
