/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gravity: an idle CPU takes a while from its timer to the kernel. The timer is programmed early by the
 * least time that this took of late, and the kernel waits out what is left. The latency that every
 * wake-up has is so taken out; see docs/decisions/0002-gravity.md.
 */
#ifndef HOST_GRAVITY_H
#define HOST_GRAVITY_H

#include <kernel/types.h>

#define GRAVITY_WAKES 64 /* after so many the value is set anew */

struct gravity {
	u64 value; /* ticks to be early; at first 0 */
	u64 least; /* latency since `wakes` was 0 */
	u32 wakes;
};

/* The kernel was reached `latency` ticks after the time for which the timer had been programmed.
 * `most` bounds the value, and so the busy wait. */
static inline void gravity_learn(struct gravity *g, u64 latency, u64 most)
{
	if (!g->wakes || latency < g->least)
		g->least = latency;
	if (++g->wakes < GRAVITY_WAKES)
		return;
	g->value = g->least < most ? g->least : most;
	g->wakes = 0;
}

#endif
