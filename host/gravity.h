/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gravity: the wake-up latency of an idle CPU, from its timer until the scheduler dispatches a thread. The timer is
 * programmed early by the recent latency, and the kernel waits for the rest of the time. See
 * docs/decisions/0002-gravity.md.
 */
#ifndef HOST_GRAVITY_H
#define HOST_GRAVITY_H

#include <hal/types.h>

#define GRAVITY_WAKES 256 /* wake-ups in a window */
#define GRAVITY_RANKS 2

struct gravity {
	u64 value;		/* ticks by which the timer is early; initially 0 */
	u64 max[GRAVITY_RANKS]; /* maximum latencies of this window, descending */
	u32 wakes;
};

/*
 * Records a wake-up: the thread was ready `latency` ticks after the time for which the timer had been programmed. The
 * value becomes the maximum latency of the window without the `spare` longest ones (0 to GRAVITY_RANKS - 1). These
 * wake-ups may be late, because they are rare and waiting for them every time would cost the host more. The value rises
 * immediately and falls at the end of a window. It never exceeds `max` ticks, which limits the busy wait, too.
 * Constant time.
 */
static inline void gravity_learn(struct gravity *gravity, u64 latency, unsigned int spare, u64 max)
{
	u64 value;

	for (unsigned int i = 0; i < GRAVITY_RANKS; i++)
		if (latency > gravity->max[i]) {
			u64 smaller = gravity->max[i];

			gravity->max[i] = latency;
			latency = smaller;
		}
	value = gravity->max[spare] < max ? gravity->max[spare] : max;
	if (value > gravity->value)
		gravity->value = value;
	if (++gravity->wakes < GRAVITY_WAKES)
		return;
	*gravity = (struct gravity){ .value = value };
}

#endif
