// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lets programs create address spaces and switch between them, by the call of spaces.h. Use it for parts of a program
 * that must not see or change each other's memory, or to return a program to an earlier state. Linux carries out all
 * other calls.
 *
 * `threads` in the system file must be at least 1 + the number of spaces of all programs together.
 */
#include "spaces.h"

#include <executive/space.h>
#include <executive/start.h>
#include <runtime/component.h>

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	(void)w5;
	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	switch (kind) {
	case LIMPET_GUEST_CALL:
		if (w0 == SPACES_CALL)
			return space_call(id, w1, w2, w3, w4);
		break;
	case LIMPET_GUEST_RESULT:
		return space_result(id, w1, w2);
	case LIMPET_GUEST_BEGIN:
		space_begin(id, w2);
		break;
	case LIMPET_GUEST_END:
		space_end(id, w2);
	}
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	space_init(SPACES_CALL, (unsigned int)limpet_arg_within(info, "spaces", 7, 2, SPACES_MAX));
	executive_start(LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT) |
			LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) |
			LIMPET_GUEST_WANTS(LIMPET_GUEST_END));
}
