// SPDX-License-Identifier: GPL-2.0
/* Events outside the turns, the conditions of a good end, and the output. */
#include <stdio.h>
#include <string.h>

#include "channel.h"

/* The numbers of what happens, and of how often it still may. */
enum {
	DIES, /* component, host */
	CLOSES = 2,
	SCRIBBLES = 3, /* and so on */
	SCRIBBLE_BUDGET = 3,
};

/* The words that are overwritten, and the values: limits of the numbers, and plausible values. */
static const struct scribble {
	uint32_t at, size;
	uint64_t value;
} scribble[] = {
#define WORD(side, word, value)                                                                    \
	{ offsetof(struct limpet_channel_header, side.word), sizeof(header()->side.word), value }
#define LINE(side)                                                                                 \
	WORD(side, head, 0), WORD(side, head, 8), WORD(side, head, ~0ul), WORD(side, tail, 0),     \
		WORD(side, tail, 8), WORD(side, tail, ~0ul), WORD(side, events, ~0ul),             \
		WORD(side, generation, 0), WORD(side, generation, 2), WORD(side, seen, 0),         \
		WORD(side, seen, 2), WORD(side, sleeping, 0)
	LINE(component),
	LINE(host),
	{ HEADER, 4, 16 },
	{ HEADER, 4, ~0u },
};

const int beside_happenings = SCRIBBLES + sizeof(scribble) / sizeof(scribble[0]);

static bool dies(struct tso_world *w, int who)
{
	struct tso_actor *a = &w->actor[who];
	struct side *s = (struct side *)a->kept;
	uint32_t lives = s->lives;

	if (!w->budget[who] || !s->end.self)
		return false;
	w->budget[who]--;
	memset(a->kept, 0, sizeof(a->kept));
	s->lives = lives;
	memset(a->results, 0, sizeof(a->results));
	a->done = 0;
	return true;
}

/* Returns whether both sides have started and seen each other. Before that, nothing can be lost. */
static bool met(const struct tso_world *w)
{
	const struct side *c = (const void *)w->actor[COMPONENT].kept;
	const struct side *h = (const void *)w->actor[HOST].kept;

	return c->end.peer_generation && h->end.peer_generation;
}

bool beside_happen(struct tso_world *w, int n)
{
	if (n < CLOSES)
		return dies(w, n);
	if (n == CLOSES) { /* the writer of random words has ended: both sides are notified */
		if (!w->budget[2])
			return false;
		w->budget[2] = w->budget[3] = 0;
		memset(w->memory + PENDING, 1, 16);
		return true;
	}
	n -= SCRIBBLES;
	if (!w->budget[SCRIBBLE_BUDGET] || !met(w))
		return false;
	w->budget[SCRIBBLE_BUDGET]--;
	memcpy(w->memory + scribble[n].at, &scribble[n].value, scribble[n].size);
	return true;
}

const char *beside_ended(struct tso_world *w)
{
	const struct limpet_channel_header *h = (const void *)w->memory;
	int i;

	if (scenario->hostile)
		return NULL;

	for (i = 0; i < 2; i++) {
		const struct side *s = (const void *)w->actor[i].kept;
		const struct side *p = (const void *)w->actor[!i].kept;
		const struct limpet_side *l = i == COMPONENT ? &h->component : &h->host;

		if (!s->end.self || s->end.peer_generation != p->end.generation)
			return "both sleep, and are not connected";
		if (s->sent < scenario->sends[i] || s->end.head != p->end.tail ||
		    l->head != s->end.head || l->tail != s->end.tail)
			return "both sleep, and something is under way";
		if (!scenario->scribbles && p->received != scenario->sends[i])
			return "both sleep, and something was not received";
		if (p->events_received != scenario->events[i])
			return "both sleep, and an event was not received";
	}
	return NULL;
}

void beside_name(uint32_t at, char *text, int size)
{
	static const char *const word[] = { "head",	"head+4",     "tail", "tail+4",	 "events",
					    "events+4", "generation", "seen", "sleeping" };
	uint32_t first = offsetof(struct limpet_channel_header, component);

	if (at >= PENDING)
		snprintf(text, (size_t)size, "event for %d", (at - PENDING) / 8);
	else if (at >= HEADER)
		snprintf(text, (size_t)size, "ring of %d at %d", (at - HEADER) / RING,
			 (at - HEADER) % RING);
	else
		snprintf(text, (size_t)size, "%s of %d", word[(at - first) % 64 / 4 % 9],
			 (at - first) / 64);
}

/* Only a side itself writes its line, unless the writer of random words still runs. */
bool beside_own(const struct tso_world *w, int who, uint32_t at)
{
	uint32_t first = offsetof(struct limpet_channel_header, component) +
			 (uint32_t)who * (uint32_t)sizeof(struct limpet_side);

	return !w->budget[SCRIBBLE_BUDGET] && at >= first &&
	       at < first + sizeof(struct limpet_side);
}
