/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses channels from the component that owns them. A channel is memory that the component
 * shares with Linux, with events in both directions; see docs/reference/channel.md.
 *
 * Context: the component's own thread, or any thread of it, if only one thread at a time uses a
 * channel. Only channel_wait() and channel_wait_until() wait. Data from Linux cannot make these
 * functions access memory outside the channel, loop or wait. Linux can change a message after
 * channel_peek(), so copy data that must not change.
 *
 * Data can be sent and received only while Linux's side is connected. If Linux's side ends or
 * restarts, data in flight are dropped in both directions, and the result of channel_peer()
 * changes.
 *
 * Messages without a copy: channel_reserve(), fill it, channel_commit(); or channel_peek(), use it,
 * channel_release(). Each direction costs about 30 instructions, and a kernel call if Linux waits
 * for the message.
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
	uint32_t peer;	 /* generation of Linux's side that this side has acknowledged */
	uint32_t self;	 /* generation of this side that Linux's side has been notified of */
	uint64_t wanted; /* 1 + bytes that did not fit; 0: the last message fitted */
	/* Words of Linux's side when channel_wait() last returned. */
	uint64_t events, head;
};

/*
 * Opens the component's channel of that name, and starts a new generation, which Linux's side sees. It must be called
 * in a thread of the component and not in component_init(), because a restart restores the memory of component_init().
 * Costs two kernel calls. Returns 0. ENOENT: the component owns no channel of this name, or it is a FIFO
 * (<fifo/fifo.h>) or another component's buffer.
 */
long channel_open(struct limpet_channel *channel, const char *name);
/* Opens the component's channel number `index`, from 0 in the order of the system file, like channel_open(). */
long channel_open_index(struct limpet_channel *channel, unsigned int index);

/*
 * Opens the channel that the component's argument `channel` names, or its first channel without that argument, like
 * channel_open(). ENOENT: there is no such channel. A line in the log then reports it and the remedy. For components
 * that import log.
 */
long channel_open_argument(struct limpet_channel *channel);

/*
 * Notes a restart of one of the sides, and notifies Linux's side. Only channel_connected() calls it. Costs a kernel
 * call.
 */
void channel_renew(struct limpet_channel *channel);

/*
 * Returns whether both sides have seen each other, so that data can be sent and received. Costs a few loads, and a
 * kernel call after a restart of one of the sides.
 */
static inline bool channel_connected(struct limpet_channel *channel)
{
	bool connected = limpet_end_connected(&channel->end);

	if (unlikely(channel->end.peer_generation != channel->peer ||
		     channel->end.generation != channel->self))
		channel_renew(channel);
	return connected;
}

/* Returns the generation of Linux's side, which changes with each of its restarts, or 0 if it is not connected. */
static inline uint32_t channel_peer(struct limpet_channel *channel)
{
	return channel_connected(channel) ? channel->peer : 0;
}

/*
 * Returns whether a process or a network device has the channel open, according to Linux. A change
 * sends an event.
 */
static inline bool channel_opened(const struct limpet_channel *channel)
{
	return LIMPET_CLAIM(channel->end.peer->opened) & 1;
}

/* Sends Linux an event if it waits for data, or for space. */
static inline void channel_notify_if_wanted(struct limpet_channel *channel, uint32_t what)
{
	if (limpet_end_wanted(&channel->end, what))
		limpet_call_channel_notify(channel->slot);
}

/* --- messages: modes MESSAGES and NETWORK */

/* Returns the maximum length of a message to Linux in bytes, or 0 for a channel of mode SHARED. */
static inline uint64_t channel_max(const struct limpet_channel *channel)
{
	return channel->end.out_size ? LIMPET_MESSAGE_MAX(channel->end.out_size) : 0;
}

/*
 * Returns space for a message of up to `length` bytes, at most channel_max(), aligned to 8.
 * Returns NULL if there is not enough space or Linux's side is not connected. channel_wait()
 * returns when that may have changed.
 */
static inline void *channel_reserve(struct limpet_channel *channel, uint64_t length)
{
	void *space = channel_connected(channel) ? limpet_end_reserve(&channel->end, length) : NULL;

	if (unlikely(!space))
		channel->wanted = length + 1;
	return space;
}

/*
 * Sends the reserved message with `length` bytes, at most the reserved length. Costs a kernel call if Linux waits for a
 * message.
 */
static inline void channel_commit(struct limpet_channel *channel, uint64_t length)
{
	limpet_end_commit(&channel->end, length);
	channel_notify_if_wanted(channel, LIMPET_SLEEP_DATA);
}

/*
 * Sends the reserved message without an event for Linux, if another message with channel_commit()
 * follows soon.
 */
static inline void channel_commit_more(struct limpet_channel *channel, uint64_t length)
{
	limpet_end_commit(&channel->end, length);
}

/*
 * Returns the oldest message in place, aligned to 8, and sets *length to its bytes. Returns NULL if there is no
 * message.
 */
static inline const void *channel_peek(struct limpet_channel *channel, uint64_t *length)
{
	return channel_connected(channel) ? limpet_end_peek(&channel->end, length) : NULL;
}

/*
 * Removes the message of the last channel_peek() from the channel. Costs a kernel call if Linux waits for space.
 */
static inline void channel_release(struct limpet_channel *channel)
{
	limpet_end_release(&channel->end);
	channel_notify_if_wanted(channel, LIMPET_SLEEP_SPACE);
}

/*
 * Sends a copy of a message of `length` bytes, 0 to channel_max(), without waiting. Returns 0. EFULL: the ring does
 * not have enough space. ERANGE: `length` is above channel_max(). ESTATE: Linux's side is not connected.
 */
long channel_send(struct limpet_channel *channel, const void *data, uint64_t length);
/*
 * Receives a copy of the oldest message in a buffer of `size` bytes, without waiting. Returns its length in bytes.
 * EEMPTY: there is no message, or Linux's side is not connected. ERANGE: the message is longer than the buffer, and
 * stays in the channel.
 */
long channel_receive(struct limpet_channel *channel, void *buffer, uint64_t size);

/* --- mode BYTES */

/*
 * Sends as many of `length` bytes as fit, without waiting, and returns their number. EFULL: the ring has no space.
 * ESTATE: Linux's side is not connected.
 */
long channel_put(struct limpet_channel *channel, const void *data, uint64_t length);
/*
 * Receives at most `size` bytes, without waiting, and returns their number. EEMPTY: there are no bytes, or Linux's side
 * is not connected.
 */
long channel_take(struct limpet_channel *channel, void *buffer, uint64_t size);

/* --- mode SHARED */

/*
 * Returns the channel's memory, and sets *size to its bytes, which is 0 for a channel of another mode. Linux may write
 * the memory at any time.
 */
void *channel_memory(const struct limpet_channel *channel, uint64_t *size);

/* --- events, in each mode */

/* Sends an event to Linux and counts it, also while Linux's side is not connected. Costs a kernel call. */
void channel_event(struct limpet_channel *channel);
/*
 * Returns the number of events from Linux since the last call, or since Linux's side started. A hostile Linux can make
 * it any number.
 */
uint64_t channel_events(struct limpet_channel *channel);

/* The event that only ends a wait at its deadline. Its bit follows those of the channels. */
#define CHANNEL_TIME (1ul << (LIMPET_CHANNEL_BIT + LIMPET_INFO_CHANNELS))

/*
 * Implements the two functions below. The wait ends at the deadline if another thread sends
 * CHANNEL_TIME then.
 */
word channel_wait_once(word bits, uint64_t deadline);

/*
 * Waits until one of the open channels in `bits` has a message, bytes, events or another peer, or
 * has space after a channel_reserve(), channel_send() or channel_put() that failed, or until any
 * event arrives at the component's endpoint. After a failure for lack of space, only new messages
 * end the wait. Returns the bits of the channels and of all events that arrived. A wake-up may be
 * spurious, so the caller must check and wait again. Only the component's own thread can wait. For
 * another thread the function returns 0 immediately.
 */
static inline word channel_wait(word bits)
{
	return channel_wait_once(bits, LIMPET_NEVER);
}

/*
 * Waits like channel_wait(), but at most until a time stamp of limpet_time(), or LIMPET_NEVER. Sets
 * *came to the result of channel_wait(). For components that
 * import sched under that name and have a spare thread for it (`threads` of component.toml). This
 * thread watches the deadlines after the first such wait.
 *
 * Returns 0. ETIME: the deadline passed first, and *came is 0. EQUOTA: there is no spare thread;
 * after a restart it is returned at the deadline, because the thread may still run its previous
 * work. ESTATE: the caller is not the component's own thread, or the scheduler does not schedule
 * it. Costs a channel_wait(), and a sched_wake() if the watching thread would check too late.
 */
long channel_wait_until(word bits, word *came, uint64_t deadline);

#endif
