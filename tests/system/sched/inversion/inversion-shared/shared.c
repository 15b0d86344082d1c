// SPDX-License-Identifier: BSD-2-Clause
#include <sync/mutex.h>

#include <export/pong.h>

static struct mutex mutex;
static volatile bool inside, released;

static void keep(word turns)
{
	released = false;
	inside = true;
	while (!released)
		;
	for (volatile word turn = 0; turn < turns; turn++)
		;
	inside = false;
}

/* Locks and unlocks the mutex. With `a` it waits between for the release, and then computes `a` turns of a loop. */
long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	long status = mutex_lock(&mutex, LIMPET_NEVER);

	(void)badge, (void)b, (void)c, (void)d, (void)out;
	if (status)
		return status;
	if (a)
		keep(a);
	return mutex_unlock(&mutex);
}

/* Releases the thread that holds the mutex. */
long pong_serve_call0(word badge)
{
	(void)badge;
	released = true;
	return LIMPET_OK;
}

/* Returns whether a thread holds the mutex. */
long pong_serve_stamp(word badge, struct pong_stamp_results *out)
{
	(void)badge;
	out->time = inside;
	return LIMPET_OK;
}
