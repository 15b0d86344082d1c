// SPDX-License-Identifier: GPL-2.0
/* The accesses of end.h to memory, and the claims about them. */
#include "channel.h"

/* Lets the model choose one of `n` values. Equal values are one alternative. */
static uint64_t any_of(const uint64_t *value, uint32_t n)
{
	uint64_t distinct[TSO_CHOICES];
	uint32_t found = 0, i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < found && distinct[k] != value[i]; k++)
			;
		distinct[k] = value[i];
		found += k == found;
	}
	return distinct[tso_choose(found)];
}

#define ANY_OF(...)                                                                                \
	any_of((const uint64_t[]){ __VA_ARGS__ },                                                  \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/*
 * Chooses values that a hostile side can make this side load: for each outcome of each comparison,
 * values at its border.
 */
static uint64_t anything(const volatile void *place, const struct limpet_end *e)
{
	const struct limpet_side *l = line(self), *p = line(!self);
	uint64_t head = e->head, tail = e->tail;

	if (place == &l->head || place == &l->tail)
		return place == &l->head ? ANY_OF(head, ~head) : ANY_OF(tail, ~tail);
	if (place == &l->generation || place == &l->seen)
		return place == &l->seen ? ANY_OF(e->peer_generation, ~0u)
					 : ANY_OF(e->generation, 0);
	if (place == &p->head)
		return ANY_OF(tail, tail + 1, tail + 8, tail + RING - 8, tail + RING,
			      tail + RING + 1, tail - 1);
	if (place == &p->tail)
		return ANY_OF(head, head - 1, head - 8, head - RING + 8, head - RING,
			      head - RING - 1, head + 1);
	if (place == &p->events)
		return ANY_OF(0, 1, ~0ul);
	if (place == &p->generation || place == &p->seen)
		return ANY_OF(0, e->generation, e->peer_generation, ~0u);
	if (place == &p->sleeping)
		return ANY_OF(0, ~0u);
	return ANY_OF(0, 1, 8, 9, RING - 16, RING - 8, RING - 7, RING, ~0u - 8,
		      LIMPET_MESSAGE_SKIP);
}

uint64_t side_load(const volatile void *place, uint32_t size)
{
	tso_assert(within(place, size, line(COMPONENT), 2 * sizeof(struct limpet_side)) ||
			   within(place, size, ring(!self), RING),
		   "a load outside of the lines and the ring that this side reads");
	if (scenario->hostile)
		return anything(place, &side->end);
	return tso_load(place, size);
}

void side_store(volatile void *place, uint32_t size, uint64_t value)
{
	tso_assert(within(place, size, line(self), sizeof(struct limpet_side)) ||
			   within(place, size, ring(self), RING),
		   "a store outside of this side's line and the ring that it writes");
	if (!scenario->hostile)
		tso_store(place, size, value);
}
