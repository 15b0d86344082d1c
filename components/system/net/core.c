// SPDX-License-Identifier: BSD-2-Clause
/* One lock around lwIP, its timers, and the threads that wait. */
#include <lwip/init.h>
#include <lwip/netif.h>
#include <lwip/sys.h>
#include <lwip/timeouts.h>

#include <runtime/time.h>
#include <sync/lock.h>

#include <import/sched.h>

#include "net.h"

#define SPARE_MS 10u	 /* time between two checks for a free spare thread */
#define SPARE_LOOKS 1000 /* maximum number of checks */

struct lock core_lock;
static struct event *woken; /* is signalled before the lock is released */
static uint64_t timer_at;   /* time of the next check of the timers' thread */
static long timer_thread;   /* 0: not started */
static uint64_t ms;

u32_t sys_now(void)
{
	return (u32_t)(limpet_time() / ms);
}

/* Returns when lwIP's next timer expires. */
static uint64_t timer_next(void)
{
	u32_t left = sys_timeouts_sleeptime();

	return left == SYS_TIMEOUTS_SLEEPTIME_INFINITE ? LIMPET_NEVER : limpet_time() + left * ms;
}

void core_enter(void)
{
	lock_take(&core_lock);
}

/* Resumes the threads that wait for an event that was recorded. */
static void events_wake(void)
{
	for (struct event *event = woken; event; event = event->next) {
		event->woken = false;
		sched_resume_all((word)event);
	}
	woken = NULL;
}

/* Wakes the timers' thread if one of lwIP's timers now expires before its next check. */
static void timers_wake(void)
{
	const uint64_t next = timer_next();

	if (next >= timer_at || timer_thread <= 0)
		return;
	timer_at = next;
	sched_wake((word)timer_thread);
}

/*
 * Releases the lock. Before that, delivers the packets to this host's own addresses, which lwIP has queued, and resumes
 * threads. Without the lock, the caller could be preempted for any time before it resumes a thread of higher priority.
 * With it, threads that need the lock lend it their priority.
 */
long core_leave(long status)
{
	netif_poll_all();
	events_wake();
	timers_wake();
	lock_drop(&core_lock);
	return status;
}

void core_wake(struct event *event)
{
	if (!event->waiters || event->woken)
		return;
	event->woken = true;
	event->next = woken;
	woken = event;
}

long core_wait(struct event *event, uint64_t deadline)
{
	const uint64_t since = limpet_time();
	long status;

	if (since >= deadline)
		return LIMPET_ETIME;
	event->waiters++;
	core_leave(LIMPET_OK);
	status = sched_suspend_on((word)event, since, 0, deadline);
	core_enter();
	event->waiters--;
	return status < 0 ? status : LIMPET_OK;
}

uint64_t core_timers(void)
{
	uint64_t next;

	core_enter();
	sys_check_timeouts();
	next = timer_next();
	timer_at = next;
	core_leave(LIMPET_OK);
	return next;
}

/* Returns only when its scheduler stops. */
static word timers_serve(word nothing)
{
	long status;

	do
		status = sched_block_until(core_timers());
	while (status != LIMPET_ESTATE && status != LIMPET_ECRASH);
	return nothing;
}

void core_setup(const struct limpet_info *info)
{
	ms = info->ticks_per_ms;
	lwip_init();
}

/*
 * Creates the timers' thread. After a restart the spare thread can still belong to the earlier life
 * for a while, so this waits for it.
 */
long core_begin(void)
{
	unsigned int looks = SPARE_LOOKS;
	long id;

	timer_at = 0;
	while ((id = sched_create((word)timers_serve, 0, 0)) == LIMPET_EQUOTA && --looks)
		sched_block_until(limpet_time() + SPARE_MS * ms);
	if (id < 0)
		return id;
	timer_thread = id;
	return LIMPET_OK;
}
