/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of a channel: what both sides do alike, <limpet/channel.h>. Used by components (lib/channel),
 * by the module and by liblimpet. Wait-free, no call of anything; cost: constant, but for copying.
 *
 * One thread at a time uses an end: each of these functions may find that the channel must begin anew,
 * and that changes both directions. How to use it, with `notify` and `wait` for the events:
 *
 *	if (limpet_end_connected(e) && (p = limpet_end_reserve(e, n))) {
 *		memcpy(p, data, n);
 *		limpet_end_commit(e, n);
 *	}
 *	if (limpet_end_wanted(e, LIMPET_SLEEP_DATA))	// SPACE after something was taken out
 *		notify();
 *
 *	for (;;) {
 *		limpet_end_sleep(e, LIMPET_SLEEP_DATA);	// SPACE to wait for room
 *		if (limpet_end_connected(e) && (m = limpet_end_peek(e, &n)))
 *			break;
 *		if (limpet_end_wanted(e, 0))		// before each wait
 *			notify();
 *		wait();
 *	}
 *	limpet_end_sleep(e, 0);
 */
#ifndef CHANNEL_END_H
#define CHANNEL_END_H

#include <limpet/channel.h>

/* What a side keeps for itself: all 0, then the first six set, then limpet_end_begin() or _adopt(). */
struct limpet_end {
	struct limpet_side *self;
	struct limpet_side *peer;   /* claims */
	char *out;		    /* the ring that this side writes */
	const char *in;		    /* the ring that it reads; claims */
	uint64_t out_size, in_size; /* powers of two, at least 32, or 0: no such ring */
	uint64_t head, tail;	    /* what stands in self, or will */
	uint64_t next;		    /* where the message that was reserved begins */
	uint64_t room;		    /* bytes that may be put in: reserved, or found by _room() */
	uint64_t taken;	     /* bytes that may be taken out: peeked at, or found by _bytes() */
	uint64_t sent;	     /* events */
	uint64_t events;     /* of the other side's, taken */
	uint32_t generation; /* of this side */
	uint32_t peer_generation;
	bool tell;	 /* the other side is to be told, whatever it waits for */
	uint64_t broken; /* times that the words in the channel made no sense */
};

/*
 * Every access to the shared memory is one of these (and what the caller does to contents); the model
 * check in tests/model puts its own in their place. What the other side writes is read once, and before
 * whatever it made ready first.
 */
#ifndef LIMPET_CLAIM
#define LIMPET_CLAIM(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define LIMPET_SAY(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define LIMPET_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* Nothing is under way. `sleeping` stays: this may be a look before a wait. */
static inline void limpet_end_zero(struct limpet_end *e)
{
	e->head = e->tail = e->next = e->room = e->taken = e->sent = e->events = 0;
	LIMPET_SAY(e->self->head, 0ul);
	LIMPET_SAY(e->self->tail, 0ul);
	LIMPET_SAY(e->self->events, 0ul);
	e->tell = true;
}

/* The next generation in the same life of a side: the upper half stays, it may count lives. */
static inline uint32_t limpet_generation_after(uint32_t generation)
{
	uint32_t next = (generation & 0xffff0000u) | ((generation + 1) & 0xffff);

	return next ? next : 1;
}

/*
 * Begins, or begins anew. `generation` is not 0 and none that the other side may still know: count up.
 * The other side is to be told (limpet_end_wanted()).
 */
static inline void limpet_end_begin(struct limpet_end *e, uint32_t generation)
{
	e->generation = generation;
	e->peer_generation = 0;
	LIMPET_SAY(e->self->seen, 0u); /* first: limpet_end_doubt() */
	limpet_end_zero(e);
	LIMPET_SAY(e->self->generation, generation);
}

/* What stands in the channel makes no sense: what is under way is dropped. */
static inline void limpet_end_broken(struct limpet_end *e)
{
	e->broken++;
	limpet_end_begin(e, limpet_generation_after(e->generation));
}

/*
 * What the other side says makes no sense: unless it is about to begin anew. It takes back `seen` before
 * all else, and says its new generation before it sees this side again: in this order, thus.
 */
static inline void limpet_end_doubt(struct limpet_end *e)
{
	if (LIMPET_CLAIM(e->peer->seen) == e->generation &&
	    LIMPET_CLAIM(e->peer->generation) == e->peer_generation)
		limpet_end_broken(e);
}

/* Whether this side's own words still stand as it said them. */
static inline bool limpet_end_stands(const struct limpet_end *e)
{
	return LIMPET_CLAIM(e->self->generation) == e->generation &&
	       LIMPET_CLAIM(e->self->seen) == e->peer_generation &&
	       LIMPET_CLAIM(e->self->head) == e->head && LIMPET_CLAIM(e->self->tail) == e->tail;
}

/*
 * Whether both sides have seen each other; to be asked before each look at the channel. Takes notice of
 * another side that began anew: what was reserved or peeked at is void then, and peer_generation differs.
 */
static inline bool limpet_end_connected(struct limpet_end *e)
{
	uint32_t generation;

	if (!limpet_end_stands(e))
		limpet_end_broken(e);
	generation = LIMPET_CLAIM(e->peer->generation);
	if (generation != e->peer_generation) {
		limpet_end_zero(e);
		e->peer_generation = generation;
		LIMPET_SAY(e->self->seen, generation);
	}
	return generation && LIMPET_CLAIM(e->peer->seen) == e->generation;
}

/* Whether what was taken over can be gone on with. `align`: of messages 8, else 1. */
static inline bool limpet_end_sensible(const struct limpet_end *e, uint64_t align)
{
	return e->generation && e->peer_generation && !((e->head | e->tail) & (align - 1)) &&
	       LIMPET_CLAIM(e->peer->seen) == e->generation &&
	       LIMPET_CLAIM(e->peer->generation) == e->peer_generation &&
	       e->head - LIMPET_CLAIM(e->peer->tail) <= e->out_size &&
	       LIMPET_CLAIM(e->peer->head) - e->tail <= e->in_size;
}

/*
 * Takes over from whoever was this side before, and maybe was killed: goes on where that stopped, so that
 * nothing is lost, or begins anew if what that has left makes no sense. Nobody else may write `self` now.
 */
static inline void limpet_end_adopt(struct limpet_end *e, uint64_t align)
{
	e->head = LIMPET_CLAIM(e->self->head);
	e->tail = LIMPET_CLAIM(e->self->tail);
	e->room = e->taken = 0;
	e->sent = LIMPET_CLAIM(e->self->events);
	e->events = LIMPET_CLAIM(e->peer->events);
	e->generation = LIMPET_CLAIM(e->self->generation);
	e->peer_generation = LIMPET_CLAIM(e->self->seen);
	if (!limpet_end_sensible(e, align))
		limpet_end_begin(e, limpet_generation_after(e->generation));
}

/* Bytes that are in the ring that this side writes; nonsense breaks the channel and counts as full. */
static inline uint64_t limpet_end_filled(struct limpet_end *e)
{
	uint64_t used = e->head - LIMPET_CLAIM(e->peer->tail);

	if (used <= e->out_size)
		return used;
	limpet_end_doubt(e);
	return e->out_size;
}

/* Bytes in the ring that this side reads; nonsense breaks the channel and leaves none. */
static inline uint64_t limpet_end_used(struct limpet_end *e)
{
	uint64_t used = LIMPET_CLAIM(e->peer->head) - e->tail;

	if (used <= e->in_size)
		return used;
	limpet_end_doubt(e);
	return 0;
}

static inline void limpet_end_head(struct limpet_end *e, uint64_t head)
{
	e->head = head;
	LIMPET_SAY(e->self->head, head);
}

static inline void limpet_end_tail(struct limpet_end *e, uint64_t tail)
{
	e->tail = tail;
	LIMPET_SAY(e->self->tail, tail);
}

/* --- messages */

static inline uint64_t limpet_message_room(uint64_t length)
{
	return LIMPET_MESSAGE_HEADER + ((length + 7) & ~7ul);
}

/*
 * Room for a message of `length` bytes, at most LIMPET_MESSAGE_MAX(out_size), to be filled and then
 * committed, with that length or less; or NULL: not now.
 */
static inline void *limpet_end_reserve(struct limpet_end *e, uint64_t length)
{
	uint64_t room = limpet_message_room(length), at = e->head & (e->out_size - 1);
	uint64_t skip = e->out_size - at < room ? e->out_size - at : 0;

	if (length > e->out_size || e->out_size - limpet_end_filled(e) < skip + room)
		return (void *)0;
	if (skip)
		LIMPET_SAY(*(uint32_t *)(e->out + at), LIMPET_MESSAGE_SKIP);
	e->next = e->head + skip;
	e->room = room;
	return e->out + (e->next & (e->out_size - 1)) + LIMPET_MESSAGE_HEADER;
}

/* What was reserved is a message now; nothing if the channel has begun anew since: that message is lost. */
static inline void limpet_end_commit(struct limpet_end *e, uint64_t length)
{
	uint64_t room = limpet_message_room(length);

	if (room > e->room)
		return;
	e->room = 0;
	LIMPET_SAY(*(uint32_t *)(e->out + (e->next & (e->out_size - 1))), (uint32_t)length);
	limpet_end_head(e, e->next + room);
}

/*
 * The oldest message, in place, and its length; NULL: there is none. It may change while it is looked at,
 * if the other side is hostile: copy what must not. It stays until limpet_end_release(), or until the
 * channel begins anew. Nonsense breaks the channel. A hostile side can offer messages without end.
 */
static inline const void *limpet_end_peek(struct limpet_end *e, uint64_t *length)
{
	uint64_t used = limpet_end_used(e), at = e->tail & (e->in_size - 1);
	uint64_t rest = e->in_size - at;
	uint32_t claim;

	if (!used)
		return (void *)0;
	claim = LIMPET_CLAIM(*(const uint32_t *)(e->in + at));
	if (claim == LIMPET_MESSAGE_SKIP && used > rest) {
		limpet_end_tail(e, e->tail + rest);
		used -= rest;
		rest = e->in_size;
		at = 0;
		claim = LIMPET_CLAIM(*(const uint32_t *)e->in);
	}
	e->taken = limpet_message_room(claim);
	if (e->taken > used || e->taken > rest) {
		limpet_end_broken(e);
		return (void *)0;
	}
	*length = claim;
	return e->in + at + LIMPET_MESSAGE_HEADER;
}

/* The message that was peeked at is done with. */
static inline void limpet_end_release(struct limpet_end *e)
{
	limpet_end_tail(e, e->tail + e->taken);
	e->taken = 0;
}

/* --- bytes: as many as lie in one piece; a second call gives the rest */

/* Where bytes can be put and how many, maybe none; then limpet_end_put() so many or fewer, else none. */
static inline char *limpet_end_room(struct limpet_end *e, uint64_t *length)
{
	uint64_t at = e->head & (e->out_size - 1), free = e->out_size - limpet_end_filled(e);

	*length = e->room = free < e->out_size - at ? free : e->out_size - at;
	return e->out + at;
}

static inline void limpet_end_put(struct limpet_end *e, uint64_t length)
{
	if (length > e->room)
		return;
	e->room -= length;
	limpet_end_head(e, e->head + length);
}

/* Where bytes are and how many, maybe none; then limpet_end_take() so many or fewer, else none. */
static inline const char *limpet_end_bytes(struct limpet_end *e, uint64_t *length)
{
	uint64_t used = limpet_end_used(e), at = e->tail & (e->in_size - 1);

	*length = e->taken = used < e->in_size - at ? used : e->in_size - at;
	return e->in + at;
}

static inline void limpet_end_take(struct limpet_end *e, uint64_t length)
{
	if (length > e->taken)
		return;
	e->taken -= length;
	limpet_end_tail(e, e->tail + length);
}

/* --- events */

/* One more event: the other side is to be told in any case. */
static inline void limpet_end_event(struct limpet_end *e)
{
	LIMPET_SAY(e->self->events, ++e->sent);
}

/* How many events have come since the last call; from a hostile side any number. Back is nonsense. */
static inline uint64_t limpet_end_events(struct limpet_end *e)
{
	uint64_t sent = LIMPET_CLAIM(e->peer->events), news = sent - e->events;

	if (news >> 63) {
		limpet_end_doubt(e);
		return 0;
	}
	e->events = sent;
	return news;
}

/*
 * After something was put in (DATA) or taken out (SPACE), and before each wait (0): whether the other
 * side is to be told, because it waits for that or because the channel began anew.
 */
static inline bool limpet_end_wanted(struct limpet_end *e, uint32_t what)
{
	bool tell = e->tell;

	e->tell = false;
	LIMPET_FENCE();
	return (LIMPET_CLAIM(e->peer->sleeping) & what) || tell;
}

/*
 * Before a wait, for all that is waited for; then look once more, and wait only if there is still nothing.
 * 0: awake again.
 */
static inline void limpet_end_sleep(struct limpet_end *e, uint32_t what)
{
	LIMPET_SAY(e->self->sleeping, what);
	LIMPET_FENCE();
}

#endif
