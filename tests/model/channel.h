/* SPDX-License-Identifier: GPL-2.0 */
/* The model of a channel: its memory, the settings of a scenario, and the two sides that run shared/channel/end.h. */
#ifndef MODEL_CHANNEL_H
#define MODEL_CHANNEL_H

#include <stddef.h>

#include "tso.h"

#define LIMPET_CLAIM(place) ((__typeof__(place))side_load(&(place), sizeof(place)))
#define LIMPET_SAY(place, value) side_store(&(place), sizeof(place), (uint64_t)(value))
#define LIMPET_FENCE() tso_fence()

/* access.c: an access of the side whose turn it is; one that it must not make ends the exploration. */
uint64_t side_load(const volatile void *place, uint32_t size);
void side_store(volatile void *place, uint32_t size, uint64_t value);

#include "channel/end.h"

enum {
	RING = 32,
	HEADER = sizeof(struct limpet_channel_header),
	/* Notifications for the other side's kernel: one word for each side. */
	PENDING = HEADER + 2 * RING,
	COMPONENT = 0,
	HOST = 1,
};

_Static_assert(PENDING + 16 <= TSO_MEMORY, "the channel fits");

/* The actions of both sides in a scenario. */
struct scenario {
	const char *name;
	uint32_t sends[2];  /* messages, or bytes, that each side sends in each connection */
	uint32_t events[2]; /* that each side sends in each connection */
	uint32_t dies[2];   /* number of times that each side may die at any place, and restart */
	uint32_t scribbles; /* words that a third one may write over, any time */
	uint32_t buffer;    /* stores in a store buffer */
	bool long_;	    /* only if it is asked for by name */
	bool bytes;
	bool hostile; /* the host's words, and all that it can write, are anything at any time */
};
extern const struct scenario *scenario;

/* The state of a side. */
struct side {
	struct limpet_end end;
	uint32_t lives;			      /* times that it began */
	uint32_t generation, peer_generation; /* of the connection that all this belongs to */
	uint32_t sent, received;	      /* messages or bytes */
	uint32_t events_sent, events_received;
	uint32_t turns;
	bool asleep; /* it announced that */
};

_Static_assert(sizeof(struct side) <= TSO_KEPT, "it fits");

extern int self;	  /* whose turn it is, */
extern struct side *side; /* and what it keeps */

static inline struct limpet_channel_header *header(void)
{
	return (struct limpet_channel_header *)tso_memory;
}

/* The ring that side `who` writes. */
static inline unsigned char *ring(int who)
{
	return tso_memory + HEADER + (who == COMPONENT ? 0 : RING);
}

static inline struct limpet_side *line(int who)
{
	return who == COMPONENT ? &header()->component : &header()->host;
}

static inline uint64_t *pending(int who)
{
	return (uint64_t *)(tso_memory + PENDING) + who;
}

static inline bool within(const volatile void *place, uint32_t size, const void *region,
			  uint32_t length)
{
	const volatile char *p = place, *r = region;

	return p >= r && p + size <= r + length;
}

/* side.c and beside.c: functions for struct tso_model. */
void side_turn(int who, void *kept);
bool beside_happen(struct tso_world *w, int n);
extern const int beside_happenings;
const char *beside_ended(struct tso_world *w);
void beside_name(uint32_t at, char *text, int size);
bool beside_own(const struct tso_world *w, int who, uint32_t at);

#endif
