/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Common code of the tests of lib/sync. Each test runs one kind of lock in all orders of its threads' memory accesses,
 * with a bounded number of preemptions. The tests are instrumented, too, because the uncontended paths of lib/sync are
 * inline. QUIET excludes the test's own functions from instrumentation.
 */
#ifndef SYNC_RUN_H
#define SYNC_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>

#include "model.h"
#include "points.h"

#define QUIET __attribute__((no_sanitize("thread"), noinline, unused))
#define SOON 1000ul /* a deadline that can expire at every possible time */

static struct {
	uint64_t looking;    /* bit n: thread n is in a function of lib/sync */
	unsigned int inside; /* the thread in the critical section, or 0 */
} run_state;

static QUIET void sync_begin(void)
{
	memset(&run_state, 0, sizeof(run_state));
}

/* Runs all orders of a model. Checks by their number that the model preempts. */
static inline void sync_run(const struct model *model)
{
	unsigned long runs = model_run(model);

	print_message("    %lu orders\n", runs);
	assert_true(runs > 50);
}

/* Runs one thread once, which checks refusals and calls that do not wait. */
static inline void sync_run_alone(void (*thread)(unsigned int id))
{
	const struct model model = { 1, 0, NULL, sync_begin, thread, NULL, NULL };

	assert_int_equal(model_run(&model), 1);
}

static QUIET void sync_enter(unsigned int id)
{
	MODEL_CHECK(!run_state.inside);
	run_state.inside = id;
}

static QUIET void sync_leave(unsigned int id)
{
	MODEL_CHECK(run_state.inside == id);
	run_state.inside = 0;
}

/* A critical section. Fails if another thread is in it. */
static QUIET void sync_critical(unsigned int id)
{
	sync_enter(id);
	fake_point();
	sync_leave(id);
}

/* Calls a function that locks or unlocks something, and returns its status. */
#define SYNC_CALL(call)                                                                            \
	({                                                                                         \
		long status_;                                                                      \
                                                                                                   \
		run_state.looking |= 1ul << limpet_thread_id();                                    \
		status_ = (call);                                                                  \
		run_state.looking &= ~(1ul << limpet_thread_id());                                 \
		status_;                                                                           \
	})

#endif
