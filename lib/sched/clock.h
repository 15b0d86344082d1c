/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of a scheduler. The root scheduler of a CPU uses the CPU's timer, and sets it with a dispatch. A nested
 * scheduler imports `parent`, and uses that scheduler's alarm.
 */
#ifndef SCHED_CLOCK_H
#define SCHED_CLOCK_H

#include <runtime/kernel_call.h>

#if __has_include(<import/parent.h>)

#include <import/parent.h>

#define CLOCK_NESTED 1
#define CLOCK_EVENT 1ul

/* Sets the clock to `deadline`. Returns the deadline to pass with a kernel call: 0 for a nested scheduler. */
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
