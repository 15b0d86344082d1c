/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblimpet: a channel between this process and a component, by its name in the system file.
 * limpet_channel(3).
 *
 * The process works the rings itself: what it puts in and takes out costs some thirty instructions,
 * and a system call only when the other side waits, or this one does. Access is by the permissions
 * of /dev/limpet/NAME. What the component writes can be wrong at any time: nothing here then reads
 * or writes outside the channel, loops, or waits for ever against its own time limit.
 *
 * Threads: one that puts in and one that takes out at a time, and only the same one until
 * limpet_channel_connected() was true. No function prints or exits; results are 0 or more, or a
 * negative errno:
 *   -EAGAIN   there is nothing, or no room, or the component is not there yet; not within the time limit
 *   -EPIPE    the component was stopped or the system ended: close it, and open it again
 * Time limits are in milliseconds: 0 does not wait, -1 waits for ever.
 */
#ifndef CLIENT_CHANNEL_H
#define CLIENT_CHANNEL_H

#include <stddef.h>

#include <shared/channel/end.h>
#include <limpet/node.h>

struct limpet_channel {
	struct limpet_end end;
	struct limpet_node_info info;
	uint32_t told; /* generation of this side that the component was told of */
	int fd;	       /* for poll: POLLIN, POLLOUT, POLLHUP as in <limpet/node.h> */
	char *memory;
};

/*
 * Opens the channel of this name, or of this path if there is a / in it. -ENOENT: no such channel.
 * -EACCES: not permitted. -EBUSY: another process has it. -ENXIO: its component has not been made
 * yet. -EPROTO: the module has another version.
 */
int limpet_channel_open(struct limpet_channel *channel, const char *name);
/*
 * Closes the channel. Sent data stay for the component, and unread data stay for the next process
 * that opens it.
 */
void limpet_channel_close(struct limpet_channel *channel);

/* Acknowledges a restart of one of the sides. */
void limpet_channel_renew(struct limpet_channel *channel);

/* The component that was there at open is still the one whose words these are. */
static inline bool limpet_channel_alive(const struct limpet_channel *channel)
{
	return LIMPET_CLAIM(channel->end.peer->generation) >> 16 ==
	       ((channel->info.stops + 1) & 0xffff);
}

/* Returns whether both sides have seen each other. If not, no data can be sent or received. */
static inline bool limpet_channel_connected(struct limpet_channel *channel)
{
	if (LIMPET_CLAIM(channel->end.peer->generation) != channel->end.peer_generation ||
	    channel->end.generation != channel->told)
		limpet_channel_renew(channel);
	return LIMPET_CLAIM(channel->end.peer->seen) == channel->end.generation &&
	       limpet_channel_alive(channel);
}

/*
 * Waits until there is something to take out (LIMPET_SLEEP_DATA), or room for a message of any
 * length (LIMPET_SLEEP_SPACE), or something has changed; look again then. That both sides are
 * connected makes room: who waits for data alone may not see it until data come. -EAGAIN, -EPIPE,
 * -EINTR.
 */
int limpet_channel_wait(struct limpet_channel *channel, unsigned int what, int timeout_ms);
/* Tells the component that there is something, or room, if it waits for that. */
int limpet_channel_notify(struct limpet_channel *channel);

static inline void limpet_channel_tell(struct limpet_channel *channel, uint32_t what)
{
	if (limpet_end_wanted(&channel->end, what))
		limpet_channel_notify(channel);
}

/* --- messages */

/* Bytes of the longest message to the component; 0: this channel has none. */
static inline size_t limpet_channel_most(const struct limpet_channel *channel)
{
	return channel->end.out_size ? LIMPET_MESSAGE_MAX(channel->end.out_size) : 0;
}

/* Room for a message of up to `length` bytes, at most limpet_channel_most(); NULL: not now. */
static inline void *limpet_channel_reserve(struct limpet_channel *channel, size_t length)
{
	return limpet_channel_connected(channel) ? limpet_end_reserve(&channel->end, length) : NULL;
}

/*
 * The message that was reserved is complete, with `length` bytes, at most as many as were reserved.
 */
static inline void limpet_channel_commit(struct limpet_channel *channel, size_t length)
{
	limpet_end_commit(&channel->end, length);
	limpet_channel_tell(channel, LIMPET_SLEEP_DATA);
}

/* The oldest message, in place, which the component can still change; NULL: there is none. */
static inline const void *limpet_channel_peek(struct limpet_channel *channel, uint64_t *length)
{
	return limpet_channel_connected(channel) ? limpet_end_peek(&channel->end, length) : NULL;
}

/* The message that was peeked at is done with. */
static inline void limpet_channel_release(struct limpet_channel *channel)
{
	limpet_end_release(&channel->end);
	limpet_channel_tell(channel, LIMPET_SLEEP_SPACE);
}

/* Puts a copy of a message in. 0, or -EMSGSIZE: above limpet_channel_most(). */
long limpet_channel_send(struct limpet_channel *channel, const void *data, size_t length,
			 int timeout_ms);
/* Takes a message out; its length. -EMSGSIZE: it is longer than `size`, and stays. */
long limpet_channel_receive(struct limpet_channel *channel, void *buffer, size_t size,
			    int timeout_ms);

/* --- bytes: how many were put in or taken out, at least one */
long limpet_channel_put(struct limpet_channel *channel, const void *data, size_t length,
			int timeout_ms);
long limpet_channel_take(struct limpet_channel *channel, void *buffer, size_t size, int timeout_ms);

/* --- shared memory; either side may write any of it at any time */
void *limpet_channel_memory(const struct limpet_channel *channel, size_t *size);

/* --- events, in each mode: counted, none is lost while both sides are connected */

/* One more for the component. */
int limpet_channel_event(struct limpet_channel *channel);
/*
 * How many came since the last call or since open. They make POLLPRI, in mode shared POLLIN, too.
 */
long limpet_channel_events(struct limpet_channel *channel);
/* The same, after there is at least one; mode shared only. */
long limpet_channel_events_wait(struct limpet_channel *channel, int timeout_ms);

#endif
