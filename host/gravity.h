/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gravity: an idle CPU takes a while from its timer to the kernel. The timer is programmed early by the
 * time that this took of late, and the kernel waits out what is left. Beside it is the least time: the
 * latency that every wake-up has is taken out, and Linux's own jitter stays. Beneath it is the greatest,
 * for nothing but the layer's own work lies between. See docs/decisions/0002-gravity.md.
 */
#ifndef HOST_GRAVITY_H
#define HOST_GRAVITY_H

#include <hal/types.h>

#define GRAVITY_WAKES 64 /* after so many the value is set anew */

struct gravity {
	u64 value; /* ticks to be early; at first 0 */
	u64 least; /* latency since `wakes` was 0 */
	u32 wakes;
};

/*
 * The kernel was reached `latency` ticks after the time for which the timer had been programmed. `most`
 * bounds the value, and so the busy wait. The least is that of the last GRAVITY_WAKES; the greatest
 * counts at once, and is forgotten slowly.
 */
static inline void gravity_learn(struct gravity *g, u64 latency, bool greatest, u64 most)
{
	if (greatest && latency > g->value)
		g->value = latency < most ? latency : most;
	if (!g->wakes || latency < g->least)
		g->least = latency;
	if (++g->wakes < GRAVITY_WAKES)
		return;
	g->wakes = 0;
	if (!greatest)
		g->value = g->least < most ? g->least : most;
	else if (g->value > g->least)
		g->value -= (g->value - g->least) / 64;
}

#endif
