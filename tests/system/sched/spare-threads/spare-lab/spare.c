// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each round creates all spare threads and one more, which must fail, and joins them. A thread checks that its stack is
 * its own and empty. It sleeps a little, so that all exist at the same time, and ends by a return or from within a
 * function.
 */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/thread.h>
#include <runtime/time.h>

#include <import/sched.h>

#define THREADS 3
#define DEPTH 10
#define PAUSE 20000 /* ticks */

static word ran[LIMPET_THREADS_MAX]; /* by id: its last argument */
static unsigned int wrong;

static word value_of(word argument)
{
	return argument * 7 + 1;
}

/* Returns whether a thread's function runs at the top of its own stack. */
static bool stack_fresh(unsigned int id, const volatile word *local)
{
	const struct limpet_info *info = limpet_info();
	word top = info->stacks + ((id + 1ul) << info->stack_shift);

	return (word)local < top && top - (word)local < 512;
}

/* Volatile, so that the compiler does not know that it never returns. */
static void (*volatile end)(word value) = limpet_thread_exit;

/* Ends the thread from `depth` calls below. */
static __attribute__((noinline)) void end_within(word argument, unsigned int depth)
{
	volatile word kept = depth;

	if (kept)
		end_within(argument, depth - 1);
	else
		end(value_of(argument));
	wrong += kept == depth; /* it returned */
}

static word work(word argument)
{
	unsigned int id = limpet_thread_id();
	const struct limpet_info_thread *t = &limpet_info()->thread_of[id];
	volatile word local = argument;

	if (!stack_fresh(id, &local) || t->component != limpet_info()->index ||
	    !(t->flags & LIMPET_THREAD_SPARE))
		wrong++;
	ran[id] = argument;
	sched_sleep_until(limpet_time() + PAUSE);
	if (ran[id] != argument || local != argument)
		wrong++;
	if (argument % THREADS == 0)
		end_within(argument, DEPTH);
	return value_of(argument);
}

static void round_make(word first, unsigned int *joined, unsigned int *refused)
{
	long thread[THREADS];
	word value;

	for (unsigned int i = 0; i < THREADS; i++)
		thread[i] = sched_create((word)work, first + i, 0);
	*refused += sched_create((word)work, 0, 0) == LIMPET_EQUOTA;
	for (unsigned int i = 0; i < THREADS; i++) {
		if (thread[i] < 0 || sched_join((word)thread[i], LIMPET_NEVER, &value) < 0 ||
		    value != value_of(first + i) || ran[thread[i]] != first + i)
			wrong++;
		else
			++*joined;
	}
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 1);
	unsigned int joined = 0, refused = 0;

	for (word i = 0; i < rounds; i++)
		round_make(i * THREADS, &joined, &refused);
	limpet_print("%u joined, %u refused, wrong %u\n", joined, refused, wrong);
}
