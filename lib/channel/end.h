/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of a channel: what both sides do alike, <limpet/channel.h>. Used by components (lib/channel),
 * by the module and by liblimpet. Wait-free, no call of anything; cost: constant, but for copying.
 *
 * One thread at a time may put in, and one at a time may take out; the same one, unless the caller
 * serialises limpet_end_connected(), which changes both directions.
 */
#ifndef CHANNEL_END_H
#define CHANNEL_END_H

#include <limpet/channel.h>

/* What a side keeps for itself. */
struct limpet_end {
	struct limpet_side *self;
	struct limpet_side *peer; /* claims */
	char *out;		  /* the ring that this side writes */
	const char *in;		  /* the ring that it reads; claims */
	uint64_t out_size, in_size;
	uint64_t head, tail; /* what stands in self, or will */
	uint64_t next;	     /* where the message that was reserved begins */
	uint64_t taken;	     /* bytes of the message that was peeked at */
	uint64_t sent;	     /* events */
	uint64_t events;     /* of the other side's, taken */
	uint32_t generation; /* of this side */
	uint32_t peer_generation;
	uint64_t broken; /* times that the other side's words made no sense */
};

/* What the other side writes is read once, and before whatever it made ready first. */
#define LIMPET_CLAIM(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define LIMPET_SAY(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define LIMPET_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

static inline void limpet_end_zero(struct limpet_end *e)
{
	e->head = e->tail = e->next = e->taken = e->sent = e->events = 0;
	LIMPET_SAY(e->self->head, 0ul);
	LIMPET_SAY(e->self->tail, 0ul);
	LIMPET_SAY(e->self->events, 0ul);
}

/* Begins, or begins anew: nothing is under way. `generation` is not 0 and not the one before. */
static inline void limpet_end_begin(struct limpet_end *e, uint32_t generation)
{
	e->generation = generation;
	e->peer_generation = 0;
	LIMPET_SAY(e->self->seen, 0u);
	limpet_end_zero(e);
	e->self->sleeping = 0;
	LIMPET_SAY(e->self->generation, generation);
}

/* What the other side wrote makes no sense: what is under way is dropped. */
static inline void limpet_end_broken(struct limpet_end *e)
{
	uint32_t next = e->generation + 1;

	e->broken++;
	limpet_end_begin(e, next ? next : 1);
}

/* Whether what stands in `self` can be gone on with. `align`: of messages 8, else 1. */
static inline bool limpet_end_sensible(const struct limpet_end *e, uint64_t align)
{
	return e->generation && !((e->head | e->tail) & (align - 1)) &&
	       e->head - LIMPET_CLAIM(e->peer->tail) <= e->out_size &&
	       LIMPET_CLAIM(e->peer->head) - e->tail <= e->in_size;
}

/*
 * Takes over from whoever was this side before, and maybe was killed: goes on where that stopped, so that
 * nothing is lost, or begins anew if what that has left makes no sense. Nobody else may write `self` now.
 */
static inline void limpet_end_adopt(struct limpet_end *e, uint64_t align)
{
	uint32_t next;

	e->head = LIMPET_CLAIM(e->self->head);
	e->tail = LIMPET_CLAIM(e->self->tail);
	e->sent = LIMPET_CLAIM(e->self->events);
	e->events = LIMPET_CLAIM(e->peer->events);
	e->generation = LIMPET_CLAIM(e->self->generation);
	e->peer_generation = LIMPET_CLAIM(e->self->seen);
	next = e->generation + 1;
	if (!limpet_end_sensible(e, align))
		limpet_end_begin(e, next ? next : 1);
}

/*
 * Whether both sides have seen each other; to be asked before each of the functions below. Takes notice
 * of another side that began anew: the caller can compare peer_generation to hear of that.
 */
static inline bool limpet_end_connected(struct limpet_end *e)
{
	uint32_t generation = LIMPET_CLAIM(e->peer->generation);

	if (generation != e->peer_generation) {
		limpet_end_zero(e);
		e->peer_generation = generation;
		LIMPET_SAY(e->self->seen, generation);
	}
	return generation && LIMPET_CLAIM(e->peer->seen) == e->generation;
}

/* Bytes that are in the ring that this side writes; nonsense counts as full. */
static inline uint64_t limpet_end_filled(struct limpet_end *e)
{
	uint64_t used = e->head - LIMPET_CLAIM(e->peer->tail);

	return used <= e->out_size ? used : e->out_size;
}

/* Bytes in the ring that this side reads; nonsense breaks the channel and leaves none. */
static inline uint64_t limpet_end_used(struct limpet_end *e)
{
	uint64_t used = LIMPET_CLAIM(e->peer->head) - e->tail;

	if (used <= e->in_size)
		return used;
	limpet_end_broken(e);
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

	if (e->out_size - limpet_end_filled(e) < skip + room)
		return (void *)0;
	if (skip)
		*(uint32_t *)(e->out + at) = LIMPET_MESSAGE_SKIP;
	e->next = e->head + skip;
	return e->out + (e->next & (e->out_size - 1)) + LIMPET_MESSAGE_HEADER;
}

static inline void limpet_end_commit(struct limpet_end *e, uint64_t length)
{
	*(uint32_t *)(e->out + (e->next & (e->out_size - 1))) = (uint32_t)length;
	limpet_end_head(e, e->next + limpet_message_room(length));
}

/*
 * The oldest message, in place, and its length; NULL: there is none. It may change while it is looked at,
 * if the other side is hostile: copy what must not. It stays until limpet_end_release(). Nonsense breaks
 * the channel.
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
}

/* --- bytes: as many as lie in one piece; a second call gives the rest */

/* Where bytes can be put and how many, maybe none; then limpet_end_put() so many or fewer. */
static inline char *limpet_end_room(struct limpet_end *e, uint64_t *length)
{
	uint64_t at = e->head & (e->out_size - 1), free = e->out_size - limpet_end_filled(e);

	*length = free < e->out_size - at ? free : e->out_size - at;
	return e->out + at;
}

static inline void limpet_end_put(struct limpet_end *e, uint64_t length)
{
	limpet_end_head(e, e->head + length);
}

/* Where bytes are and how many, maybe none; then limpet_end_take() so many or fewer. */
static inline const char *limpet_end_bytes(struct limpet_end *e, uint64_t *length)
{
	uint64_t used = limpet_end_used(e), at = e->tail & (e->in_size - 1);

	*length = used < e->in_size - at ? used : e->in_size - at;
	return e->in + at;
}

static inline void limpet_end_take(struct limpet_end *e, uint64_t length)
{
	limpet_end_tail(e, e->tail + length);
}

/* --- events */

/* One more event: the other side is to be told in any case. */
static inline void limpet_end_event(struct limpet_end *e)
{
	LIMPET_SAY(e->self->events, ++e->sent);
}

/* How many events have come since the last call; from a hostile side any number. */
static inline uint64_t limpet_end_events(struct limpet_end *e)
{
	uint64_t sent = LIMPET_CLAIM(e->peer->events), news = sent - e->events;

	e->events = sent;
	return news;
}

/* After something was put in (DATA) or taken out (SPACE): whether the other side waits for it. */
static inline bool limpet_end_wanted(struct limpet_end *e, uint32_t what)
{
	LIMPET_FENCE();
	return LIMPET_CLAIM(e->peer->sleeping) & what;
}

/* Before a wait; then look once more, and wait only if there is still nothing. 0: awake again. */
static inline void limpet_end_sleep(struct limpet_end *e, uint32_t what)
{
	LIMPET_SAY(e->self->sleeping, what);
	LIMPET_FENCE();
}

#endif
