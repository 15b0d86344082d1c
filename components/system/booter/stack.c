// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks. A thread has one in each component that it can come to: its own one, those that it can invoke from there,
 * directly or through others, and those that handle faults on the way. A supervisor invokes those that it
 * supervises. The booter's thread has one in each, since it initialises them.
 */
#include "booter.h"

static uint32_t threads_of(const struct part *part)
{
	return !!part->thread_id + part->record->threads;
}

uint32_t stack_first(const struct part *part)
{
	return part->thread_id ? part->thread_id : part->spare_id;
}

/* Comes to a component, once for each `home` that the threads are of. */
static void arrive(const struct part *home, struct part *part, uint32_t *count)
{
	if (!part || part->reached_by == home)
		return;
	part->reached_by = home;
	booter.reached[(*count)++] = part;
}

/* Fills booter.reached with all components that the threads of `home` can come to; returns how many. */
static uint32_t reach(struct part *home)
{
	uint32_t count = 0;

	arrive(home, home, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct limpet_image_component *c = booter.reached[i]->record;

		for (uint32_t k = c->wire; k < c->wire + c->wires; k++)
			arrive(home, part_at(booter.wire[k].server), &count);
		arrive(home, c->faults ? part_at(c->faults) : NULL, &count);
		for (uint32_t k = 0; booter.reached[i] == booter.supervisor && k < booter.parts;
		     k++)
			if (booter.part[k].supervisor == booter.supervisor)
				arrive(home, &booter.part[k], &count);
	}
	return count;
}

void stacks_plan(void)
{
	booter.reached = own_take(booter.parts * sizeof(booter.reached[0]));
	for (uint32_t i = 0; i < booter.parts; i++)
		booter.part[i].stacks = 1;
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *home = &booter.part[i];
		uint32_t count = threads_of(home) ? reach(home) : 0;

		for (uint32_t k = 0; k < count; k++) {
			booter.reached[k]->stacks += threads_of(home);
			booter.reached[k]->visited |= booter.reached[k] != home;
		}
	}
}

/* The lowest page of each is left out: a guard. */
static void stack_map(const struct part *part, uint64_t id)
{
	uint64_t size = 1ul << part->record->stack_shift;

	memory_map(part, part->record->stacks + id * size + PAGE, size / PAGE - 1,
		   LIMPET_READ | LIMPET_WRITE, NULL, 0);
}

void stacks_fill(void)
{
	for (uint32_t i = 0; i < booter.parts; i++) {
		booter.part[i].reached_by = NULL;
		stack_map(&booter.part[i], 0);
	}
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *home = &booter.part[i];
		uint32_t count = threads_of(home) ? reach(home) : 0;

		for (uint32_t k = 0; k < count; k++)
			for (uint32_t n = 0; n < threads_of(home); n++)
				stack_map(booter.reached[k], stack_first(home) + n);
	}
}
