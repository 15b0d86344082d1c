// SPDX-License-Identifier: GPL-2.0
/*
 * An executive that always crashes in the events that frail.h lists, also after a restart. It
 * answers its other calls and passes all other events.
 */
#include <executive/executive.h>
#include <executive/linux.h>
#include <executive/start.h>
#include <guest/numbers.h>
#include <runtime/component.h>

#include "../frail.h"

#define WANTS(kind) LIMPET_GUEST_WANTS(LIMPET_GUEST_##kind)

static word nowhere = 0x10; /* an unmapped address that the compiler must not know */

static bool crashes(unsigned int kind, word w0, word w3)
{
	switch (kind) {
	case LIMPET_GUEST_CALL:
		return w0 == FRAIL_CALL;
	case LIMPET_GUEST_BEGIN:
		return w3 == LIMPET_GUEST_BY_THREAD;
	case LIMPET_GUEST_EXEC:
		return w3 == LIMPET_GUEST_BY_FORK;
	case LIMPET_GUEST_SIGNAL:
		return LIMPET_GUEST_SIGNAL_NUMBER(w0) == FRAIL_SIGNAL;
	case LIMPET_GUEST_BREAK:
		return !w0; /* the guest did not sleep, so it has requested the event */
	default:
		return true;
	}
}

static struct executive_answer call_answer(unsigned int id, word number, word w1)
{
	switch (number) {
	case FRAIL_SERVED:
		return executive_served(FRAIL_VALUE);
	case FRAIL_MAP:
		return executive_served(executive_map(w1, LIMPET_PAGE, 1));
	case FRAIL_FAULTS:
		return executive_served(executive_faults(w1));
	case FRAIL_BREAK:
		return executive_served(executive_break(id, 0, 0));
	case GUEST_CALL_getpgid:
		return executive_passed_result();
	default:
		return executive_passed();
	}
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	const unsigned int kind = LIMPET_GUEST_KIND(event);

	(void)w2, (void)w4, (void)w5;
	if (crashes(kind, w0, w3))
		return executive_served(
			*(volatile long *)__atomic_load_n(&nowhere, __ATOMIC_RELAXED));
	return kind == LIMPET_GUEST_CALL ? call_answer(LIMPET_GUEST_ID(event), w0, w1)
					 : executive_passed();
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	executive_start(WANTS(RESULT) | WANTS(FAULT) | WANTS(BEGIN) | WANTS(EXEC) | WANTS(BREAK) |
			WANTS(SIGNAL) | WANTS(EXCEPTION));
}
