// SPDX-License-Identifier: BSD-2-Clause
#include "clock.h"

#include <executive/sleep.h>
#include <executive/start.h>
#include <runtime/component.h>
#include <runtime/time.h>

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	(void)w5;
	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	if (likely(kind == LIMPET_GUEST_CALL))
		return clock_answer(id, w0, (const word[]){ w1, w2, w3, w4 });
	if (kind == LIMPET_GUEST_BEGIN)
		clock_begin(id, w2);
	if (kind == LIMPET_GUEST_EXEC)
		vdso_hide();
	sleep_event(kind, id, w0);
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	clock_init((word)limpet_arg_within(info, "rate", SLEEP_RATE, 1, 100000),
		   (word)limpet_arg_within(info, "step-ns", 0, 0, BILLION),
		   (word)limpet_arg_within(info, "start-s", BILLION, 0, 4000000000));
	clock_early(limpet_us_to_ticks((uint64_t)limpet_arg_within(info, "early-us", 20, 0, 1000)));
	executive_start(SLEEP_KINDS);
}
