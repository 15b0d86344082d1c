// SPDX-License-Identifier: GPL-2.0
/*
 * Tests barriers of lib/rtlinux with four threads and a barrier for two. Thread 1 is preempted at each of its atomic
 * accesses in turn. A thread that waits leaves its call, because the rest of the call does not matter. Returns the line
 * of the first failure, at most 255, or 0.
 */
#include <rtlinux/core.h>

#include <setjmp.h>

#include "expect.h"

#define THREADS 4
#define FIRST 10

static void point(void);
#define __atomic_load_n(...) (point(), __atomic_load_n(__VA_ARGS__))
#define __atomic_store_n(...) (point(), __atomic_store_n(__VA_ARGS__))
#define __atomic_fetch_add(...) (point(), __atomic_fetch_add(__VA_ARGS__))
#define __atomic_add_fetch(...) (point(), __atomic_add_fetch(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) (point(), __atomic_compare_exchange_n(__VA_ARGS__))
#include "../../../lib/rtlinux/counting.c"

extern struct limpet_info own asm("__limpet_info");
struct limpet_info own = { .thread = FIRST, .first_thread = FIRST };
struct rtl_thread_struct rtlinux_records[RTLINUX_THREADS];

static pthread_barrier_t barrier;
static unsigned int current = FIRST, points, preempted_at, before_it, served;
static rtlinux_try *waits[THREADS + 1]; /* by thread: the test that it waits for, or NULL */
static unsigned int round_of[THREADS + 1];
static bool ended[THREADS + 1];
static jmp_buf out[THREADS + 1];

unsigned int limpet_thread_id(void)
{
	return current;
}

int *rtlinux_errno(void)
{
	return &rtlinux_self()->errno_val;
}

void rtlinux_look(struct rtl_thread_struct *self)
{
	(void)self;
}

void rtlinux_wake(const void *object)
{
	EXPECT(object == &barrier);
}

void pthread_exit(void *value)
{
	(void)value;
	__builtin_abort();
}

/* Copies the thread's round from the stack, because the thread leaves this stack by longjmp(). */
int rtlinux_wait(void *object, rtlinux_try *try, hrtime_t until, unsigned int how)
{
	const unsigned int thread = current - FIRST;

	EXPECT(object == &barrier && until == HRTIME_INFINITY && !how);
	if (try(object))
		return 0;
	waits[thread] = try;
	round_of[thread] = *(unsigned int *)rtlinux_self()->posix_data;
	rtlinux_self()->posix_data = &round_of[thread];
	longjmp(out[thread], 1);
}

static void thread_run(unsigned int thread)
{
	const unsigned int before = current;

	current = FIRST + thread;
	if (!setjmp(out[thread])) {
		served += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
		ended[thread] = true;
	}
	current = before;
}

/* Threads 2 + before_it to THREADS - 1 preempt thread 1. */
static void point(void)
{
	if (current != FIRST + 1 || ++points != preempted_at)
		return;
	for (unsigned int thread = 2 + before_it; thread < THREADS; thread++)
		thread_run(thread);
}

/* Returns the number of threads that have passed the barrier or can pass it now. */
static unsigned int passed(void)
{
	unsigned int count = 0;

	for (unsigned int thread = 1; thread <= THREADS; thread++) {
		current = FIRST + thread;
		count += ended[thread] || (waits[thread] && waits[thread](&barrier));
	}
	current = FIRST;
	return count;
}

static void run(void)
{
	for (unsigned int thread = 0; thread <= THREADS; thread++) {
		waits[thread] = NULL;
		ended[thread] = false;
	}
	points = served = 0;
	EXPECT(!pthread_barrier_init(&barrier, NULL, 2));
	for (unsigned int thread = 2; thread < 2 + before_it; thread++)
		thread_run(thread);
	thread_run(1);
	EXPECT(passed() == 2 * served);
	thread_run(THREADS);
	EXPECT(passed() == 2 * served);
}

int main(void)
{
	for (before_it = 0; before_it < 2; before_it++)
		for (preempted_at = 1; preempted_at <= 10; preempted_at++) {
			run();
			if (points >= preempted_at)
				EXPECT(served == 2 && !pthread_barrier_destroy(&barrier));
		}
	return failed > 255 ? 255 : failed;
}
