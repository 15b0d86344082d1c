/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of a channel, <limpet/channel.h>: the code that both sides share. Components
 * (lib/channel), the module and liblimpet use it. All functions are wait-free and call no other
 * code. The cost is constant, without the copying.
 *
 * Only one thread at a time may use an end, because each of these functions can restart the
 * channel, which changes both directions. Its use, with `notify` and `wait` for the events:
 *
 *	if (limpet_end_connected(e) && (p = limpet_end_reserve(e, n))) {
 *		memcpy(p, data, n);
 *		limpet_end_commit(e, n);
 *	}
 *	if (limpet_end_wanted(e, LIMPET_SLEEP_DATA))	// SPACE after something was taken out
 *		notify();
 *
 *	for (;;) {
 *		limpet_end_sleep(e, LIMPET_SLEEP_DATA);	// SPACE to wait for space
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

/*
 * Private state of a side. The user clears it, sets the first six fields, and calls
 * limpet_end_begin() or _adopt().
 */
struct limpet_end {
	struct limpet_side *self;
	struct limpet_side *peer;   /* not trusted */
	char *out;		    /* the ring that this side writes */
	const char *in;		    /* the ring that this side reads; not trusted */
	uint64_t out_size, in_size; /* powers of two, at least 32, or 0 without this ring */
	uint64_t head, tail;	    /* as in self, or as they will be */
	uint64_t next;		    /* position of the reserved message */
	uint64_t space;		    /* bytes that may be put in: reserved, or found by _space() */
	uint64_t taken;		    /* bytes that may be taken out: of _peek() or _bytes() */
	uint64_t sent;		    /* number of sent events */
	uint64_t events;	    /* number of received events of the other side */
	uint32_t generation;	    /* of this side */
	uint32_t peer_generation;
	bool must_notify; /* the other side must be notified, even if it does not wait */
	uint64_t broken;  /* number of times that words in the channel were invalid */
};

/*
 * All accesses to the shared memory use these macros, except the caller's accesses of contents. The
 * model check in tests/model replaces them. A word of the other side is read once, with acquire
 * order, so that the data that the other side stored before it are visible.
 */
#ifndef LIMPET_CLAIM
#define LIMPET_CLAIM(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define LIMPET_SAY(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define LIMPET_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* Drops all data in flight. `sleeping` does not change, because the caller may be about to wait. */
static inline void limpet_end_zero(struct limpet_end *end)
{
	end->head = end->tail = end->next = end->space = end->taken = end->sent = end->events = 0;
	LIMPET_SAY(end->self->head, 0ul);
	LIMPET_SAY(end->self->tail, 0ul);
	LIMPET_SAY(end->self->events, 0ul);
	end->must_notify = true;
}

/*
 * Returns the next generation of a side that was not restarted. The upper half is unchanged,
 * because it may count restarts.
 */
static inline uint32_t limpet_generation_after(uint32_t generation)
{
	uint32_t next = (generation & 0xffff0000u) | ((generation + 1) & 0xffff);

	return next ? next : 1;
}

/*
 * Starts or restarts this side. `generation` is not 0, and differs from all that the other side may
 * still know, so callers count up. The other side must be notified, see limpet_end_wanted().
 */
static inline void limpet_end_begin(struct limpet_end *end, uint32_t generation)
{
	end->generation = generation;
	end->peer_generation = 0;
	LIMPET_SAY(end->self->seen, 0u); /* first: limpet_end_doubt() */
	limpet_end_zero(end);
	LIMPET_SAY(end->self->generation, generation);
}

/* Restarts this side after it has found invalid words in the channel. Drops all data in flight. */
static inline void limpet_end_broken(struct limpet_end *end)
{
	end->broken++;
	limpet_end_begin(end, limpet_generation_after(end->generation));
}

/*
 * Handles invalid words of the other side, unless it is restarting. A side that restarts first
 * clears `seen`, and stores its new generation before it stores `seen` again. Therefore this order
 * of reads finds a restart.
 */
static inline void limpet_end_doubt(struct limpet_end *end)
{
	if (LIMPET_CLAIM(end->peer->seen) == end->generation &&
	    LIMPET_CLAIM(end->peer->generation) == end->peer_generation)
		limpet_end_broken(end);
}

/* Returns whether this side's own words are still those that it stored. */
static inline bool limpet_end_stands(const struct limpet_end *end)
{
	return LIMPET_CLAIM(end->self->generation) == end->generation &&
	       LIMPET_CLAIM(end->self->seen) == end->peer_generation &&
	       LIMPET_CLAIM(end->self->head) == end->head &&
	       LIMPET_CLAIM(end->self->tail) == end->tail;
}

/*
 * Returns whether both sides have seen each other. Must be called before each access of the
 * channel. Handles a restart of the other side: reserved and peeked messages are then invalid, and
 * peer_generation changes.
 */
static inline bool limpet_end_connected(struct limpet_end *end)
{
	uint32_t generation;

	if (!limpet_end_stands(end))
		limpet_end_broken(end);
	generation = LIMPET_CLAIM(end->peer->generation);
	if (generation != end->peer_generation) {
		limpet_end_zero(end);
		end->peer_generation = generation;
		LIMPET_SAY(end->self->seen, generation);
	}
	return generation && LIMPET_CLAIM(end->peer->seen) == end->generation;
}

/* Returns whether the adopted words are valid. `align` is 8 for messages, else 1. */
static inline bool limpet_end_sensible(const struct limpet_end *end, uint64_t align)
{
	return end->generation && end->peer_generation &&
	       !((end->head | end->tail) & (align - 1)) &&
	       LIMPET_CLAIM(end->peer->seen) == end->generation &&
	       LIMPET_CLAIM(end->peer->generation) == end->peer_generation &&
	       end->head - LIMPET_CLAIM(end->peer->tail) <= end->out_size &&
	       LIMPET_CLAIM(end->peer->head) - end->tail <= end->in_size;
}

/*
 * Takes over from the last user of this side, which may have been killed. Continues at the same
 * place, so that no data are lost, or restarts if the words of this side are invalid. No other
 * thread may write `self` at the same time.
 */
static inline void limpet_end_adopt(struct limpet_end *end, uint64_t align)
{
	end->head = LIMPET_CLAIM(end->self->head);
	end->tail = LIMPET_CLAIM(end->self->tail);
	end->space = end->taken = 0;
	end->sent = LIMPET_CLAIM(end->self->events);
	end->events = LIMPET_CLAIM(end->peer->events);
	end->generation = LIMPET_CLAIM(end->self->generation);
	end->peer_generation = LIMPET_CLAIM(end->self->seen);
	if (!limpet_end_sensible(end, align))
		limpet_end_begin(end, limpet_generation_after(end->generation));
}

/*
 * Returns the number of bytes in the ring that this side writes. Invalid words break the channel,
 * which then counts as full.
 */
static inline uint64_t limpet_end_filled(struct limpet_end *end)
{
	uint64_t used = end->head - LIMPET_CLAIM(end->peer->tail);

	if (used <= end->out_size)
		return used;
	limpet_end_doubt(end);
	return end->out_size;
}

/*
 * Returns the number of bytes in the ring that this side reads. Invalid words restart the channel;
 * the result is then 0.
 */
static inline uint64_t limpet_end_used(struct limpet_end *end)
{
	uint64_t used = LIMPET_CLAIM(end->peer->head) - end->tail;

	if (used <= end->in_size)
		return used;
	limpet_end_doubt(end);
	return 0;
}

static inline void limpet_end_head(struct limpet_end *end, uint64_t head)
{
	end->head = head;
	LIMPET_SAY(end->self->head, head);
}

static inline void limpet_end_tail(struct limpet_end *end, uint64_t tail)
{
	end->tail = tail;
	LIMPET_SAY(end->self->tail, tail);
}

/* --- messages */

static inline uint64_t limpet_message_space(uint64_t length)
{
	return LIMPET_MESSAGE_HEADER + ((length + 7) & ~7ul);
}

/*
 * Returns space for a message of `length` bytes, at most LIMPET_MESSAGE_MAX(out_size). The caller
 * fills it, and commits it with this length or less. Returns NULL if the ring has too little space
 * now.
 */
static inline void *limpet_end_reserve(struct limpet_end *end, uint64_t length)
{
	uint64_t space = limpet_message_space(length), at = end->head & (end->out_size - 1);
	uint64_t skip = end->out_size - at < space ? end->out_size - at : 0;

	if (length > end->out_size || end->out_size - limpet_end_filled(end) < skip + space)
		return (void *)0;
	if (skip)
		LIMPET_SAY(*(uint32_t *)(end->out + at), LIMPET_MESSAGE_SKIP);
	end->next = end->head + skip;
	end->space = space;
	return end->out + (end->next & (end->out_size - 1)) + LIMPET_MESSAGE_HEADER;
}

/*
 * Puts the reserved message into the ring. Does nothing if the channel has restarted since; the
 * message is then lost.
 */
static inline void limpet_end_commit(struct limpet_end *end, uint64_t length)
{
	uint64_t space = limpet_message_space(length);

	if (space > end->space)
		return;
	end->space = 0;
	LIMPET_SAY(*(uint32_t *)(end->out + (end->next & (end->out_size - 1))), (uint32_t)length);
	limpet_end_head(end, end->next + space);
}

/*
 * Returns the oldest message, in place, and sets its length. Returns NULL if there is none. A
 * hostile other side can change the message at any time, so the caller must copy what must not
 * change. The message stays until limpet_end_release(), or until the channel restarts. Invalid
 * words restart the channel. A hostile side can send an unlimited number of messages.
 */
static inline const void *limpet_end_peek(struct limpet_end *end, uint64_t *length)
{
	uint64_t used = limpet_end_used(end), at = end->tail & (end->in_size - 1);
	uint64_t rest = end->in_size - at;
	uint32_t claim;

	if (!used)
		return (void *)0;
	claim = LIMPET_CLAIM(*(const uint32_t *)(end->in + at));
	if (claim == LIMPET_MESSAGE_SKIP && used > rest) {
		limpet_end_tail(end, end->tail + rest);
		used -= rest;
		rest = end->in_size;
		at = 0;
		claim = LIMPET_CLAIM(*(const uint32_t *)end->in);
	}
	end->taken = limpet_message_space(claim);
	if (end->taken > used || end->taken > rest) {
		limpet_end_broken(end);
		return (void *)0;
	}
	*length = claim;
	return end->in + at + LIMPET_MESSAGE_HEADER;
}

/* Releases the message that was peeked at. */
static inline void limpet_end_release(struct limpet_end *end)
{
	limpet_end_tail(end, end->tail + end->taken);
	end->taken = 0;
}

/* --- bytes: the functions return a contiguous piece; a second call returns the other piece */

/*
 * Returns the address for new bytes and sets their maximum number, which can be 0. limpet_end_put()
 * adds up to as many.
 */
static inline char *limpet_end_space(struct limpet_end *end, uint64_t *length)
{
	uint64_t at = end->head & (end->out_size - 1),
		 free = end->out_size - limpet_end_filled(end);

	*length = end->space = free < end->out_size - at ? free : end->out_size - at;
	return end->out + at;
}

static inline void limpet_end_put(struct limpet_end *end, uint64_t length)
{
	if (length > end->space)
		return;
	end->space -= length;
	limpet_end_head(end, end->head + length);
}

/*
 * Returns the address of bytes and sets their number, which can be 0. limpet_end_take() removes up
 * to as many.
 */
static inline const char *limpet_end_bytes(struct limpet_end *end, uint64_t *length)
{
	uint64_t used = limpet_end_used(end), at = end->tail & (end->in_size - 1);

	*length = end->taken = used < end->in_size - at ? used : end->in_size - at;
	return end->in + at;
}

static inline void limpet_end_take(struct limpet_end *end, uint64_t length)
{
	if (length > end->taken)
		return;
	end->taken -= length;
	limpet_end_tail(end, end->tail + length);
}

/* --- events */

/* Counts an event. The other side must then be notified, even if it does not wait. */
static inline void limpet_end_event(struct limpet_end *end)
{
	LIMPET_SAY(end->self->events, ++end->sent);
}

/*
 * Returns the number of events since the last call. A hostile side can send any number. A smaller
 * count is invalid.
 */
static inline uint64_t limpet_end_events(struct limpet_end *end)
{
	uint64_t sent = LIMPET_CLAIM(end->peer->events), count = sent - end->events;

	if (count >> 63) {
		limpet_end_doubt(end);
		return 0;
	}
	end->events = sent;
	return count;
}

/*
 * Returns whether the other side must be notified, because it waits for this or because the channel
 * has restarted. Called after data were put in (DATA) or taken out (SPACE), and before each wait
 * (0).
 */
static inline bool limpet_end_wanted(struct limpet_end *end, uint32_t what)
{
	bool must_notify = end->must_notify;

	end->must_notify = false;
	LIMPET_FENCE();
	return (LIMPET_CLAIM(end->peer->sleeping) & what) || must_notify;
}

/*
 * Announces a wait for these conditions. The caller must check them once more, and wait only if
 * they still do not hold. 0: it does not wait any more.
 */
static inline void limpet_end_sleep(struct limpet_end *end, uint32_t what)
{
	LIMPET_SAY(end->self->sleeping, what);
	LIMPET_FENCE();
}

#endif
