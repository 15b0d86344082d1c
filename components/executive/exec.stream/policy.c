// SPDX-License-Identifier: BSD-2-Clause
#include "stream.h"

#include <runtime/time.h>

#define SECOND_US 1000000
/*
 * Extra tokens in a period. The guest with the largest promise receives at the same time in each period, other guests
 * after those before them. So a program that counts packets can see slightly different numbers in its periods.
 */
#define EXTRA_FIRST 1
#define EXTRA 3

struct member {
	uint32_t program;
	uint32_t promised, extra; /* tokens; the promised ones are used first */
	word refreshed;		  /* period in which it got its last new tokens */
	word ran;		  /* processor time; ready() raises it after a long sleep */
};

static struct member members[LIMPET_GUESTS_MAX];
static word period, quantum, origin, ran_max;
static word period_us;

static word period_at(word now)
{
	return 1 + (now - origin) / period;
}

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Adds the tokens of a new period. Unused tokens of the last period stay valid for this one. */
static struct member *refreshed(unsigned int id, word now)
{
	struct member *member = &members[id];
	const word number = period_at(now), promise = promises[member->program];
	uint32_t tokens, extra;

	if (member->refreshed == number)
		return member;
	tokens = (uint32_t)((promise * period_us + SECOND_US - 1) / SECOND_US);
	extra = !promise ? 0 : promise == promise_max ? EXTRA_FIRST : EXTRA;
	member->refreshed = number;
	member->promised = min(member->promised, tokens) + tokens;
	member->extra = min(member->extra, extra) + extra;
	return member;
}

/* Returns 2 for a guest that has promised tokens, 1 for one that has only extra tokens, and 0 for one without tokens. */
static unsigned int rank(const struct member *member)
{
	return member->promised ? 2 : member->extra ? 1 : 0;
}

/*
 * Guests with a higher rank go first, so that extra tokens of one do not take the time that another one's promise needs.
 * Guests with tokens are ordered by promise, so that all periods have the same order, and guests without tokens by
 * processor time, lowest first.
 */
static bool before(unsigned int a, unsigned int b)
{
	const word now = limpet_time();
	const struct member *first = refreshed(a, now), *second = refreshed(b, now);

	if (rank(first) != rank(second))
		return rank(first) > rank(second);
	if (rank(first) && promises[first->program] != promises[second->program])
		return promises[first->program] > promises[second->program];
	return first->ran < second->ran;
}

static word used(unsigned int id, word ticks, word now)
{
	(void)now;
	members[id].ran += ticks;
	if (members[id].ran > ran_max)
		ran_max = members[id].ran;
	return 0;
}

static word ready(unsigned int id, word since)
{
	(void)since;
	if (members[id].ran + period < ran_max)
		members[id].ran = ran_max - period;
	return 0;
}

static word until(unsigned int id, word now)
{
	const word refresh = origin + period_at(now) * period;

	(void)id;
	return refresh < now + quantum ? refresh : now + quantum;
}

/* No call sleeps in this executive. */
static bool matters(unsigned int a, unsigned int b)
{
	(void)a;
	(void)b;
	return false;
}

/* `what` is the number of the guest's program. */
static void set(unsigned int id, word what)
{
	members[id] = (struct member){ .program = (uint32_t)what, .ran = ran_max };
}

void stream_init(word its_period, word its_quantum)
{
	static const struct turn_policy policy = { .before = before,
						   .used = used,
						   .ready = ready,
						   .set = set,
						   .until = until,
						   .matters = matters };

	period_us = its_period;
	period = limpet_us_to_ticks(its_period);
	quantum = limpet_us_to_ticks(its_quantum);
	origin = limpet_time();
	ran_max = 0;
	turn_init(&policy);
}

/* Usually a packet needs no decision. One instruction takes the token, because another guest's event may add tokens. */
void stream_receive(unsigned int id)
{
	struct member *member = refreshed(id, limpet_time());
	uint32_t *tokens = member->promised ? &member->promised : &member->extra;

	if (*tokens && !__atomic_sub_fetch(tokens, 1, __ATOMIC_RELAXED))
		turn_break(id);
}
