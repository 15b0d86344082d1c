// SPDX-License-Identifier: BSD-2-Clause
/* Serves the calls that create and end threads. A component's spare threads were made at boot. */
#include <export/sched.h>

#include <sched/budget.h>
#include <sched/spare.h>
#include <sched/thread.h>

static unsigned int spare_find(const struct sched *sched, word badge)
{
	return badge && badge <= LIMPET_COMPONENTS_MAX ? sched->spare[badge - 1] : NONE;
}

static void thread_create(struct sched *sched, unsigned int id, unsigned int priority,
			  uint32_t slice)
{
	struct thread *thread = &sched->thread[id];

	spare_remove(sched, id);
	thread->priority = (uint8_t)priority;
	slice_set(sched, id, slice);
	thread_reset(sched, id);
	thread->joiner = NONE;
	thread->detached = thread->worked = false;
	thread_ready(sched, id, time_now(sched));
}

long sched_serve_create(word badge, word entry, word argument, word priority)
{
	unsigned int id, spare;

	if (priority > LIMPET_URGENCY_MAX)
		return LIMPET_ERANGE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	spare = spare_find(&sched, badge);
	if (!spare) {
		leave(&sched, id);
		return LIMPET_EQUOTA;
	}
	sched.thread[spare].entry = entry;
	sched.thread[spare].value = argument;
	thread_create(&sched, spare, priority ? (unsigned int)priority : sched.thread[id].priority,
		      sched.thread[id].slice);
	run_next(&sched, id);
	return (long)spare;
}

/* Frees a thread that has ended and whose value is no longer needed. */
static void thread_free(struct sched *sched, unsigned int id)
{
	struct thread *thread = &sched->thread[id];

	thread->joiner = NONE;
	thread->state = thread->spare ? STATE_SPARE : STATE_DEAD;
	if (thread->spare)
		spare_add(sched, id);
}

long sched_serve_exit(word badge, word value)
{
	unsigned int id = enter(&sched);
	struct thread *thread = &sched.thread[id];

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	if (thread->budget && !thread->given)
		budget_set(&sched, id, 0, 0);
	thread->value = value;
	wait_prepare(&sched, id, STATE_EXITED, LIMPET_NEVER);
	if (thread->detached)
		thread_free(&sched, id);
	else
		joiner_wake(&sched, id);
	wait_finish(&sched, id);
	return LIMPET_OK;
}

long sched_serve_work(word badge, struct sched_work_results *out)
{
	unsigned int id = enter(&sched);
	struct thread *thread = &sched.thread[id];

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	if (!thread->spare) {
		leave(&sched, id);
		return LIMPET_ESTATE;
	}
	if (thread->worked) {
		wait_prepare(&sched, id, STATE_SPARE, LIMPET_NEVER);
		spare_add(&sched, id);
		wait_finish(&sched, id);
	} else {
		leave(&sched, id);
	}
	thread->worked = true;
	out->entry = thread->entry;
	out->argument = thread->value;
	return LIMPET_OK;
}

/* Returns the error of joining or detaching a thread, or LIMPET_OK if that is allowed. */
static long join_check(const struct sched *sched, unsigned int id, unsigned int of)
{
	const struct thread *thread = &sched->thread[of];

	if (!of || thread->state == STATE_SPARE)
		return LIMPET_ENOENT;
	if (thread->detached || (thread->joiner && thread->joiner != id))
		return LIMPET_ESTATE;
	return LIMPET_OK;
}

/* Returns how the thread ended, with its value in *out; LIMPET_ETIME: it has not ended. */
static long join_take(struct sched *sched, unsigned int of, struct sched_join_results *out)
{
	const struct thread *thread = &sched->thread[of];

	if (thread->state == STATE_DEAD)
		return LIMPET_ECRASH;
	if (thread->state != STATE_EXITED)
		return LIMPET_ETIME;
	out->value = thread->value;
	thread_free(sched, of);
	return LIMPET_OK;
}

/* Waits for the end of a thread. The caller has entered, and has left when this returns. */
static long join(struct sched *sched, unsigned int id, unsigned int of, word deadline,
		 struct sched_join_results *out)
{
	struct thread *thread = &sched->thread[of];
	long status = join_take(sched, of, out);

	if (status == LIMPET_ETIME) {
		thread->joiner = (uint16_t)id;
		wait_prepare(sched, id, STATE_JOINING, deadline);
		wait_finish(sched, id);
		if (!enter(sched))
			return LIMPET_ESTATE;
		thread->joiner = NONE;
		status = join_take(sched, of, out);
	}
	leave(sched, id);
	return status;
}

long sched_serve_join(word badge, word thread, word deadline, struct sched_join_results *out)
{
	unsigned int id = enter(&sched), of = thread_named(&sched, badge, thread, id);
	long status = join_check(&sched, id, of);

	if (!id)
		return LIMPET_ESTATE;
	if (!status && of == id)
		status = LIMPET_ESTATE;
	if (!status)
		return join(&sched, id, of, deadline, out);
	leave(&sched, id);
	return status;
}

long sched_serve_detach(word badge, word thread)
{
	unsigned int id = enter(&sched), of = thread_named(&sched, badge, thread, id);
	long status = join_check(&sched, NONE, of);

	if (!id)
		return LIMPET_ESTATE;
	if (!status) {
		sched.thread[of].detached = true;
		if (sched.thread[of].state == STATE_EXITED)
			thread_free(&sched, of);
	}
	leave(&sched, id);
	return status;
}
