// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/time.h>

#include <export/pong.h>
#include <import/next.h>
#include <import/order.h>
#include <import/sched.h>

#include "../order.h"

long pong_serve_call0(word badge)
{
	(void)badge;
	return LIMPET_OK;
}

static void act(word what, word link, word until)
{
	switch (what) {
	case DO_STOP:
		order_call4(link, 0, 0, 0, &(word){ 0 }, &(word){ 0 }, &(word){ 0 });
		break;
	case DO_SPIN:
		while (limpet_time() < until)
			;
		break;
	case DO_SLEEP:
		sched_sleep_until(until);
	}
}

/*
 * Arguments: a is the number of links after this one, b the last one's action, c the link to stop, d the action's end.
 * Results: the error that a lower link returned, the number of links that returned, and c again.
 */
long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	word x = NOBODY_STOPPED, y = 0, z = c;

	(void)badge;
	if (!a) {
		act(b, c, d);
	} else {
		long status = next_call4(a - 1, b, c, d, &x, &y, &z);

		if (status < 0)
			x = (word)-status, y = 0, z = c;
	}
	out->x = x;
	out->y = y + 1;
	out->z = z;
	return LIMPET_OK;
}
