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

static ssize_t events_take(struct transfer *transfer)
{
	u64 before = transfer->end->events, events;

	if (transfer->count < sizeof(events))
		return -EINVAL;
	events = limpet_end_events(transfer->end);
	if (!events)
		return -EAGAIN;
	if (transfer_copy(transfer, 0, &events, sizeof(events)) == sizeof(events))
		return sizeof(events);
	transfer->end->events = before;
	return -EFAULT;
}

static ssize_t message_take(struct transfer *transfer)
{
	u64 length;
	const void *message = limpet_end_peek(transfer->end, &length);

	if (!message)
		return -EAGAIN;
	if (length > transfer->count)
		return -EMSGSIZE;
	if (transfer_copy(transfer, 0, (void *)message, length) < length)
		return -EFAULT;
	limpet_end_release(transfer->end);
	return length;
}

static ssize_t message_put(struct transfer *transfer)
{
	void *message;

	if (transfer->count > LIMPET_MESSAGE_MAX(transfer->end->out_size))
		return -EMSGSIZE;
	message = limpet_end_reserve(transfer->end, transfer->count);
	if (!message)
		return -EAGAIN;
	if (transfer_copy(transfer, 0, message, transfer->count) < transfer->count)
		return -EFAULT;
	limpet_end_commit(transfer->end, transfer->count);
	return transfer->count;
}

/* Moves bytes of one contiguous piece of the ring. Returns their number. */
static size_t piece_move(struct transfer *transfer, size_t done)
{
	u64 length;
	void *piece = transfer->reads ? (void *)limpet_end_bytes(transfer->end, &length)
				      : limpet_end_space(transfer->end, &length);

	length = transfer_copy(transfer, done, piece, min_t(u64, length, transfer->count - done));
	if (transfer->reads)
		limpet_end_take(transfer->end, length);
	else
		limpet_end_put(transfer->end, length);
	return length;
}

/* Copies at most two pieces: up to the end of the ring, and from its start. */
static ssize_t bytes_move(struct transfer *transfer)
{
	size_t done = piece_move(transfer, 0);

	if (done && !transfer->missed)
		done += piece_move(transfer, done);
	if (done || !transfer->count)
		return done;
	return transfer->missed ? -EFAULT : -EAGAIN;
}

/*
 * Transfers data; called with the lock. Returns the number of bytes; -EAGAIN if no data or no space
 * is available; -EPIPE if the component was stopped before. Inlined like node_transfer(), so that read()
 * and write() each have their own code, because the instructions of this path are counted.
 */
static __always_inline ssize_t transfer_move(struct node_session *session,
					     struct transfer *transfer)
{
	const bool stopped = host_channel_stops(transfer->channel) != session->stops;
	const u32 mode = transfer->channel->mode;
	ssize_t done;

	if (unlikely(session->node->carried))
		return -EBUSY;
	if (stopped && !transfer->reads)
		return -EPIPE;
	if (!node_connect(session))
		return stopped ? -EPIPE : -EAGAIN;
	if (mode == LIMPET_CHANNEL_MESSAGES)
		done = transfer->reads ? message_take(transfer) : message_put(transfer);
	else
		done = mode == LIMPET_CHANNEL_BYTES ? bytes_move(transfer) : events_take(transfer);
	if (limpet_end_wanted(transfer->end, done < 0	       ? 0
					     : transfer->reads ? LIMPET_SLEEP_SPACE
							       : LIMPET_SLEEP_DATA))
		transfer->channel->ops->notify(transfer->channel);
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

static __always_inline ssize_t node_transfer(struct file *file, bool reads, char __user *at,
					     size_t count)
{
	const struct node_session *session = file->private_data;
	struct host_channel *channel = session->channel;
	struct transfer transfer = {
		.channel = channel, .end = &channel->end, .reads = reads, .at = at, .count = count
	};

	if (!(reads ? channel->to_linux : channel->to_component))
		return -EINVAL; /* also for a write to a channel of mode SHARED */
	if (session->node->mapped)
		return -EBADFD;
	return transfer_run(file, &transfer, transfer_move);
}

ssize_t node_read(struct file *file, char __user *to, size_t count, loff_t *unused)
{
	return node_transfer(file, true, to, count);
}

ssize_t node_write(struct file *file, const char __user *from, size_t count, loff_t *unused)
{
	return node_transfer(file, false, (char __user *)from, count);
}
