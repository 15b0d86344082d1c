/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gravity: an idle CPU takes a while from its timer to the thread that the scheduler dispatches then. The
 * timer is programmed early by what this took recently; the kernel waits out what is left of it. See
 * docs/decisions/0002-gravity.md.
 */
#ifndef HOST_GRAVITY_H
#define HOST_GRAVITY_H

#include <hal/types.h>

#define GRAVITY_WAKES 256 /* length of a window */
#define GRAVITY_RANKS 3

struct gravity {
	u64 value;		     /* ticks to be early; at first 0 */
	u64 greatest[GRAVITY_RANKS]; /* latencies of this window, the greatest first */
	u32 wakes;
};

/*
 * The thread was ready to go on `latency` ticks after the time for which the timer had been programmed.
 * The value is the greatest latency of the last window, after the `spare` greatest ones (0 to GRAVITY_RANKS - 1) are
 * left out. Such wake-ups may be late, because they are rare and waiting for them every time would cost the host more.
 * The value rises immediately and falls at the end of a window. `most` bounds it, and with it the busy wait. Constant
 * time.
 */
static inline void gravity_learn(struct gravity *g, u64 latency, unsigned int spare, u64 most)
{
	u64 value;

	for (unsigned int i = 0; i < GRAVITY_RANKS; i++)
		if (latency > g->greatest[i]) {
			u64 smaller = g->greatest[i];

			g->greatest[i] = latency;
			latency = smaller;
		}
	value = g->greatest[spare] < most ? g->greatest[spare] : most;
	if (value > g->value)
		g->value = value;
	if (++g->wakes < GRAVITY_WAKES)
		return;
	*g = (struct gravity){ .value = value };
}

#endif
