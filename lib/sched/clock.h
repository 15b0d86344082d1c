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

/*
 * Sets the clock to `deadline`, and stores it in *programmed. Returns the deadline to pass with a kernel call: 0 for a
 * nested scheduler. The deadline is stored first, because the clock's event can come before this returns, and clears
 * it. If the parent refuses, the clock is not set.
 */
static inline uint64_t clock_set(uint64_t *programmed, uint64_t deadline)
{
	*programmed = deadline;
	if (unlikely(parent_alarm(deadline) < 0))
		*programmed = LIMPET_NEVER;
	return 0;
}

#else

#define CLOCK_NESTED 0
#define CLOCK_EVENT LIMPET_EVENT_TIMER

static inline uint64_t clock_set(uint64_t *programmed, uint64_t deadline)
{
	*programmed = deadline;
	return deadline;
}

#endif

#endif
