/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Channels, for the component that owns them: memory shared with Linux, as the system file declares it, with
 * an event each way. docs/reference/channel.md.
 *
 * Context: the component's own thread, or whoever the component lets use a channel, one thread at a time.
 * Nothing here waits but channel_wait() and channel_wait_until(), and nothing that Linux writes makes any of it
 * read or write outside the channel's memory, loop, or wait. What Linux has written is a claim: a message that was
 * peeked at can change while it is looked at; copy what must not.
 *
 * Until Linux's side is there and both have seen each other nothing can be put in or taken out. If Linux's
 * side goes, or begins anew, all that was under way is dropped both ways; channel_peer() tells.
 *
 * A message on its way without a copy: channel_reserve(), fill it, channel_commit(); channel_peek(), use it,
 * channel_release(). Cost: some thirty instructions each way, and a kernel call when Linux waits for it.
 */
#ifndef CHANNEL_CHANNEL_H
#define CHANNEL_CHANNEL_H

#include <channel/end.h>
#include <runtime/kernel_call.h>

struct limpet_channel {
	struct limpet_end end;
	const struct limpet_info_channel *info;
	word slot;
	word bit;	 /* of the endpoint's events: LIMPET_CHANNEL_BIT and up */
	uint32_t peer;	 /* generation of the other side that it was told is seen */
	uint32_t self;	 /* generation of this side that the other was told of */
	uint64_t wanted; /* 1 + bytes that there was no room for; 0: there was */
	/* Of the other side's words, when channel_wait() returned last. */
	uint64_t events, head;
};

/*
 * Opens the component's channel of that name, or, with NULL, channel number `index` of them, in the order
 * of the system file; and begins: Linux's side, if there is one, sees a new generation. To be called in the
 * component's thread, not in component_init(), whose memory a restart brings back. Returns 0, or ENOENT:
 * there is no such channel, or it is a FIFO (<fifo/fifo.h>) or another component's buffer.
 */
long channel_open(struct limpet_channel *channel, const char *name);
long channel_open_index(struct limpet_channel *channel, unsigned int index);

/*
 * The same with the channel that the component's argument `channel` names; without that argument, its first one.
 * ENOENT: it has none; a line in the log says so, and what to do. For components that import log.
 */
long channel_open_argument(struct limpet_channel *channel);

/* One of the sides began anew: forgets what belonged to the time before, and tells the other side. */
void channel_renew(struct limpet_channel *channel);

/* Whether both sides have seen each other. */
static inline bool channel_connected(struct limpet_channel *channel)
{
	bool connected = limpet_end_connected(&channel->end);

	if (unlikely(channel->end.peer_generation != channel->peer ||
		     channel->end.generation != channel->self))
		channel_renew(channel);
	return connected;
}

/* Another number for each beginning of Linux's side that is connected; 0: none is. */
static inline uint32_t channel_peer(struct limpet_channel *channel)
{
	return channel_connected(channel) ? channel->peer : 0;
}

/* Whether a process has the channel open, or a network device; Linux's word. An event comes when that changes. */
static inline bool channel_opened(const struct limpet_channel *channel)
{
	return LIMPET_CLAIM(channel->end.peer->opened) & 1;
}

/* Sends Linux an event if it waits for data, or for space. */
static inline void channel_tell(struct limpet_channel *channel, uint32_t what)
{
	if (limpet_end_wanted(&channel->end, what))
		limpet_call_channel_notify(channel->slot);
}

/* --- messages: modes MESSAGES and NETWORK */

/* Bytes of the longest message to Linux. */
static inline uint64_t channel_most(const struct limpet_channel *channel)
{
	return channel->end.out_size ? LIMPET_MESSAGE_MAX(channel->end.out_size) : 0;
}

/*
 * Room for a message of up to `length` bytes, at most channel_most(), aligned to 8; or NULL: there is none
 * now, or nobody: channel_wait() returns when that may have changed.
 */
static inline void *channel_reserve(struct limpet_channel *channel, uint64_t length)
{
	void *room = channel_connected(channel) ? limpet_end_reserve(&channel->end, length) : NULL;

	if (unlikely(!room))
		channel->wanted = length + 1;
	return room;
}

/* The message that was reserved is complete, with `length` bytes, at most as many as were reserved. */
static inline void channel_commit(struct limpet_channel *channel, uint64_t length)
{
	limpet_end_commit(&channel->end, length);
	channel_tell(channel, LIMPET_SLEEP_DATA);
}

/* The same, when others follow at once: Linux is told by the last one's channel_commit(). */
static inline void channel_commit_more(struct limpet_channel *channel, uint64_t length)
{
	limpet_end_commit(&channel->end, length);
}

/* The oldest message, in place, aligned to 8, and its length; NULL: there is none. */
static inline const void *channel_peek(struct limpet_channel *channel, uint64_t *length)
{
	return channel_connected(channel) ? limpet_end_peek(&channel->end, length) : NULL;
}

/* The message that was peeked at is done with. */
static inline void channel_release(struct limpet_channel *channel)
{
	limpet_end_release(&channel->end);
	channel_tell(channel, LIMPET_SLEEP_SPACE);
}

/* Puts a copy in. EFULL: no room now. ERANGE: above channel_most(). ESTATE: nobody is there. */
long channel_send(struct limpet_channel *channel, const void *data, uint64_t length);
/* Takes a copy out, and returns its length. EEMPTY: there is none. ERANGE: it is longer, and stays. */
long channel_receive(struct limpet_channel *channel, void *buffer, uint64_t size);

/* --- mode BYTES */

/* Puts in as many as there is room for, and returns how many. EFULL: for none. ESTATE: nobody is there. */
long channel_put(struct limpet_channel *channel, const void *data, uint64_t length);
/* Takes out what there is, at most `size` bytes, and returns how many. EEMPTY: there are none. */
long channel_take(struct limpet_channel *channel, void *buffer, uint64_t size);

/* --- mode SHARED */

/* Its memory, `*size` bytes. Linux may write it at any time. */
void *channel_memory(const struct limpet_channel *channel, uint64_t *size);

/* --- events, in each mode */

/* One more event for Linux, counted. */
void channel_event(struct limpet_channel *channel);
/* How many Linux has sent since the last call or since it began; from a hostile one any number. */
uint64_t channel_events(struct limpet_channel *channel);

/* The event that ends a wait at its time, and is for nothing else: behind those of channels. */
#define CHANNEL_TIME (1ul << (LIMPET_CHANNEL_BIT + LIMPET_INFO_CHANNELS))

/* What both of the below are made of: no longer than to the deadline, when somebody sends CHANNEL_TIME. */
word channel_wait_once(word bits, uint64_t deadline);

/*
 * Waits until one of the open channels whose bits are given has a message, bytes, events, room after a
 * channel_reserve(), channel_send() or channel_put() that found none, or another peer; or until any event comes
 * to the component's endpoint. Who has found no room may leave messages where they are: only others that come
 * count then. Returns the channels' bits and those of all events that came, maybe for no reason
 * any more: look, and wait again. Only the component's own thread can wait; for another one the result is 0 at
 * once.
 */
static inline word channel_wait(word bits)
{
	return channel_wait_once(bits, LIMPET_NEVER);
}

/*
 * The same, no longer than to a time stamp of limpet_time(), or LIMPET_NEVER; *came is what channel_wait() would
 * have returned, and is taken even when the time has come. For components that import sched under that name and
 * have a spare thread for it (`threads` of component.toml), which watches the time from the first such wait on.
 *
 * Returns 0; ETIME: the time came first, and *came is 0. EQUOTA: there is no spare thread; after a restart that is
 * said at the deadline, since the thread may still be in its earlier life. ESTATE: another thread than the
 * component's own, or one that the scheduler does not schedule. Cost: channel_wait()'s, and a call of sched_wake()
 * where the watching thread would look too late.
 */
long channel_wait_until(word bits, word *came, uint64_t deadline);

#endif
