/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblimpet: a channel between this process and a component, by its name in the system file.
 * limpet_channel(3).
 *
 * The process accesses the rings directly. It makes a system call only if one side waits. The
 * permissions of /dev/limpet/NAME control access. The component can write invalid data at any time.
 * Even then the functions access only the channel, do not loop, and keep their time limits.
 *
 * One thread at a time may send, and one may receive. Until limpet_channel_connected() has returned
 * true, both must be the same thread. Functions do not print or exit. They return 0 or more, or a
 * negative errno:
 *   -EAGAIN   the time limit passed without data, without space, or before the component connected
 *   -EPIPE    the component was stopped or the system ended: close the channel, and open it again
 * Time limits are in milliseconds: 0 does not wait, -1 waits without a limit.
 */
#ifndef CLIENT_CHANNEL_H
#define CLIENT_CHANNEL_H

#include <stddef.h>

#include <shared/channel/end.h>
#include <limpet/node.h>

struct limpet_channel {
	struct limpet_end end;
	struct limpet_node_info info;
	uint32_t announced; /* generation of this side that was announced to the component */
	int fd; /* descriptor for poll: POLLIN, POLLOUT, POLLHUP as in <limpet/node.h> */
	char *memory;
};

/*
 * Opens the channel with this name, or with this path if it contains a /. -ENOENT: no such channel.
 * -EACCES: not permitted. -EBUSY: another process has it, and its mode is not SHARED. -ENXIO: its
 * component has not been made yet. -EPROTO: the module has another version.
 */
int limpet_channel_open(struct limpet_channel *channel, const char *name);
/*
 * Closes the channel. Sent data stay for the component, and unread data stay for the next process
 * that opens it.
 */
void limpet_channel_close(struct limpet_channel *channel);

/* Acknowledges a restart of one of the sides. */
void limpet_channel_renew(struct limpet_channel *channel);

/* Returns whether the component has not been stopped since the channel was opened. */
static inline bool limpet_channel_alive(const struct limpet_channel *channel)
{
	return LIMPET_CLAIM(channel->end.peer->generation) >> 16 ==
	       ((channel->info.stops + 1) & 0xffff);
}

/* Returns whether both sides have seen each other. If not, no data can be sent or received. */
static inline bool limpet_channel_connected(struct limpet_channel *channel)
{
	if (LIMPET_CLAIM(channel->end.peer->generation) != channel->end.peer_generation ||
	    channel->end.generation != channel->announced)
		limpet_channel_renew(channel);
	return LIMPET_CLAIM(channel->end.peer->seen) == channel->end.generation &&
	       limpet_channel_alive(channel);
}

/*
 * Waits for data (LIMPET_SLEEP_DATA), for space for a message of any length (LIMPET_SLEEP_SPACE), or
 * for another change. The caller must check again after it returns. A new connection counts as space.
 * A caller that waits only for data may not notice it until data arrive. -EAGAIN, -EPIPE, -EINTR.
 */
int limpet_channel_wait(struct limpet_channel *channel, unsigned int what, int timeout_ms);
/* Notifies the component of data or space. */
int limpet_channel_notify(struct limpet_channel *channel);

static inline void limpet_channel_notify_if_wanted(struct limpet_channel *channel, uint32_t what)
{
	if (limpet_end_wanted(&channel->end, what))
		limpet_channel_notify(channel);
}

/* --- messages */

/* Returns the maximum length of a message to the component, or 0 if the channel has no ring to it. */
static inline size_t limpet_channel_max(const struct limpet_channel *channel)
{
	return channel->end.out_size ? LIMPET_MESSAGE_MAX(channel->end.out_size) : 0;
}

/* Reserves space for a message of up to `length` bytes, at most limpet_channel_max(). Returns NULL without space. */
static inline void *limpet_channel_reserve(struct limpet_channel *channel, size_t length)
{
	return limpet_channel_connected(channel) ? limpet_end_reserve(&channel->end, length) : NULL;
}

/* Sends the reserved message with `length` bytes, at most the reserved number. */
static inline void limpet_channel_commit(struct limpet_channel *channel, size_t length)
{
	limpet_end_commit(&channel->end, length);
	limpet_channel_notify_if_wanted(channel, LIMPET_SLEEP_DATA);
}

/* Returns the oldest message in place, or NULL. The component can still change it. */
static inline const void *limpet_channel_peek(struct limpet_channel *channel, uint64_t *length)
{
	return limpet_channel_connected(channel) ? limpet_end_peek(&channel->end, length) : NULL;
}

/* Removes the oldest message, which limpet_channel_peek() returned. */
static inline void limpet_channel_release(struct limpet_channel *channel)
{
	limpet_end_release(&channel->end);
	limpet_channel_notify_if_wanted(channel, LIMPET_SLEEP_SPACE);
}

/* Sends a copy of a message. Returns 0. -EMSGSIZE: it is longer than limpet_channel_max(). */
long limpet_channel_send(struct limpet_channel *channel, const void *data, size_t length,
			 int timeout_ms);
/* Receives a message and returns its length. -EMSGSIZE: it is longer than `size`, and stays in the channel. */
long limpet_channel_receive(struct limpet_channel *channel, void *buffer, size_t size,
			    int timeout_ms);

/* --- bytes: both return the number of bytes, at least one */
long limpet_channel_put(struct limpet_channel *channel, const void *data, size_t length,
			int timeout_ms);
long limpet_channel_take(struct limpet_channel *channel, void *buffer, size_t size, int timeout_ms);

/* --- shared memory; each side may write to it at any time */
void *limpet_channel_memory(const struct limpet_channel *channel, size_t *size);

/* --- events, in each mode: they are counted, and not lost while both sides are connected */

/* Sends an event to the component. */
int limpet_channel_event(struct limpet_channel *channel);
/*
 * Returns the number of events since the last call or since open. Events set POLLPRI, and in mode shared also POLLIN.
 */
long limpet_channel_events(struct limpet_channel *channel);
/* Waits for at least one event, and returns the number. Only for mode shared. */
long limpet_channel_events_wait(struct limpet_channel *channel, int timeout_ms);

#endif
