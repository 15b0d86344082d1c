// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks. A thread has one in each component that it can come to: its own one, those that it can invoke from there,
 * directly or through others, and those that handle faults on the way. A supervisor invokes those that it
 * supervises.
 *
 * The booter's thread initialises the components before other threads run. In each component it uses the memory of the
 * first stack that was made there, which is also mapped at the place of stack 0 until all are initialised.
 */
#include <runtime/kernel_call.h>

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
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *home = &booter.part[i];
		uint32_t count = threads_of(home) ? reach(home) : 0;

		for (uint32_t k = 0; k < count; k++) {
			booter.reached[k]->stacks += threads_of(home);
			booter.reached[k]->visited |= booter.reached[k] != home;
		}
	}
	for (uint32_t i = 0; i < booter.parts; i++)
		if (!booter.part[i].stacks)
			booter.part[i].stacks = 1; /* the booter's thread's */
}

static uint64_t stack_pages(const struct part *part)
{
	return (1ul << part->record->stack_shift) / PAGE - 1;
}

/* The lowest page of each is left out: a guard. */
static void stack_map(struct part *part, uint64_t id)
{
	const uint64_t at = part->record->stacks + PAGE, pages = stack_pages(part);
	const word data = LIMPET_READ | LIMPET_WRITE;
	word frames = frames_take(pages);

	memory_map_frames(part, frames, at + (id << part->record->stack_shift), pages, data, NULL,
			  0);
	if (id && !part->stack_lent)
		frames_map(part, part->page_table, frames, at, pages, data, "lend a stack");
	part->stack_lent = true;
	slot_drop(frames);
}

void stacks_fill(void)
{
	for (uint32_t i = 0; i < booter.parts; i++)
		booter.part[i].reached_by = NULL;
	for (uint32_t i = 0; i < booter.parts; i++) {
		struct part *home = &booter.part[i];
		uint32_t count = threads_of(home) ? reach(home) : 0;

		for (uint32_t k = 0; k < count; k++)
			for (uint32_t n = 0; n < threads_of(home); n++)
				stack_map(booter.reached[k], stack_first(home) + n);
	}
	for (uint32_t i = 0; i < booter.parts; i++)
		if (!booter.part[i].stack_lent)
			stack_map(&booter.part[i], 0);
}

void part_take_stack(const struct part *part)
{
	const uint64_t pages = stack_pages(part);

	for (uint64_t at = 0; at < pages; at += LIMPET_MAP_MAX)
		limpet_call_pt_unmap(part->page_table, part->record->stacks + PAGE + at * PAGE,
				     pages - at < LIMPET_MAP_MAX ? pages - at : LIMPET_MAP_MAX);
}
