// SPDX-License-Identifier: BSD-2-Clause
/*
 * Serves the sleeping calls of sleep_of_call(). The guest waits in the executive until shortly before the deadline, and
 * executes for the rest of the time. So the sleep ends within microseconds of the deadline. Linux carries out
 * everything else. The filter must have nanosleep, clock_nanosleep and rt_sigreturn. Without rt_sigreturn a sleep
 * starts again after a signal handler (see <executive/sleep.h>).
 *
 * A guest that sleeps occupies a handler thread. `threads` in the system file must be greater than the number of guests
 * that sleep at the same time. Calls of other guests wait when no handler thread is free.
 */
#include <executive/sleep.h>
#include <executive/start.h>
#include <guest/numbers.h>
#include <runtime/component.h>
#include <runtime/time.h>

static word early;

static struct executive_answer call_answer(unsigned int id, word number, const word argument[4])
{
	struct sleep sleep;
	long error;

	if (sleep_of_call(&sleep, id, number, argument, &error)) {
		sleep.early = early;
		return error ? executive_served(error) : sleep_answer(&sleep);
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
		return call_answer(id, w0, (const word[]){ w1, w2, w3, w4 });
	sleep_event(kind, id, w0);
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	early = limpet_us_to_ticks((uint64_t)limpet_arg_within(info, "early-us", 20, 0, 1000));
	executive_start(SLEEP_KINDS);
}
