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

struct gravity {
	u64 value; /* ticks by which the timer is early; initially 0 */
	u64 max;   /* maximum latency of this window */
	u32 wakes;
};

/*
 * Records a wake-up: the thread was ready `latency` ticks after the time for which the timer had been programmed. The
 * value becomes the maximum latency of the window. It rises immediately and falls at the end of a window. It never
 * exceeds `limit` ticks, which limits the busy wait, too. Constant time.
 */
static inline void gravity_learn(struct gravity *gravity, u64 latency, u64 limit)
{
	latency = latency < limit ? latency : limit;
	if (latency > gravity->max)
		gravity->max = latency;
	if (latency > gravity->value)
		gravity->value = latency;
	if (++gravity->wakes < GRAVITY_WAKES)
		return;
	*gravity = (struct gravity){ .value = gravity->max };
}

#endif
