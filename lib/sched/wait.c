// SPDX-License-Identifier: BSD-2-Clause
/* Serves the calls that wait for another thread, for a time, or for the next period. */
#include <export/sched.h>

#include <sched/enter.h>
#include <sched/lend.h>

/* Waits for a wake-up of the kind `state`. Returns immediately if such a wake-up arrived before. */
static long block(enum thread_state state, uint64_t deadline)
{
	unsigned int id = enter(&sched);
	struct thread *thread = &sched.thread[id];

	if (!id)
		return LIMPET_ESTATE;
	if (thread->tokens & 1u << state) {
		thread->tokens &= ~(1u << state);
		leave(&sched, id);
		return LIMPET_OK;
	}
	wait_prepare(&sched, id, state, deadline);
	wait_finish(&sched, id);
	return wait_expired(&sched, id) ? LIMPET_ETIME : LIMPET_OK;
}

/* Wakes a thread, or stores a wake-up of that kind if the thread does not wait for it. */
static long wake(word thread, enum thread_state state)
{
	unsigned int id, to = thread_proxy(&sched, thread);
	struct thread *waiter = &sched.thread[to];

	if (!to)
		return LIMPET_ENOENT;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	if (waiter->state != state) {
		waiter->tokens |= 1u << state;
		if (state == STATE_SUSPENDED)
			release_leave(&sched, id);
		else
			leave(&sched, id);
		return LIMPET_OK;
	}
	wait_end(&sched, to);
	run_next(&sched, id);
	return LIMPET_OK;
}

long sched_serve_block(word badge)
{
	(void)badge;
	return block(STATE_BLOCKED, LIMPET_NEVER);
}

long sched_serve_block_until(word badge, word deadline)
{
	(void)badge;
	return block(STATE_BLOCKED, deadline);
}

long sched_serve_wake(word badge, word thread)
{
	(void)badge;
	return wake(thread, STATE_BLOCKED);
}

long sched_serve_suspend(word badge)
{
	(void)badge;
	return block(STATE_SUSPENDED, LIMPET_NEVER);
}

long sched_serve_resume(word badge, word thread)
{
	(void)badge;
	return wake(thread, STATE_SUSPENDED);
}

long sched_serve_yield(word badge)
{
	unsigned int id = enter(&sched);

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	policy_remove(&sched, id);
	policy_insert(&sched, id);
	run_next(&sched, id);
	return LIMPET_OK;
}

long sched_serve_sleep_until(word badge, word deadline)
{
	unsigned int id;

	(void)badge;
	if (deadline == LIMPET_NEVER)
		return LIMPET_ERANGE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	wait_prepare(&sched, id, STATE_SLEEPING, deadline);
	wait_finish(&sched, id);
	return LIMPET_OK;
}

long sched_serve_deadline_wait(word badge, struct sched_deadline_wait_results *out)
{
	unsigned int id;

	(void)badge;
	if (!POLICY_JOBS)
		return LIMPET_ESTATE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	if (!sched.thread[id].budget) {
		leave(&sched, id);
		return LIMPET_ESTATE;
	}
	/* The time has come at the end of the span, so policy_arrive() starts the next one. */
	out->due = sched.thread[id].until;
	wait_prepare(&sched, id, STATE_SLEEPING, out->due);
	wait_finish(&sched, id);
	return LIMPET_OK;
}

long sched_serve_periodic(word badge, word period, word first)
{
	unsigned int id;
	struct thread *thread;

	(void)badge;
	if (period < PERIOD_MIN || period > PERIOD_MAX || first == LIMPET_NEVER)
		return LIMPET_ERANGE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	thread = &sched.thread[id];
	thread->period = period;
	thread->release = first ? first : limpet_time() + period;
	thread->due = LIMPET_NEVER; /* periodic_wait detects late releases */
	thread->working = false;
	leave(&sched, id);
	return LIMPET_OK;
}

/* Reports the end of the caller's job, or its first wait, to the kernel for statistics. */
static void job_end(struct thread *thread, unsigned int id)
{
	limpet_call_thread_job(LIMPET_SLOT_THREADS + id, thread->period,
			       thread->working ? thread->release - thread->period : 0, thread->late,
			       thread->overruns);
}

/* Starts the job that was released at `due`. */
static void job_begin(struct thread *thread, uint64_t due)
{
	uint64_t now = limpet_time(), late = now > due ? now - due : 0;

	thread->late = late < UINT32_MAX ? (uint32_t)late : UINT32_MAX;
	thread->working = true;
}

/* Handles a thread that is late: it continues with the latest release. Returns the number of releases that passed. */
static long release_late(struct thread *thread, unsigned int id, uint64_t now, uint64_t *due)
{
	uint64_t missed = (now - thread->release) / thread->period;

	*due += missed * thread->period;
	thread->release = *due + thread->period;
	thread_missed(&sched, id);
	policy_late(&sched, id, *due);
	job_begin(thread, *due);
	leave(&sched, id);
	return (long)(missed + 1);
}

long sched_serve_periodic_wait(word badge, struct sched_periodic_wait_results *out)
{
	unsigned int id = enter(&sched);
	struct thread *thread = &sched.thread[id];
	uint64_t now = limpet_time();

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	if (!thread->period) {
		leave(&sched, id);
		return LIMPET_ESTATE;
	}
	job_end(thread, id);
	out->due = thread->release;
	if (unlikely(now >= thread->release))
		return release_late(thread, id, now, &out->due);
	thread->release += thread->period;
	wait_prepare(&sched, id, STATE_SLEEPING, out->due);
	wait_finish(&sched, id);
	job_begin(thread, out->due);
	return 0;
}

long sched_serve_thread_id(word badge)
{
	(void)badge;
	return (long)limpet_thread_id();
}
