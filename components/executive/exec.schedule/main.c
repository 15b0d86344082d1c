// SPDX-License-Identifier: BSD-2-Clause
#include "schedule.h"

#include <executive/start.h>
#include <guest/numbers.h>
#include <runtime/component.h>
#include <runtime/time.h>

static struct executive_answer call_answer(unsigned int id, word number, const word argument[4])
{
	struct sleep sleep;
	long error;

	switch (number) {
	case GUEST_CALL_sched_yield:
		schedule_yield(id);
		return executive_served(0);
	case GUEST_CALL_execve:
		program_called(id, argument[0]);
		break;
	case GUEST_CALL_execveat:
		program_called(id, argument[1]);
		break;
	case GUEST_CALL_rt_sigreturn:
		sleep_returned(id);
		break;
	default:
		if (sleep_of_call(&sleep, id, number, argument, &error))
			return error ? executive_served(error) : turn_sleep(&sleep);
	}
	return executive_passed();
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	(void)w5;
	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	if (kind == LIMPET_GUEST_CALL)
		return call_answer(id, w0, (const word[]){ w1, w2, w3, w4 });
	sleep_event(kind, id, w0);
	turn_life(kind, id, w2);
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	schedule_init(limpet_us_to_ticks(
		(uint64_t)limpet_arg_within(info, "quantum-us", 1000, 100, 100000)));
	if (!schedule_rules_load(info))
		return;
	executive_start(SLEEP_KINDS | LIMPET_GUEST_WANTS(LIMPET_GUEST_END) |
			LIMPET_GUEST_WANTS(LIMPET_GUEST_BREAK));
}
