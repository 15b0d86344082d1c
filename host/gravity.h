/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gravity: an idle CPU takes a while from its timer to the kernel. The timer is programmed early by the
 * greatest time that this took recently. The scheduler decides in what is left of it, and the kernel waits
 * out the rest. See docs/decisions/0002-gravity.md.
 */
#ifndef HOST_GRAVITY_H
#define HOST_GRAVITY_H

#include <kernel/types.h>

#define GRAVITY_WAKES 64 /* after so many a greatest value is forgotten a little */

struct gravity {
	u64 value; /* ticks to be early; at first 0 */
	u64 least; /* latency since `wakes` was 0 */
	u32 wakes;
};

/*
 * The kernel was reached `latency` ticks after the time for which the timer had been programmed. `most`
 * bounds the value, and so the busy wait. A greater latency counts at once. Each GRAVITY_WAKES the value
 * falls by a part of its distance to the least latency since then.
 */
static inline void gravity_learn(struct gravity *g, u64 latency, u64 most)
{
	if (latency > g->value)
		g->value = latency < most ? latency : most;
	if (!g->wakes || latency < g->least)
		g->least = latency;
	if (++g->wakes < GRAVITY_WAKES)
		return;
	g->wakes = 0;
	if (g->value > g->least)
		g->value -= (g->value - g->least) / 64;
}

#endif
