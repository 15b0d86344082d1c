// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks. A thread has a stack in each component that it can reach: its own component, those that
 * it can invoke from there, directly or through others, and those that handle faults on the way. A
 * supervisor invokes the components that it supervises. If a component has a pool of stacks, the
 * thread has an entry stack there.
 *
 * The booter's thread initialises the components before other threads run. In each component it
 * uses the memory of the first stack that was made there, which is also mapped at the place of
 * stack 0 until all components are initialised.
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

/* Adds a component to those that the threads of `home` reach, unless it was already added. */
static void arrive(const struct part *home, struct part *part, uint32_t *count)
{
	if (!part || part->reached_by == home)
		return;
	part->reached_by = home;
	booter.reached[(*count)++] = part;
}

/*
 * Fills booter.reached with all components that the threads of `home` can reach. Returns their
 * number.
 */
static uint32_t reach(struct part *home)
{
	uint32_t count = 0;

	arrive(home, home, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct limpet_image_component *component = booter.reached[i]->record;

		for (uint32_t k = component->wire; k < component->wire + component->wires; k++)
			arrive(home, part_at(booter.wire[k].server), &count);
		arrive(home, component->faults ? part_at(component->faults) : NULL, &count);
		for (uint32_t k = 0; booter.reached[i] == booter.supervisor && k < booter.parts;
		     k++)
			if (booter.part[k].supervisor == booter.supervisor)
				arrive(home, &booter.part[k], &count);
	}
	return count;
}

/* Records that the thread can reach the component. */
static void stack_plan(struct part *part, uint32_t id)
{
	uint64_t page = ((uint64_t)id << LIMPET_ENTRY_SHIFT) / PAGE;

	part->stacks++;
	if (!part->record->pool_count || part->entry_pages[page / 64] >> page % 64 & 1)
		return;
	part->entry_pages[page / 64] |= 1ul << page % 64;
	part->entry_count++;
}

/*
 * Calls `step` for each thread that can reach a component. With a pool, also for the booter's
 * thread.
 */
static void stacks_each(void (*step)(struct part *part, uint32_t id))
{
	for (uint32_t i = 0; i < booter.parts; i++) {
		booter.part[i].reached_by = NULL;
		if (booter.part[i].record->pool_count)
			step(&booter.part[i], 0);
	}
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
	for (uint32_t i = 0; i < booter.parts; i++)
		if (!booter.part[i].stacks)
			booter.part[i].stacks = 1; /* for the booter's thread */
}

/* Returns the mapped pages of a stack. Its lowest page is a guard, which is not mapped. */
static uint64_t pages_mapped(uint32_t shift)
{
	return (1ul << shift) / PAGE - 1;
}

/* Returns the number of stacks of the pool, with one for each thread of the component itself. */
static uint64_t pool_total(const struct part *part)
{
	return part->record->pool_count ? part->record->pool_count + threads_of(part) : 0;
}

uint64_t stacks_pages(const struct part *part)
{
	const struct limpet_image_component *component = part->record;

	if (!component->pool_count)
		return part->stacks * pages_mapped(component->stack_shift);
	return part->entry_count + pool_total(part) * pages_mapped(component->pool_shift);
}

uint64_t stacks_size(const struct part *part)
{
	return pages_of((uint64_t)part->record->stack_count << part->record->stack_shift) * PAGE;
}

uint64_t pool_size(const struct part *part)
{
	return pool_total(part) << part->record->pool_shift;
}

static void stack_map(struct part *part, uint32_t id)
{
	const uint64_t at = part->record->stacks + PAGE;
	const uint64_t pages = pages_mapped(part->record->stack_shift);
	const word data = LIMPET_READ | LIMPET_WRITE;
	word frames;

	if (part->record->pool_count)
		return;
	frames = frames_take(pages);
	memory_map_frames(part, frames, at + ((uint64_t)id << part->record->stack_shift), pages,
			  data, NULL, 0);
	if (id && !part->stack_lent) {
		frames_map(part, part->page_table, frames, at, pages, data,
			   "map the booter's stack");
		part->stack_lent = true;
	}
	slot_drop(frames);
}

/* Maps the entry stacks of the threads that can reach the component, and the pool. */
static void pool_map(const struct part *part)
{
	const struct limpet_image_component *component = part->record;

	for (uint64_t page = 0; page < ENTRY_PAGES; page++)
		if (part->entry_pages[page / 64] >> page % 64 & 1)
			memory_map(part, component->stacks + page * PAGE, 1,
				   LIMPET_READ | LIMPET_WRITE, NULL, 0);
	for (uint64_t i = 0; i < pool_total(part); i++)
		memory_map(part, component->pool + (i << component->pool_shift) + PAGE,
			   pages_mapped(component->pool_shift), LIMPET_READ | LIMPET_WRITE, NULL,
			   0);
}

void stacks_fill(void)
{
	stacks_each(stack_map);
	for (uint32_t i = 0; i < booter.parts; i++) {
		pool_map(&booter.part[i]);
		if (!booter.part[i].stack_lent)
			stack_map(&booter.part[i], 0);
	}
}

void part_take_stack(const struct part *part)
{
	const uint64_t pages = part->stack_lent ? pages_mapped(part->record->stack_shift) : 0;

	for (uint64_t at = 0; at < pages; at += LIMPET_MAP_MAX)
		limpet_call_pt_unmap(part->page_table, part->record->stacks + PAGE + at * PAGE,
				     pages - at < LIMPET_MAP_MAX ? pages - at : LIMPET_MAP_MAX);
}
