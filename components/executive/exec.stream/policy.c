// SPDX-License-Identifier: BSD-2-Clause
#include "stream.h"

#include <runtime/time.h>

#define SECOND_US 1000000
/*
 * Tokens in a period in addition to the promise. The guest with the largest promise receives at the same time in each
 * period, other guests after those before them. So a program that counts packets can see slightly different numbers in
 * its periods.
 */
#define MORE_FIRST 1
#define MORE 3

struct member {
	uint32_t program;
	uint32_t tokens;
	word refreshed; /* period in which it got its last new tokens */
	word ran;	/* processor time; ready() raises it after a long sleep */
};

static struct member members[LIMPET_GUESTS_MAX];
static word period, quantum, origin, ran_max;
static word period_us;

static word period_at(word now)
{
	return 1 + (now - origin) / period;
}

static uint32_t tokens_new(unsigned int program)
{
	const word tokens = (promises[program] * period_us + SECOND_US - 1) / SECOND_US;

	if (!tokens)
		return 0;
	return (uint32_t)tokens + (promises[program] == promise_max ? MORE_FIRST : MORE);
}

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Adds the tokens of a new period. Unused tokens of the last period stay valid for this one. */
static uint32_t tokens_of(unsigned int id, word now)
{
	struct member *member = &members[id];

	if (member->refreshed != period_at(now)) {
		member->refreshed = period_at(now);
		member->tokens = min(member->tokens, tokens_new(member->program)) +
				 tokens_new(member->program);
	}
	return member->tokens;
}

/*
 * Guests with tokens go first, ordered by promise, so that all periods have the same order. Guests without tokens are
 * ordered by processor time, lowest first.
 */
static bool before(unsigned int a, unsigned int b)
{
	const word now = limpet_time();
	const bool first = tokens_of(a, now);

	if (first != (tokens_of(b, now) > 0))
		return first;
	if (first && promises[members[a].program] != promises[members[b].program])
		return promises[members[a].program] > promises[members[b].program];
	return members[a].ran < members[b].ran;
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
	if (tokens_of(id, limpet_time()) &&
	    !__atomic_sub_fetch(&members[id].tokens, 1, __ATOMIC_RELAXED))
		turn_break(id);
}
