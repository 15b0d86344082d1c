// SPDX-License-Identifier: BSD-2-Clause
/* The times of clocks, of which some count the run time of threads. */
#include <runtime/time.h>

#include <import/sched.h>

#include "call.h"
#include "clock.h"
#include "posix.h"

/*
 * Linux's names of clocks of the processor time of other threads: ~id << 3, plus one of these. POSIX.1-2017,
 * clock_getcpuclockid().
 */
#define CPU_PROCESS 2
#define CPU_THREAD 6

/*
 * The places of threads whose run time counts for the program, and their run time when it counted as 0. That is all
 * places but those of threads that work for the library. A place keeps the run time of threads that have ended in it.
 * A helper starts with a new record, so that a reader without a lock finds both values of one time.
 */
#define HELPERS 2
static struct program {
	uint64_t places, ticks;
} programs[HELPERS + 1] = { { .places = ~0ul } };
static const struct program *program = programs;

/* Returns the run time of a thread, in ticks. */
static uint64_t thread_ticks(const struct posix_thread *thread)
{
	word ticks, misses, overruns;

	return sched_account(posix_id(thread), &ticks, &misses, &overruns) < 0 ? 0 : ticks;
}

void clock_thread_begin(struct posix_thread *thread)
{
	thread->ticks = thread_ticks(thread);
}

/* Returns the run time of all threads of some places, in ticks. */
static uint64_t places_ticks(uint64_t places)
{
	word ticks;

	return sched_account_sum(places, posix_first, &ticks) < 0 ? 0 : ticks;
}

void clock_program_begin(void)
{
	programs[0].ticks = places_ticks(programs[0].places);
}

void clock_helper_begin(const struct posix_thread *helper)
{
	struct program *next = &programs[program - programs + 1];

	next->places = program->places & ~(1ul << posix_place(helper));
	next->ticks = program->ticks - thread_ticks(helper);
	__atomic_store_n(&program, next, __ATOMIC_RELEASE);
}

/* Tries again if a helper started before its time could be excluded. That happens at most HELPERS times. */
static uint64_t process_ticks(void)
{
	for (;;) {
		const struct program *before = __atomic_load_n(&program, __ATOMIC_ACQUIRE);
		const uint64_t ticks = places_ticks(before->places) - before->ticks;

		if (before == __atomic_load_n(&program, __ATOMIC_ACQUIRE))
			return ticks;
	}
}

uint64_t clock_process_ns(void)
{
	return clock_ns(process_ticks());
}

word clock_own(word clock)
{
	if ((int)clock != CLOCK_THREAD_CPUTIME_ID)
		return (word)(int)clock;
	return ~(word)posix_id(posix_self()) << 3 | CPU_THREAD;
}

/*
 * Reads the clock of the processor time of a process or thread that is named by its id. Returns false if it does not
 * exist.
 */
static bool clock_named(word clock, uint64_t *ns)
{
	const word id = ~clock >> 3 & 0x1fffffff;
	const struct posix_thread *thread;

	if ((clock & 7) == CPU_PROCESS && (!id || id == posix_pid())) {
		*ns = clock_process_ns();
		return true;
	}
	thread = id ? thread_of(id) : posix_self();
	if ((clock & 7) != CPU_THREAD || !thread)
		return false;
	*ns = clock_ns(thread_ticks(thread) - thread->ticks);
	return true;
}

bool clock_of_thread(word clock)
{
	return (long)(int)clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID ||
	       clock == CLOCK_THREAD_CPUTIME_ID;
}

bool clock_settable(word clock)
{
	return clock_of_thread(clock) || clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
	       clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
}

bool clock_now(word clock, uint64_t *ns)
{
	switch ((int)clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
		*ns = clock_real_ns();
		return true;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		*ns = clock_ns(limpet_time());
		return true;
	case CLOCK_PROCESS_CPUTIME_ID:
		*ns = clock_process_ns();
		return true;
	case CLOCK_THREAD_CPUTIME_ID:
		*ns = clock_ns(thread_ticks(posix_self()) - posix_self()->ticks);
		return true;
	default:
		return (int)clock < 0 && clock_named((word)(int)clock, ns);
	}
}
