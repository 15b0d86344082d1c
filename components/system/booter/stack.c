// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks. A thread has one, or an entry stack if the component has a pool, in each component that it can come to: its own one, those that it can invoke from there,
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

/* Notes that the thread comes to the component. */
static void stack_plan(struct part *part, uint32_t id)
{
	uint64_t page = ((uint64_t)id << LIMPET_ENTRY_SHIFT) / PAGE;

	part->stacks++;
	if (!part->record->pool_count || part->entry_pages[page / 64] >> page % 64 & 1)
		return;
	part->entry_pages[page / 64] |= 1ul << page % 64;
	part->entry_count++;
}

/* Calls `step` for each component and each thread that comes to it. */
static void stacks_each(void (*step)(struct part *part, uint32_t id))
{
	for (uint32_t i = 0; i < booter.parts; i++)
		booter.part[i].reached_by = NULL;
	for (uint32_t i = 0; i < booter.parts; i++)
		step(&booter.part[i], 0);
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *home = &booter.part[i];
		uint32_t count = threads_of(home) ? reach(home) : 0;

		for (uint32_t k = 0; k < count; k++) {
			booter.reached[k]->visited |= booter.reached[k] != home;
			for (uint32_t n = 0; n < threads_of(home); n++)
				step(booter.reached[k], stack_first(home) + n);
		}
	}
}

void stacks_plan(void)
{
	booter.reached = own_take(booter.parts * sizeof(booter.reached[0]));
	stacks_each(stack_plan);
}

/* Stacks of the pool, and those of its own threads behind them. */
static uint64_t pool_total(const struct part *part)
{
	return part->record->pool_count ? part->record->pool_count + threads_of(part) : 0;
}

uint64_t stacks_pages(const struct part *part)
{
	const struct limpet_image_component *c = part->record;

	if (!c->pool_count)
		return part->stacks * ((1ul << c->stack_shift) / PAGE - 1);
	return part->entry_count + pool_total(part) * ((1ul << c->pool_shift) / PAGE - 1);
}

uint64_t stacks_room(const struct part *part)
{
	return pages_of((uint64_t)part->record->stack_count << part->record->stack_shift) * PAGE;
}

uint64_t pool_room(const struct part *part)
{
	return pool_total(part) << part->record->pool_shift;
}

/* The lowest page of each is left out: a guard. */
static void stack_map(const struct part *part, uint64_t stacks, uint64_t shift, uint64_t number)
{
	memory_map(part, stacks + (number << shift) + PAGE, (1ul << shift) / PAGE - 1,
		   LIMPET_READ | LIMPET_WRITE, NULL, 0);
}

static void stack_fill(struct part *part, uint32_t id)
{
	if (!part->record->pool_count)
		stack_map(part, part->record->stacks, part->record->stack_shift, id);
}

/* The entry stacks of threads that come in, and the pool. */
static void pool_fill(const struct part *part)
{
	const struct limpet_image_component *c = part->record;

	if (!c->pool_count)
		return;
	for (uint64_t page = 0; page < ENTRY_PAGES; page++)
		if (part->entry_pages[page / 64] >> page % 64 & 1)
			memory_map(part, c->stacks + page * PAGE, 1, LIMPET_READ | LIMPET_WRITE,
				   NULL, 0);
	for (uint64_t i = 0; i < pool_total(part); i++)
		stack_map(part, c->pool, c->pool_shift, i);
}

void stacks_fill(void)
{
	stacks_each(stack_fill);
	for (uint32_t i = 0; i < booter.parts; i++)
		pool_fill(&booter.part[i]);
}
