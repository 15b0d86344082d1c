// SPDX-License-Identifier: BSD-2-Clause
/* Serves the calls that wait for an object, and that end these waits. */
#include <export/sched.h>

#include <sched/enter.h>
#include <sched/lend.h>
#include <sched/object.h>

/* Returns whether a wake-up of either kind came before. */
static bool resumed(struct sched *sched, struct thread *thread, uint64_t object, uint64_t since)
{
	if (!(thread->tokens & 1u << STATE_SUSPENDED))
		return sched->resumed[object_queue(sched, object)] >= since;
	thread->tokens &= ~(1u << STATE_SUSPENDED);
	return true;
}

/* Makes a suspended thread wait for an object, and lend to its owner. */
static void object_wait(struct sched *sched, unsigned int id, uint64_t object, unsigned int owner)
{
	unsigned int first = waiter_first(sched, object), before = sched->thread[first].owner;

	object_join(sched, id, object, first, owner);
	if (unlikely(first && owner && before != owner))
		lenders_moved(sched, before, owner);
	else
		key_lent(sched, id, owner ? owner : before);
}

long sched_serve_suspend_on(word badge, word object, word since, word owner, word deadline)
{
	unsigned int id, to = thread_proxy(&sched, owner);

	if (owner && !to)
		return LIMPET_ENOENT;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	object = object_of(badge, object);
	if (resumed(&sched, &sched.thread[id], object, since)) {
		leave(&sched, id);
		return LIMPET_OK;
	}
	if (owner_within(&sched, id, to, owner))
		return owner_run(&sched, id, owner, deadline);
	wait_prepare(&sched, id, STATE_SUSPENDED, deadline);
	object_wait(&sched, id, object, to != id ? to : NONE);
	wait_finish(&sched, id);
	return wait_expired(&sched, id) ? LIMPET_ETIME : LIMPET_OK;
}

/* Makes `to` the owner of an object that `from` owns. The other threads that wait for it now lend to `to`. */
static void owner_move(struct sched *sched, uint64_t object, unsigned int from, unsigned int to)
{
	unsigned int first;

	if (from == to || !sched->thread[from].lender)
		return;
	first = waiter_first(sched, object);
	if (sched->thread[first].owner != from)
		return;
	object_lend(sched, first, first, to);
	lenders_moved(sched, from, to);
}

long sched_serve_resume_on(word badge, word object)
{
	unsigned int id = enter(&sched), best;

	if (!id)
		return LIMPET_ESTATE;
	object = object_of(badge, object);
	sched.resumed[object_queue(&sched, object)] = limpet_time();
	best = waiter_first(&sched, object);
	if (!best) {
		release_leave(&sched, id);
		return LIMPET_ENOENT;
	}
	part_released(&sched, id);
	wait_end(&sched, best);
	owner_move(&sched, object, id, best);
	run_next(&sched, id);
	return LIMPET_OK;
}

long sched_serve_resume_all(word badge, word object)
{
	unsigned int id = enter(&sched), best;
	long status = LIMPET_ENOENT;

	if (!id)
		return LIMPET_ESTATE;
	object = object_of(badge, object);
	sched.resumed[object_queue(&sched, object)] = limpet_time();
	while ((best = waiter_first(&sched, object))) {
		wait_end(&sched, best);
		status = LIMPET_OK;
		/*
		 * The scheduler's thread waits until this one leaves, for example to handle a timer. A thread that
		 * begins to wait in the meantime is resumed, too.
		 */
		if (unlikely(sched.contended)) {
			leave(&sched, id);
			id = enter(&sched);
		}
	}
	part_released(&sched, id);
	run_next(&sched, id);
	return status;
}
