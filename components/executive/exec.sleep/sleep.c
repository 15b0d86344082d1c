// SPDX-License-Identifier: BSD-2-Clause
/*
 * Serves nanosleep(), and clock_nanosleep() with a relative time of CLOCK_REALTIME or CLOCK_MONOTONIC. The guest waits
 * in the executive until shortly before the deadline, and executes for the rest, so it ends within microseconds of it.
 *
 * Linux carries out everything else: sleeps until an absolute time, because their deadline is one of Linux's clock, and
 * sleeps of other clocks. A filter for it has nanosleep, clock_nanosleep and rt_sigreturn. Without rt_sigreturn a
 * signal handler does not end a sleep; <executive/sleep.h> says more.
 *
 * A guest that sleeps occupies a handler thread. `threads` in the system file must be more than the guests that sleep at
 * a time, because calls of others wait when no handler thread is free.
 */
#include <executive/linux.h>
#include <executive/sleep.h>
#include <executive/start.h>
#include <guest/numbers.h>
#include <runtime/component.h>
#include <runtime/time.h>

#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1u

static word early;

static struct executive_answer sleep_relative(struct sleep *sleep, word request)
{
	struct sleep_time time;
	long error = sleep_read(&time, request);

	if (error)
		return executive_served(error);
	sleep->ticks = sleep_ticks(sleep_nanoseconds(&time));
	sleep->early = early;
	sleep->rate = SLEEP_RATE;
	return sleep_answer(sleep);
}

/* Linux reads the number of the clock and the flags as 32-bit numbers, and ignores other flags. */
static bool clock_is_served(word clock, word flags)
{
	return ((uint32_t)clock == CLOCK_REALTIME || (uint32_t)clock == CLOCK_MONOTONIC) &&
	       !(flags & TIMER_ABSTIME);
}

static struct executive_answer call_answer(unsigned int id, word number, word w1, word w2, word w3,
					   word w4)
{
	struct sleep sleep = {
		.id = id, .number = number, .argument = { w1, w2, w3, w4 }, .begun = limpet_time()
	};

	if (number == GUEST_CALL_nanosleep) {
		sleep.remaining = w2;
		return sleep_relative(&sleep, w1);
	}
	if (number == GUEST_CALL_clock_nanosleep && clock_is_served(w1, w2)) {
		sleep.remaining = w4;
		return sleep_relative(&sleep, w3);
	}
	if (number == GUEST_CALL_rt_sigreturn)
		sleep_returned(id);
	return executive_passed();
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	(void)w5;
	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	if (likely(kind == LIMPET_GUEST_CALL))
		return call_answer(id, w0, w1, w2, w3, w4);
	if (kind == LIMPET_GUEST_BEGIN || kind == LIMPET_GUEST_EXEC)
		sleep_forget(id);
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	early = limpet_us_to_ticks((uint64_t)limpet_arg_within(info, "early-us", 20, 0, 1000));
	executive_start(LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) |
			LIMPET_GUEST_WANTS(LIMPET_GUEST_EXEC));
}
