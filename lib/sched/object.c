// SPDX-License-Identifier: BSD-2-Clause
#include <sched/object.h>

/* Returns the first thread, from a link on, that waits for that object; or NONE. */
static unsigned int waiter_from(const struct sched *sched, unsigned int link, uint64_t object)
{
	const struct tree *queue = &sched->waits[object_queue(sched, object)];

	while (link && sched->thread[ID_OF(link)].object != object)
		link = tree_next_with(queue, link, object_bit(sched, object));
	return ID_OF(link);
}

unsigned int waiter_search(const struct sched *sched, uint64_t object)
{
	const struct tree *queue = &sched->waits[object_queue(sched, object)];

	return waiter_from(sched, tree_first_with(queue, object_bit(sched, object)), object);
}

unsigned int waiter_next(const struct sched *sched, unsigned int id)
{
	uint64_t object = sched->thread[id].object;
	const struct tree *queue = &sched->waits[object_queue(sched, object)];

	return waiter_from(sched, tree_next_with(queue, LINK(id), object_bit(sched, object)),
			   object);
}

void object_lend(struct sched *sched, unsigned int before, unsigned int first, unsigned int owner)
{
	if (before == first && sched->thread[first].owner == owner)
		return;
	if (sched->thread[before].owner)
		lender_remove(sched, before);
	if (owner)
		lender_add(sched, first, owner);
}

void object_rekey(struct sched *sched, unsigned int id)
{
	uint64_t object = sched->thread[id].object;
	unsigned int owner = sched->thread[id].owner;

	object_leave(sched, id);
	object_join(sched, id, object, waiter_first(sched, object), owner);
}
