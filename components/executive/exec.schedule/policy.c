// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reservations are constant bandwidth servers (Abeni and Buttazzo, 1998) in the hard form: a guest that has used its
 * budget stops until its deadline. They precede all shares. Among shares the guest with the lowest virtual time is
 * first. This is its processor time divided by its share. A guest gets no credit for the time that it slept.
 */
#include "schedule.h"

#include <runtime/time.h>

struct member {
	uint32_t program;
	word deadline, left; /* reservation: end of the period, remaining ticks of its budget */
	word virtual;	     /* share: its virtual time */
};

static struct member members[LIMPET_GUESTS_MAX];
static word quantum, virtual_now;

static const struct rule *rule_of(unsigned int id)
{
	return &rules[members[id].program];
}

static bool is_reserved(unsigned int id)
{
	return !rule_of(id)->share;
}

static bool before(unsigned int a, unsigned int b)
{
	if (is_reserved(a) != is_reserved(b))
		return is_reserved(a);
	if (is_reserved(a))
		return members[a].deadline < members[b].deadline;
	return members[a].virtual < members[b].virtual;
}

static void period_begin(unsigned int id, word at)
{
	members[id].deadline = at + rule_of(id)->period;
	members[id].left = rule_of(id)->budget;
}

static word used(unsigned int id, word ticks, word now)
{
	struct member *member = &members[id];

	if (!is_reserved(id)) {
		virtual_now = member->virtual > virtual_now ? member->virtual : virtual_now;
		member->virtual += ticks / rule_of(id)->share;
		return 0;
	}
	member->left = member->left > ticks ? member->left - ticks : 0;
	if (member->left)
		return 0;
	return member->deadline > now ? member->deadline : now + 1;
}

/* Returns whether the rest of the budget exceeds the reservation for the time until the deadline. */
static bool is_too_much(unsigned int id, word now)
{
	const struct rule *rule = rule_of(id);
	const struct member *member = &members[id];

	return (unsigned __int128)member->left * rule->period >
	       (unsigned __int128)(member->deadline - now) * rule->budget;
}

static word ready(unsigned int id, word since)
{
	struct member *member = &members[id];

	if (!is_reserved(id)) {
		if (member->virtual + quantum < virtual_now)
			member->virtual = virtual_now - quantum;
		return 0;
	}
	if (since >= member->deadline || is_too_much(id, since))
		period_begin(id, since);
	return member->left ? 0 : member->deadline;
}

static word until(unsigned int id, word now)
{
	return now + (is_reserved(id) ? members[id].left : quantum);
}

/* Returns false for a share that becomes ready, because the end of the quantum considers it. */
static bool matters(unsigned int a, unsigned int b)
{
	return is_reserved(b) && !(is_reserved(a) && members[b].deadline >= members[a].deadline);
}

static void behind(unsigned int a, unsigned int b)
{
	if (!is_reserved(b) && members[a].virtual <= members[b].virtual)
		members[a].virtual = members[b].virtual + 1;
}

/* `what` is the number of the guest's program. */
static void set(unsigned int id, word what)
{
	members[id].program = (uint32_t)what;
	members[id].virtual = virtual_now;
	period_begin(id, limpet_time());
}

void schedule_init(word ticks)
{
	static const struct turn_policy policy = { .before = before,
						   .used = used,
						   .ready = ready,
						   .set = set,
						   .until = until,
						   .behind = behind,
						   .matters = matters };

	quantum = ticks;
	virtual_now = 0;
	turn_init(&policy);
}

void schedule_yield(unsigned int id)
{
	if (is_reserved(id))
		turn_stop(id, members[id].deadline);
	else
		turn_pass(id);
}
