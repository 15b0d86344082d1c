// SPDX-License-Identifier: BSD-2-Clause
#include <export/sched.h>

#include <sched/enter.h>
#include <sched/lend.h>
#include <sched/object.h>

#define OBJECT_BITS 48

/* An object of the component that the badge says. */
static uint64_t object_of(word badge, word object)
{
	return badge << OBJECT_BITS | (object & ((1ul << OBJECT_BITS) - 1));
}

/* Which queue an object is in, and its bit there. */
static unsigned int queue_of(uint64_t object)
{
	return (unsigned int)(object * 0x9e3779b97f4a7c15ul >> 58);
}

static uint32_t bit_of(uint64_t object)
{
	return 1u << (object * 0x9e3779b97f4a7c15ul >> 53 & 31);
}

void objects_init(struct sched *sched)
{
	for (unsigned int i = 0; i < WAITS; i++)
		tree_init(&sched->waits[i], &sched->thread[0].ready, true);
}

static void object_join(struct sched *sched, unsigned int id, uint64_t object)
{
	struct thread *thread = &sched->thread[id];
	unsigned int queue = queue_of(object);

	thread->object = object;
	thread->waits = (uint16_t)(1 + queue);
	tree_insert(&sched->waits[queue], LINK(id), thread->key, bit_of(object));
}

void object_leave(struct sched *sched, unsigned int id)
{
	tree_remove(&sched->waits[sched->thread[id].waits - 1], LINK(id));
	sched->thread[id].waits = 0;
}

void object_rekey(struct sched *sched, unsigned int id)
{
	uint64_t object = sched->thread[id].object;

	object_leave(sched, id);
	object_join(sched, id, object);
}

/* From a link on, the first thread that waits for that object; NONE: there is none. */
static unsigned int waiter_from(const struct sched *sched, unsigned int link, uint64_t object)
{
	const struct tree *queue = &sched->waits[queue_of(object)];

	while (link && sched->thread[ID_OF(link)].object != object)
		link = tree_next_with(queue, link, bit_of(object));
	return ID_OF(link);
}

static unsigned int waiter_first(const struct sched *sched, uint64_t object)
{
	const struct tree *queue = &sched->waits[queue_of(object)];

	return waiter_from(sched, tree_first_with(queue, bit_of(object)), object);
}

static unsigned int waiter_next(const struct sched *sched, unsigned int id, uint64_t object)
{
	const struct tree *queue = &sched->waits[queue_of(object)];

	return waiter_from(sched, tree_next_with(queue, LINK(id), bit_of(object)), object);
}

/* A wake-up that came before, of either kind. */
static bool resumed(struct sched *sched, struct thread *thread, uint64_t object, uint64_t since)
{
	if (!(thread->tokens & 1u << STATE_SUSPENDED))
		return sched->resumed[queue_of(object)] >= since;
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
	sched.resumed[queue_of(object)] = limpet_time();
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
	sched.resumed[queue_of(object)] = limpet_time();
	while ((best = waiter_first(&sched, object))) {
		wait_end(&sched, best);
		status = LIMPET_OK;
	}
	run_next(&sched, id);
	return status;
}
