// SPDX-License-Identifier: BSD-2-Clause
/* Serves the calls for reserved and used time, and for the alarm of nested schedulers. */
#include <export/sched.h>

#include <sched/alarm.h>
#include <sched/budget.h>
#include <sched/setup.h>
#include <sched/thread.h>

long sched_serve_reserve(word badge, word thread, word budget, word period)
{
	unsigned int id, of;
	long status = LIMPET_ENOENT;

	if (!POLICY_RESERVES)
		return LIMPET_ESTATE;
	if (budget && (budget < BUDGET_MIN || period < budget || period > PERIOD_MAX))
		return LIMPET_ERANGE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	of = thread_named(&sched, badge, thread, id);
	if (of)
		status = sched.thread[of].given ? LIMPET_EQUOTA
						: budget_set(&sched, of, budget, period);
	urgency_set(&sched, sched.urgent && !budget);
	sched.recheck = true;
	run_next(&sched, id);
	return status;
}

long sched_serve_reserve_deadline(word badge, word thread, word budget, word period)
{
	return POLICY_JOBS ? sched_serve_reserve(badge, thread, budget, period) : LIMPET_ESTATE;
}

long sched_serve_slice(word badge, word thread, word ticks)
{
	unsigned int id, of;

	if (ticks && (ticks < SLICE_MIN || ticks > UINT32_MAX))
		return LIMPET_ERANGE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	of = thread_named(&sched, badge, thread, id);
	if (of)
		slice_set(&sched, of, (uint32_t)ticks);
	sched.recheck = true;
	run_next(&sched, id);
	return of ? LIMPET_OK : LIMPET_ENOENT;
}

long sched_serve_account(word badge, word thread, struct sched_account_results *out)
{
	unsigned int id = enter(&sched), of = thread_named(&sched, badge, thread, id);
	struct limpet_out info;

	if (!id)
		return LIMPET_ESTATE;
	if (of) {
		limpet_call_thread_info(LIMPET_SLOT_THREADS + of, &info);
		out->ticks = info.w0;
		out->misses = sched.thread[of].misses;
		out->overruns = sched.thread[of].overruns;
	}
	leave(&sched, id);
	return of ? LIMPET_OK : LIMPET_ENOENT;
}

/*
 * Returns whether a thread without a budget has not run since `charged` was set. Either it was counted, or it is a
 * spare thread that has not run yet, or not since it was restarted.
 */
static bool unchanged(const struct thread *thread)
{
	return thread->in_dispatch ? thread->in_dispatch == IN_DISPATCH_COUNTED
				   : thread->state == STATE_SPARE;
}

/*
 * Returns the run time of a thread, in ticks. Keeps it while the thread is suspended here, so that the kernel counts
 * only threads that have run in the meantime.
 */
static uint64_t ticks_counted(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	if (!thread->budget && unchanged(thread))
		return thread->charged;
	if (thread->budget || !thread->in_dispatch)
		return ticks_run(sched, id);
	thread->charged = ticks_run(sched, id);
	thread->in_dispatch = IN_DISPATCH_COUNTED;
	return thread->charged;
}

long sched_serve_account_sum(word badge, word threads, word first,
			     struct sched_account_sum_results *out)
{
	unsigned int id = enter(&sched), of;

	if (!id)
		return LIMPET_ESTATE;
	out->ticks = 0;
	for (word left = threads; left; left &= left - 1) {
		const word thread = first + (word)__builtin_ctzl(left);

		of = thread ? thread_named(&sched, badge, thread, NONE) : NONE;
		if (of)
			out->ticks += ticks_counted(&sched, of);
	}
	leave(&sched, id);
	return LIMPET_OK;
}

/* Does not enter the scheduler, because the result is constant. */
long sched_serve_cpu(word badge, word thread)
{
	unsigned int caller = thread_proxy(&sched, limpet_thread_id());

	return thread_named(&sched, badge, thread, caller) ? (long)limpet_info()->cpu
							   : LIMPET_ENOENT;
}

long sched_serve_set_cpu(word badge, word thread, word cpu)
{
	long status = sched_serve_cpu(badge, thread);

	if (status < 0)
		return status;
	return (word)status == cpu ? LIMPET_OK : LIMPET_ECPU;
}

/* Sets the clock to an earlier time than in the last dispatch. For that the caller dispatches itself. */
static void clock_hasten(struct sched *sched, uint64_t deadline)
{
	deadline = clock_set(&sched->programmed, deadline);
	if (deadline)
		limpet_call_thread_dispatch(LIMPET_SLOT_THREADS + limpet_thread_id(), deadline);
}

/* Sets the alarm of a part to a time stamp; LIMPET_NEVER: to none. */
static void alarm_set(struct sched *sched, unsigned int id, uint64_t deadline)
{
	timers_remove(&sched->timers, TIMER_ALARM(id));
	if (deadline != LIMPET_NEVER)
		timer_set(sched, TIMER_ALARM(id), deadline);
	if (deadline < sched->programmed)
		clock_hasten(sched, deadline);
}

void alarm_hasten(struct sched *sched, unsigned int id, uint64_t deadline)
{
	if (!timers_pending(&sched->timers, TIMER_ALARM(id)) ||
	    sched->thread[id].alarm.key > deadline)
		alarm_set(sched, id, deadline);
}

long sched_serve_alarm(word badge, word deadline)
{
	unsigned int id = enter(&sched);

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	if (!sched.thread[id].part) {
		leave(&sched, id);
		return LIMPET_ESTATE;
	}
	alarm_set(&sched, id, deadline);
	run_next(&sched, id);
	return LIMPET_OK;
}
