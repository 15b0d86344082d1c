// SPDX-License-Identifier: BSD-2-Clause
/*
 * The component's own thread waits for channels in the kernel, which has no time limits. A spare thread therefore waits
 * for the deadline in the scheduler, and then sends an event. It keeps sleeping if a new deadline is later than its
 * next check.
 */
#include <channel/channel.h>
#include <runtime/time.h>

#include <import/sched.h>

#define AGAIN_US 10000 /* between two checks for a free spare thread */

static uint64_t due = LIMPET_NEVER;   /* deadline of the own thread */
static uint64_t looks = LIMPET_NEVER; /* time of the watching thread's next check */
static word watcher;		      /* id of the watching thread; 0: not created yet */

/*
 * Sends the event if the deadline has passed. Returns the time of the next check; a time in the
 * past means immediately.
 */
static uint64_t watch_once(void)
{
	uint64_t at = __atomic_load_n(&due, __ATOMIC_SEQ_CST);

	if (limpet_time() >= at && __atomic_compare_exchange_n(&due, &at, LIMPET_NEVER, false,
							       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, CHANNEL_TIME);
	at = __atomic_load_n(&due, __ATOMIC_SEQ_CST);
	__atomic_store_n(&looks, at, __ATOMIC_SEQ_CST);
	/*
	 * A thread that has set an earlier deadline meanwhile has read the earlier value of
	 * `looks`.
	 */
	return __atomic_load_n(&due, __ATOMIC_SEQ_CST) < at ? 0 : at;
}

/* Runs in the spare thread. Returns only when the scheduler stops. */
static word watch(word nothing)
{
	long status;

	do
		status = sched_block_until(watch_once());
	while (status != LIMPET_ESTATE && status != LIMPET_ECRASH);
	return nothing;
}

static bool has_spare(const struct limpet_info *info)
{
	for (unsigned int id = 1; id <= info->threads; id++)
		if (info->thread_of[id].component == info->index &&
		    info->thread_of[id].flags & LIMPET_THREAD_SPARE)
			return true;
	return false;
}

static long watch_begin(uint64_t deadline)
{
	long id;

	if (watcher)
		return LIMPET_OK;
	if (!has_spare(limpet_info()))
		return LIMPET_EQUOTA;
	while ((id = sched_create((word)watch, 0, 0)) == LIMPET_EQUOTA && limpet_time() < deadline)
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(AGAIN_US));
	if (id < 0)
		return id;
	watcher = (word)id;
	return LIMPET_OK;
}

/* Makes the event CHANNEL_TIME arrive at the deadline. Returns 0 or an error of channel_wait_until(). */
static long due_set(uint64_t deadline)
{
	long status = watch_begin(deadline);

	if (status)
		return status;
	__atomic_store_n(&due, deadline, __ATOMIC_SEQ_CST);
	if (deadline >= __atomic_load_n(&looks, __ATOMIC_SEQ_CST))
		return LIMPET_OK;
	return sched_wake(watcher);
}

long channel_wait_until(word bits, word *came, uint64_t deadline)
{
	long status = LIMPET_OK;

	*came = 0;
	if (deadline != LIMPET_NEVER && limpet_time() < deadline)
		status = due_set(deadline);
	if (status < 0)
		return status;
	*came = channel_wait_once(bits, deadline);
	__atomic_store_n(&due, LIMPET_NEVER, __ATOMIC_SEQ_CST);
	if (*came)
		return LIMPET_OK;
	return limpet_time() >= deadline ? LIMPET_ETIME : LIMPET_ESTATE;
}
