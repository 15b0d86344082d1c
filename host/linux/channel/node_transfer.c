// SPDX-License-Identifier: GPL-2.0
/*
 * read() and write() of a node. Memory of a process is copied under the lock with page faults
 * disabled. A missing page is faulted in without the lock, because that can take unlimited time,
 * and the transfer is tried again. So a message stays in the channel until it was copied as a
 * whole.
 */
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include <host/linux/channel/node.h>

static ssize_t events_take(struct transfer *t)
{
	u64 before = t->end->events, events;

	if (t->count < sizeof(events))
		return -EINVAL;
	events = limpet_end_events(t->end);
	if (!events)
		return -EAGAIN;
	if (transfer_copy(t, 0, &events, sizeof(events)) == sizeof(events))
		return sizeof(events);
	t->end->events = before;
	return -EFAULT;
}

static ssize_t message_take(struct transfer *t)
{
	u64 length;
	const void *message = limpet_end_peek(t->end, &length);

	if (!message)
		return -EAGAIN;
	if (length > t->count)
		return -EMSGSIZE;
	if (transfer_copy(t, 0, (void *)message, length) < length)
		return -EFAULT;
	limpet_end_release(t->end);
	return length;
}

static ssize_t message_put(struct transfer *t)
{
	void *message;

	if (t->count > LIMPET_MESSAGE_MAX(t->end->out_size))
		return -EMSGSIZE;
	message = limpet_end_reserve(t->end, t->count);
	if (!message)
		return -EAGAIN;
	if (transfer_copy(t, 0, message, t->count) < t->count)
		return -EFAULT;
	limpet_end_commit(t->end, t->count);
	return t->count;
}

/* Moves bytes of one contiguous piece of the ring. Returns their number. */
static size_t piece_move(struct transfer *t, size_t done)
{
	u64 length;
	void *piece = t->reads ? (void *)limpet_end_bytes(t->end, &length)
			       : limpet_end_space(t->end, &length);

	length = transfer_copy(t, done, piece, min_t(u64, length, t->count - done));
	if (t->reads)
		limpet_end_take(t->end, length);
	else
		limpet_end_put(t->end, length);
	return length;
}

/* Copies at most two pieces: up to the end of the ring, and from its start. */
static ssize_t bytes_move(struct transfer *t)
{
	size_t done = piece_move(t, 0);

	if (done && !t->missed)
		done += piece_move(t, done);
	if (done || !t->count)
		return done;
	return t->missed ? -EFAULT : -EAGAIN;
}

/*
 * Transfers data; called with the lock. Returns the number of bytes; -EAGAIN if no data or no space
 * is available; -EPIPE if the component was stopped before. Inlined like transfer(), so that read()
 * and write() each have their own code, because the instructions of this path are counted.
 */
static __always_inline ssize_t transfer_move(struct node_session *session, struct transfer *t)
{
	const bool stopped = host_channel_stops(t->channel) != session->stops;
	const u32 mode = t->channel->mode;
	ssize_t done;

	if (unlikely(session->node->carried))
		return -EBUSY;
	if (stopped && !t->reads)
		return -EPIPE;
	if (!node_connect(session))
		return stopped ? -EPIPE : -EAGAIN;
	if (mode == LIMPET_CHANNEL_MESSAGES)
		done = t->reads ? message_take(t) : message_put(t);
	else
		done = mode == LIMPET_CHANNEL_BYTES ? bytes_move(t) : events_take(t);
	if (limpet_end_wanted(t->end, done < 0	 ? 0
				      : t->reads ? LIMPET_SLEEP_SPACE
						 : LIMPET_SLEEP_DATA))
		t->channel->ops->notify(t->channel);
	return done == -EAGAIN && stopped ? -EPIPE : done;
}

int node_retry(const struct file *file, bool reads, int error, char __user *at, size_t missed)
{
	if (error == -EAGAIN && !(file->f_flags & O_NONBLOCK))
		error = node_wait(file->private_data,
				  reads ? LIMPET_SLEEP_DATA : LIMPET_SLEEP_SPACE, NULL);
	else if (error == -EFAULT &&
		 !(reads ? fault_in_writeable(at, missed) : fault_in_readable(at, missed)))
		error = 0;
	return !error && signal_pending(current) ? -ERESTARTSYS : error;
}

static __always_inline ssize_t transfer(struct file *file, bool reads, char __user *at,
					size_t count)
{
	const struct node_session *session = file->private_data;
	struct host_channel *c = session->channel;
	struct transfer t = {
		.channel = c, .end = &c->end, .reads = reads, .at = at, .count = count
	};

	if (!(reads ? c->to_linux : c->to_component))
		return -EINVAL; /* also for a write to a channel of mode SHARED */
	if (session->mapped)
		return -EBADFD;
	return transfer_run(file, &t, transfer_move);
}

ssize_t node_read(struct file *file, char __user *to, size_t count, loff_t *unused)
{
	return transfer(file, true, to, count);
}

ssize_t node_write(struct file *file, const char __user *from, size_t count, loff_t *unused)
{
	return transfer(file, false, (char __user *)from, count);
}
