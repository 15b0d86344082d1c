// SPDX-License-Identifier: GPL-2.0
/* Guests whose events go to several executives, one after another. */
#include <kernel/cpu.h>

static void chain_set(struct guest *g)
{
	g->stacked = g->levels > 1;
	g->direct = g->stacked ? GUEST_STACKED : g->cpu;
	guest_level_set(g, 0);
}

bool guest_chain(struct guest *g, struct executive *x)
{
	for (g->levels = 0; x && g->levels < LIMPET_GUEST_CHAIN_MAX;) {
		const u32 next = g->cpu->record[x->name - 1].guest;

		g->chain[g->levels++] = x;
		if (!next) {
			chain_set(g);
			return true;
		}
		x = executive_find(g->cpu, next, NULL);
	}
	return false;
}

static bool is_released(const struct guest *g, unsigned int level)
{
	return g->released >> level & 1;
}

void guest_chain_copy(struct guest *g, const struct guest *maker)
{
	g->levels = 0;
	for (unsigned int i = 0; i < maker->levels; i++) {
		if (is_released(maker, i))
			continue;
		for (unsigned int w = 0; w < LIMPET_GUEST_FILTER_WORDS; w++)
			g->wants[g->levels][w] = maker->wants[i][w];
		g->chain[g->levels++] = maker->chain[i];
	}
	chain_set(g);
}

int guest_level_stacked(const struct guest *g, const struct executive *x)
{
	for (unsigned int i = 0; i < g->levels; i++)
		if (g->chain[i] == x && !is_released(g, i))
			return (int)i;
	return -1;
}

/* Sets the first level from one on that has not released the guest. */
static bool level_from(struct guest *g, unsigned int level)
{
	while (level < g->levels && is_released(g, level))
		level++;
	guest_level_set(g, level < g->levels ? level : 0);
	return level < g->levels;
}

bool guest_level_first(struct guest *g)
{
	return level_from(g, 0);
}

bool guest_level_next(struct guest *g)
{
	return level_from(g, g->level + 1u);
}

/* --- calls */

static bool is_wanted(const struct guest *g, unsigned int level)
{
	const u32 number = (u32)g->regs.status;
	const u32 bit = number < LIMPET_GUEST_FILTER_REST ? number : LIMPET_GUEST_FILTER_REST;

	return g->wants[level][bit / 64] >> bit % 64 & 1;
}

/* Returns the first level from one on whose executive wants the call, or `otherwise`. */
static unsigned int level_wanting(const struct guest *g, unsigned int from, unsigned int otherwise)
{
	for (unsigned int i = from; i < g->levels; i++)
		if (is_wanted(g, i) && !is_released(g, i))
			return i;
	return otherwise;
}

void guest_level_start(struct guest *g)
{
	g->start_changed = g->changed;
	if (g->changed)
		g->start = g->regs;
}

void guest_call_next(struct guest *g, unsigned int level)
{
	guest_level_set(g, level);
	g->number_seen[level] = (u32)g->regs.status;
	guest_level_start(g);
}

/* The call goes to the first executive even if filters have changed since it was made. */
void guest_call_first(struct guest *g)
{
	unsigned int first = 0;

	while (first + 1u < g->levels && is_released(g, first))
		first++;
	g->changed = false;
	g->result_wanted = g->replaced = 0;
	g->number_seen[0] = (u32)g->regs.status;
	guest_call_next(g, level_wanting(g, first, first));
}

unsigned int guest_call_passed(struct guest *g)
{
	g->replaced &= (u8) ~(1u << g->level);
	if ((u32)g->regs.status != g->number_seen[g->level])
		g->replaced |= (u8)(1u << g->level);
	if (g->operation == LIMPET_GUEST_PASS_RESULT &&
	    g->executive->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT))
		g->result_wanted |= (u8)(1u << g->level);
	return level_wanting(g, g->level + 1u, 0);
}

void guest_call_served(struct guest *g, word value)
{
	if (g->start_changed)
		guest_own_arguments(g);
	g->changed = false;
	g->result = value;
}

bool guest_result_next(struct guest *g)
{
	unsigned int level = g->levels ? g->levels - 1u : 0;

	while (level && !(g->result_wanted >> level & 1))
		level--;
	if (!(g->result_wanted >> level & 1)) {
		if (g->stacked)
			guest_level_set(g, 0);
		return false;
	}
	g->result_wanted &= (u8) ~(1u << level);
	if (!g->stacked)
		return true;
	guest_level_set(g, level);
	g->regs.status = (word)(int)g->number_seen[level];
	return true;
}

void guest_level_restore(struct guest *g)
{
	if (!g->level) {
		guest_own_restore(g);
	} else if (g->changed) {
		g->regs = g->start_changed ? g->start : g->own;
		g->changed = g->start_changed;
	}
}

void guest_call_restore(struct guest *g)
{
	guest_own_restore(g);
	if (g->stacked)
		g->regs.status = (word)(int)g->number_seen[0];
}
