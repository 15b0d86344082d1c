// SPDX-License-Identifier: GPL-2.0
/* Guests whose events go to several executives, one after another. */
#include <kernel/cpu.h>

static void chain_set(struct guest *guest)
{
	guest->stacked = guest->levels > 1;
	guest->direct = guest->stacked ? GUEST_STACKED : guest->cpu;
	guest_level_set(guest, 0);
}

bool guest_chain(struct guest *guest, struct executive *executive)
{
	for (guest->levels = 0; executive && guest->levels < LIMPET_GUEST_CHAIN_MAX;) {
		const u32 next = guest->cpu->record[executive->name - 1].guest;

		guest->chain[guest->levels++] = executive;
		if (!next) {
			chain_set(guest);
			return true;
		}
		executive = executive_find(guest->cpu, next, NULL);
	}
	return false;
}

static bool is_released(const struct guest *guest, unsigned int level)
{
	return guest->released >> level & 1;
}

void guest_chain_copy(struct guest *guest, const struct guest *maker)
{
	guest->levels = 0;
	for (unsigned int i = 0; i < maker->levels; i++) {
		if (is_released(maker, i))
			continue;
		for (unsigned int w = 0; w < LIMPET_GUEST_FILTER_WORDS; w++)
			guest->wants[guest->levels][w] = maker->wants[i][w];
		guest->chain[guest->levels++] = maker->chain[i];
	}
	chain_set(guest);
}

int guest_level_stacked(const struct guest *guest, const struct executive *executive)
{
	for (unsigned int i = 0; i < guest->levels; i++)
		if (guest->chain[i] == executive && !is_released(guest, i))
			return (int)i;
	return -1;
}

/* Sets the first level from one on that has not released the guest. */
static bool level_from(struct guest *guest, unsigned int level)
{
	while (level < guest->levels && is_released(guest, level))
		level++;
	guest_level_set(guest, level < guest->levels ? level : 0);
	return level < guest->levels;
}

bool guest_level_first(struct guest *guest)
{
	return level_from(guest, 0);
}

bool guest_level_next(struct guest *guest)
{
	return level_from(guest, guest->level + 1u);
}

/* --- calls */

static bool is_wanted(const struct guest *guest, unsigned int level)
{
	const u32 number = (u32)guest->regs.status;
	const u32 bit = number < LIMPET_GUEST_FILTER_REST ? number : LIMPET_GUEST_FILTER_REST;

	return guest->wants[level][bit / 64] >> bit % 64 & 1;
}

/* Returns the first level from one on whose executive wants the call, or `otherwise`. */
static unsigned int level_wanting(const struct guest *guest, unsigned int from,
				  unsigned int otherwise)
{
	for (unsigned int i = from; i < guest->levels; i++)
		if (is_wanted(guest, i) && !is_released(guest, i))
			return i;
	return otherwise;
}

void guest_level_start(struct guest *guest)
{
	guest->start_changed = guest->changed;
	if (guest->changed)
		guest->start = guest->regs;
}

void guest_call_next(struct guest *guest, unsigned int level)
{
	guest_level_set(guest, level);
	guest->number_seen[level] = (u32)guest->regs.status;
	guest_level_start(guest);
}

/* The call goes to the first executive even if filters have changed since it was made. */
void guest_call_first(struct guest *guest)
{
	unsigned int first = 0;

	while (first + 1u < guest->levels && is_released(guest, first))
		first++;
	guest->changed = false;
	guest->result_wanted = guest->replaced = 0;
	guest->number_seen[0] = (u32)guest->regs.status;
	guest_call_next(guest, level_wanting(guest, first, first));
}

unsigned int guest_call_passed(struct guest *guest)
{
	guest->replaced &= (u8) ~(1u << guest->level);
	if ((u32)guest->regs.status != guest->number_seen[guest->level])
		guest->replaced |= (u8)(1u << guest->level);
	if (guest->operation == LIMPET_GUEST_PASS_RESULT &&
	    guest->executive->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT))
		guest->result_wanted |= (u8)(1u << guest->level);
	return level_wanting(guest, guest->level + 1u, 0);
}

void guest_call_served(struct guest *guest, word value)
{
	if (guest->start_changed)
		guest_own_arguments(guest);
	guest->changed = false;
	guest->result = value;
}

bool guest_result_next(struct guest *guest)
{
	unsigned int level = guest->levels ? guest->levels - 1u : 0;

	while (level && !(guest->result_wanted >> level & 1))
		level--;
	if (!(guest->result_wanted >> level & 1)) {
		if (guest->stacked)
			guest_level_set(guest, 0);
		return false;
	}
	guest->result_wanted &= (u8) ~(1u << level);
	if (!guest->stacked)
		return true;
	guest_level_set(guest, level);
	guest->regs.status = (word)(int)guest->number_seen[level];
	return true;
}

void guest_level_restore(struct guest *guest)
{
	if (!guest->level) {
		guest_own_restore(guest);
	} else if (guest->changed) {
		guest->regs = guest->start_changed ? guest->start : guest->own;
		guest->changed = guest->start_changed;
	}
}

void guest_call_restore(struct guest *guest)
{
	guest_own_restore(guest);
	if (guest->stacked)
		guest->regs.status = (word)(int)guest->number_seen[0];
}
