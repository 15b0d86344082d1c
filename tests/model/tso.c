// SPDX-License-Identifier: GPL-2.0
/* Every execution of two actors: tso.h. Depth first, each state once. */
#include "tso.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visited.h"

enum outcome { WENT_ON = 1, BLOCKED, WRONG };

_Alignas(64) unsigned char tso_memory[TSO_MEMORY];

/* The current step. */
static struct {
	const struct tso_model *model;
	struct tso_world *world;
	struct tso_actor *actor;
	jmp_buf out;
	uint32_t choice, choices; /* the one to take; how many there were */
	uint32_t at, before;	  /* accesses of this turn so far; of earlier steps */
	bool moved;		  /* something was done that others could have come before */
	bool story;
	const char *wrong;
	int who;
} now;

static void __attribute__((format(printf, 1, 2))) trace(const char *format, ...)
{
	__builtin_va_list list;

	if (!now.story)
		return;
	__builtin_va_start(list, format);
	vprintf(format, list);
	__builtin_va_end(list);
}

static const char *name(uint32_t at)
{
	static char text[64];

	now.model->name(at, text, sizeof(text));
	return text;
}

static uint32_t offset(const volatile void *place, uint32_t size)
{
	uint64_t at = (uint64_t)((const volatile unsigned char *)place - tso_memory);

	tso_assert(at + size <= TSO_MEMORY && at < TSO_MEMORY && !(at & (size - 1)),
		   "an access outside of the memory, or not aligned");
	return (uint32_t)at;
}

static uint64_t memory_get(const struct tso_world *w, uint32_t at, uint32_t size)
{
	uint64_t value = 0;

	memcpy(&value, w->memory + at, size);
	return value;
}

/* Returns whether an earlier step of this turn already made this access, and its result. */
static bool done(uint64_t *result)
{
	tso_assert(now.at < TSO_RESULTS, "a turn without end");
	if (now.at >= now.actor->done)
		return false;
	*result = now.actor->results[now.at++];
	return true;
}

static uint64_t record(uint64_t result)
{
	now.actor->results[now.at++] = result;
	now.actor->done = now.at;
	return result;
}

/* Before something that others can come before: a step has one of them. */
static void move(void)
{
	if (now.moved)
		longjmp(now.out, WENT_ON);
	now.moved = true;
}

/* Keeps the accesses of this step. */
static void block_unless(bool can)
{
	if (!can)
		longjmp(now.out, now.at > now.before ? WENT_ON : BLOCKED);
}

uint64_t tso_load(const volatile void *place, uint32_t size)
{
	uint32_t at = offset(place, size), i;
	uint64_t value;

	if (done(&value))
		return value;
	if (!now.model->own(now.world, now.who, at))
		move();
	value = memory_get(now.world, at, size);
	for (i = 0; i < now.actor->stores; i++) {
		const struct tso_store *s = &now.actor->buffer[i];

		if (s->at == at && s->size == size)
			value = s->value;
		else
			tso_assert(s->at + s->size <= at || at + size <= s->at,
				   "a load of part of a store");
	}
	trace("  %d: %s is %lx\n", now.who, name(at), value);
	return record(value);
}

void tso_store(volatile void *place, uint32_t size, uint64_t value)
{
	uint32_t at = offset(place, size);
	uint64_t nothing;

	if (done(&nothing))
		return;
	if (now.actor->stores == now.model->buffer) {
		move();
		block_unless(false);
	}
	value &= ~0ul >> (64 - 8 * size);
	now.actor->buffer[now.actor->stores++] =
		(struct tso_store){ .value = value, .at = at, .size = size };
	trace("  %d: %s = %lx, in the buffer\n", now.who, name(at), value);
	record(0);
}

void tso_fence(void)
{
	uint64_t nothing;

	if (done(&nothing))
		return;
	move();
	block_unless(!now.actor->stores);
	trace("  %d: fence\n", now.who);
	record(0);
}

void tso_wait(volatile void *place)
{
	uint32_t at = offset(place, 8);
	uint64_t nothing;

	if (done(&nothing))
		return;
	move();
	block_unless(!now.actor->stores && memory_get(now.world, at, 8));
	memset(now.world->memory + at, 0, 8);
	trace("  %d: woken\n", now.who);
	record(0);
}

uint32_t tso_choose(uint32_t n)
{
	uint64_t result;

	if (done(&result))
		return (uint32_t)result;
	move();
	tso_assert(n && n <= TSO_CHOICES, "too many choices");
	now.choices = n;
	return (uint32_t)record(now.choice);
}

void tso_assert(bool right, const char *what)
{
	if (right)
		return;
	now.wrong = what;
	longjmp(now.out, WRONG);
}

/* Moves the oldest store of `who` to memory. There is one. */
static enum outcome drain(struct tso_world *w, int who)
{
	struct tso_actor *a = &w->actor[who];

	memcpy(w->memory + a->buffer[0].at, &a->buffer[0].value, a->buffer[0].size);
	trace("  %d: %s reaches memory\n", who, name(a->buffer[0].at));
	memmove(a->buffer, a->buffer + 1, --a->stores * sizeof(a->buffer[0]));
	memset(&a->buffer[a->stores], 0, sizeof(a->buffer[0]));
	return WENT_ON;
}

/* Continues `who` until the next access that others can affect, or the end of its turn. */
static enum outcome advance(struct tso_world *w, int who, uint32_t choice)
{
	static _Alignas(8) unsigned char kept[TSO_KEPT];
	struct tso_actor *a = &w->actor[who];
	int outcome;

	now.world = w;
	now.actor = a;
	now.who = who;
	now.choice = choice;
	now.choices = 1;
	now.at = 0;
	now.before = a->done;
	now.moved = false;
	memcpy(kept, a->kept, sizeof(kept));
	outcome = setjmp(now.out);
	if (outcome)
		return (enum outcome)outcome;
	now.model->turn(who, kept);
	memcpy(a->kept, kept, sizeof(kept));
	memset(a->results, 0, a->done * sizeof(a->results[0]));
	a->done = 0;
	return WENT_ON;
}

/* A state on the way from the first one. */
struct point {
	struct tso_world world;
	uint64_t key[2];
	int next;  /* the way to try next */
	int taken; /* the one that was tried last */
	uint32_t choices[TSO_ACTORS];
	bool went; /* not at an end of the execution */
};

/* Way number n from `p`: stores that drain, what happens, then the actors' choices. */
static enum outcome take(const struct point *p, int n, struct tso_world *w)
{
	const struct tso_model *m = now.model;
	int who;

	if (n < TSO_ACTORS) {
		if (!p->world.actor[n].stores)
			return BLOCKED;
		*w = p->world;
		return drain(w, n);
	}
	n -= TSO_ACTORS;
	if (n < m->happenings) {
		*w = p->world;
		if (!m->happen(w, n))
			return BLOCKED;
		trace("  happens: number %d\n", n);
		return WENT_ON;
	}
	n -= m->happenings;
	who = n / TSO_CHOICES;
	if ((uint32_t)n % TSO_CHOICES >= p->choices[who])
		return BLOCKED;
	*w = p->world;
	return advance(w, who, (uint32_t)n % TSO_CHOICES);
}

static int ways(void)
{
	return TSO_ACTORS + now.model->happenings + TSO_ACTORS * TSO_CHOICES;
}

static bool show(const struct point *way, uint32_t length, const char *wrong)
{
	static struct tso_world w;
	uint32_t i;

	printf("WRONG: %s\n", wrong);
	now.story = true;
	for (i = 0; i < length; i++)
		take(&way[i], way[i].taken, &w);
	now.story = false;
	return false;
}

/* The state `w` becomes the last of the way. */
static void point_begin(struct point *p, const struct tso_world *w, const uint64_t *key)
{
	int i;

	p->world = *w;
	memcpy(p->key, key, sizeof(p->key));
	p->next = 0;
	p->went = false;
	for (i = 0; i < TSO_ACTORS; i++)
		p->choices[i] = 1;
}

bool tso_explore(const struct tso_model *model, const struct tso_world *first,
		 struct tso_result *result)
{
	static struct tso_world w;
	uint32_t length = 1, capacity = 1024;
	struct point *way = malloc(capacity * sizeof(*way));
	struct visited *seen = visited_new();
	uint64_t key[2];

	memset(&now, 0, sizeof(now));
	now.model = model;
	memset(result, 0, sizeof(*result));
	visited_key(first, sizeof(*first), key);
	visited_enter(seen, key);
	point_begin(&way[0], first, key);
	result->states = 1;
	while (length) {
		struct point *p = &way[length - 1];
		enum outcome outcome;
		int n = p->next++, turn;

		if (n == ways()) {
			const char *wrong = p->went ? NULL : model->ended(&p->world);

			if (wrong)
				return show(way, length - 1, wrong);
			result->ends += !p->went;
			visited_leave(seen, p->key);
			length--;
			continue;
		}
		p->taken = n;
		outcome = take(p, n, &w);
		turn = n - TSO_ACTORS - model->happenings;
		if (turn >= 0 && turn % TSO_CHOICES == 0)
			p->choices[turn / TSO_CHOICES] = now.choices;
		if (outcome == WRONG)
			return show(way, length, now.wrong);
		if (outcome == BLOCKED)
			continue;
		p->went = true;
		visited_key(&w, sizeof(w), key);
		switch (visited_enter(seen, key)) {
		case VISITED_ON_THE_WAY:
			return show(way, length, "this can go round for ever");
		case VISITED:
			continue;
		case VISITED_NEVER:
			break;
		}
		result->states++;
		if (length == capacity)
			way = realloc(way, (capacity *= 2) * sizeof(*way));
		point_begin(&way[length++], &w, key);
		if (length > result->longest)
			result->longest = length;
	}
	visited_free(seen);
	free(way);
	return true;
}
