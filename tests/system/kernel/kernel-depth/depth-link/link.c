// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <export/pong.h>
#include <import/next.h>

static long inside; /* calls that have not returned yet */

/* Ends the chain at the last requested or reachable link. `error` is the reason. */
static void turn(word value, long error, struct pong_call4_results *out)
{
	limpet_call_nop();
	out->x = value;
	out->y = 1;
	out->z = (word)-error;
}

/*
 * Arguments: a is the number of links after this one. b is the value, which each link changes on both ways. c is the
 * caller's mark, which stays in this link's stack during the call. Results: the value, the number of links, and the
 * error that ended the chain early, or 0.
 */
long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	volatile word kept[4] = { a, b, c, d };
	word x, y, z;
	long status;

	inside++;
	b = b * 3 + badge;
	if (!a) {
		turn(b, 0, out);
	} else {
		status = next_call4(a - 1, b, c, d, &x, &y, &z);
		if (status < 0) {
			turn(b, status, out);
		} else {
			out->x = x * 5 + badge;
			out->y = y + 1;
			out->z = z;
		}
	}
	inside--;
	if (kept[0] != a || kept[2] != c || kept[3] != d || b != kept[1] * 3 + badge || inside)
		return LIMPET_ESTATE;
	return (long)(c & 0xffff);
}

long pong_serve_call0(word badge)
{
	return (long)badge;
}
