// SPDX-License-Identifier: BSD-2-Clause
#include <export/sched.h>

#include <sched/enter.h>
#include <sched/lend.h>
#include <sched/object.h>

/* Returns the first thread, from a link on, that waits for that object; or NONE. */
static unsigned int waiter_from(const struct sched *sched, unsigned int link, uint64_t object)
{
	const struct tree *queue = &sched->waits[object_queue(sched, object)];

	while (link && sched->thread[ID_OF(link)].object != object)
		link = tree_next_with(queue, link, object_bit(sched, object));
	return ID_OF(link);
}

static unsigned int waiter_first(const struct sched *sched, uint64_t object)
{
	const struct tree *queue = &sched->waits[object_queue(sched, object)];

	return waiter_from(sched, tree_first_with(queue, object_bit(sched, object)), object);
}

static unsigned int waiter_next(const struct sched *sched, unsigned int id, uint64_t object)
{
	const struct tree *queue = &sched->waits[object_queue(sched, object)];

	return waiter_from(sched, tree_next_with(queue, LINK(id), object_bit(sched, object)),
			   object);
}

/* Returns whether a wake-up of either kind came before. */
static bool resumed(struct sched *sched, struct thread *thread, uint64_t object, uint64_t since)
{
	if (!(thread->tokens & 1u << STATE_SUSPENDED))
		return sched->resumed[object_queue(sched, object)] >= since;
	thread->tokens &= ~(1u << STATE_SUSPENDED);
	return true;
}

long sched_serve_suspend_on(word badge, word object, word since, word owner, word deadline)
{
	unsigned int id, to = thread_standing(&sched, owner);

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
	wait_prepare(&sched, id, STATE_SUSPENDED, deadline);
	object_join(&sched, id, object);
	if (to && to != id)
		lend_begin(&sched, id, to);
	wait_finish(&sched, id);
	return wait_expired(&sched, id) ? LIMPET_ETIME : LIMPET_OK;
}

/* Passes the caller's importance on to the threads to which it lends. */
static void waiters_move(struct sched *sched, uint64_t object, unsigned int from, unsigned int to)
{
	if (from == to || !sched->thread[from].lender)
		return;
	for (unsigned int i = waiter_first(sched, object); i; i = waiter_next(sched, i, object))
		lender_move(sched, i, from, to);
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
		leave(&sched, id);
		return LIMPET_ENOENT;
	}
	wait_end(&sched, best);
	waiters_move(&sched, object, id, best);
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
	run_next(&sched, id);
	return status;
}
