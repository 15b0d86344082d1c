// SPDX-License-Identifier: BSD-2-Clause
/* Reads the table from the arguments, checks it, and follows it. */
#include <runtime/format.h>

#include <sched/argument.h>
#include <sched/core.h>

/* Returns the bit of a component. Puts all its threads into that group. */
static uint32_t group_of(struct sched *sched, unsigned int component)
{
	uint32_t group = 0, known = 0;

	for (unsigned int id = 1; id <= sched->threads; id++) {
		if (sched->thread[id].component == component)
			group |= sched->thread[id].own_groups;
		known |= sched->thread[id].own_groups;
	}
	if (!(group & GROUP_REST))
		return group;
	group = 1u << __builtin_ctz(~known);
	for (unsigned int id = 1; id <= sched->threads; id++)
		if (sched->thread[id].component == component)
			sched->thread[id].own_groups = group;
	return group;
}

/* Inserts a slot in the order of time. Returns false if it overlaps another slot. */
static bool slot_add(struct policy *policy, struct slot slot)
{
	unsigned int at = policy->slots;

	for (; at && policy->slot[at - 1].begin > slot.begin; at--)
		policy->slot[at] = policy->slot[at - 1];
	policy->slot[at] = slot;
	policy->slots++;
	return (!at || policy->slot[at - 1].end <= slot.begin) &&
	       (at + 1 == policy->slots || slot.end <= policy->slot[at + 1].begin);
}

static long slot_read(struct sched *sched, struct policy *policy, const char *name,
		      const char *text)
{
	uint64_t number[3];
	struct slot slot;

	if (!numbers_read(text, number, 3) || !number[2])
		return argument_refuse(name, "must be @NAME US US");
	if (!number[0] || thread_proxy(sched, number[0]) != number[0])
		return argument_refuse(name, "not this scheduler's thread");
	slot = (struct slot){ .begin = limpet_us_to_ticks(number[1]),
			      .end = limpet_us_to_ticks(number[1] + number[2]),
			      .group = group_of(sched, sched->thread[number[0]].component) };
	if (slot.end > policy->cycle)
		return argument_refuse(name, "ends after cycle-us");
	if (!slot_add(policy, slot))
		return argument_refuse(name, "overlaps another slot");
	return LIMPET_OK;
}

long policy_setup(struct sched *sched, const struct limpet_info *info)
{
	int64_t cycle = limpet_arg_number(info, "cycle-us", 0);
	long status = LIMPET_OK;

	queue_init(&policy.ready, sched);
	for (unsigned int id = 1; id <= sched->threads; id++)
		sched->thread[id].own_groups = GROUP_REST;
	if (cycle <= 0 || (uint64_t)cycle > PERIOD_MAX >> 16)
		return argument_refuse("cycle-us", "must be 1 to 16777216");
	policy.cycle = limpet_us_to_ticks((uint64_t)cycle);
	for (unsigned int i = 0; i < SLOTS && !status; i++) {
		char name[16];
		const char *text;

		limpet_format(name, sizeof(name), "slot-%u", i);
		text = limpet_arg_text(info, name, "");
		if (*text)
			status = slot_read(sched, &policy, name, text);
	}
	return status;
}

/*
 * Finds the current slot, and sets the timer to its end, or to the start of the next one. Cycles keep their phase, even
 * if time was lost.
 */
static void slot_find(struct sched *sched, uint64_t now)
{
	const struct slot *slot;
	uint64_t next;

	policy.began += (now - policy.began) / policy.cycle * policy.cycle;
	for (policy.at = 0; policy.at < policy.slots; policy.at++)
		if (now - policy.began < policy.slot[policy.at].end)
			break;
	slot = &policy.slot[policy.at];
	policy.group = 0;
	if (policy.at == policy.slots) {
		next = policy.began + policy.cycle;
	} else if (now - policy.began < slot->begin) {
		next = policy.began + slot->begin;
	} else {
		policy.group = slot->group;
		next = policy.began + slot->end;
	}
	timers_insert(&sched->timers, TIMER_POLICY, next, 0);
}

void policy_begin(struct sched *sched)
{
	policy.began = limpet_time();
	slot_find(sched, policy.began);
}

/* Ends or starts a slot. Counts an overrun for each thread that could still run at the end of its slot. */
void policy_timer(struct sched *sched)
{
	uint64_t now = time_now(sched);

	for (unsigned int id = queue_top_with(&policy.ready, policy.group); id;
	     id = queue_next_with(&policy.ready, id, policy.group))
		if (sched->thread[id].own_groups & policy.group)
			sched->thread[id].overruns++;
	slot_find(sched, now);
}
