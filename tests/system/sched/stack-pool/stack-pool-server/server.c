// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/time.h>

#include <export/pong.h>
#include <import/sched.h>

#define WORDS 64

/* Volatile, because other threads change them during a call. */
static volatile unsigned int inside, max, entered;

/* Sleeps with a pattern on the stack. Returns whether the pattern and the thread are the same afterwards. */
static bool pattern_stays(word sleep)
{
	const unsigned int id = limpet_thread_id();
	volatile word pattern[WORDS];

	for (unsigned int i = 0; i < WORDS; i++)
		pattern[i] = id * WORDS + i;
	sched_sleep_until(limpet_time() + sleep);
	for (unsigned int i = 0; i < WORDS; i++)
		if (pattern[i] != id * WORDS + i)
			return false;
	return limpet_thread_id() == id;
}

/*
 * Sleeps for `b` ticks, then crashes if `a` is not 0. Results: x is the id of the calling thread, y the maximum number
 * of threads inside, z the number of earlier entries. ESTATE: the stack or the thread's id changed.
 */
long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	bool stays;

	(void)badge, (void)c, (void)d;
	out->z = entered++;
	if (++inside > max)
		max = inside;
	stays = pattern_stays(b);
	if (a)
		*(volatile word *)0 = a;
	inside--;
	out->x = limpet_thread_id();
	out->y = max;
	return stays ? LIMPET_OK : LIMPET_ESTATE;
}
