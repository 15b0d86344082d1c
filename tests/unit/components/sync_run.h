/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of lib/sync share. Each test runs one kind of lock in all orders of its threads' memory
 * accesses, with a bounded number of preemptions. The tests are instrumented too, because the uncontended
 * paths of lib/sync are inline. QUIET marks the test's own functions, which are not.
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
#define SOON 1000ul /* a deadline: it comes whenever that does harm */

static struct {
	uint64_t looking;    /* bit n: thread n is in a function of lib/sync */
	unsigned int inside; /* the thread in the critical section; 0: none */
} run_state;

static QUIET void sync_begin(void)
{
	memset(&run_state, 0, sizeof(run_state));
}

/* Runs all orders of a model. The number of orders shows that the model does preempt. */
static inline void sync_run(const struct model *model)
{
	unsigned long runs = model_run(model);

	print_message("    %lu orders\n", runs);
	assert_true(runs > 50);
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

/* A critical section: fails when another thread is in it. */
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
