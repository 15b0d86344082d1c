/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a scheduler has its time from. The root scheduler of a CPU has the CPU's timer, and sets it
 * along with a dispatch. A nested one imports `parent`, and has that scheduler's alarm.
 */
#ifndef SCHED_CLOCK_H
#define SCHED_CLOCK_H

#include <runtime/kernel_call.h>

#if __has_include(<import/parent.h>)

#include <import/parent.h>

#define CLOCK_NESTED 1
#define CLOCK_EVENT 1ul

/* The clock comes at `deadline`. Returns what to pass with a kernel call: nothing. */
static inline uint64_t clock_set(uint64_t deadline)
{
	parent_alarm(deadline);
	return 0;
}

#else

#define CLOCK_NESTED 0
#define CLOCK_EVENT LIMPET_EVENT_TIMER

static inline uint64_t clock_set(uint64_t deadline)
{
	return deadline;
}

#endif

#endif
