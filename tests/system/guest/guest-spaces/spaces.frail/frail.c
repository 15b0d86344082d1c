// SPDX-License-Identifier: GPL-2.0
/* An exec.spaces with an additional call. */
#define executive_event spaces_event
#include "../../../../../components/executive/exec.spaces/spaces.c"
#undef executive_event

#define CRASH_CALL 501

static word nowhere = 0x10; /* an unmapped address that the compiler must not know */

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	if (LIMPET_GUEST_KIND(event) == LIMPET_GUEST_CALL && w0 == CRASH_CALL)
		return executive_served(
			*(volatile long *)__atomic_load_n(&nowhere, __ATOMIC_RELAXED));
	return spaces_event(event, w0, w1, w2, w3, w4, w5);
}
