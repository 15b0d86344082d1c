// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/rtfN: nodes of channels of mode FIFO, see <limpet/channel.h>. Linux's end persists between
 * opens, and a session continues after a restart of the component, so that bytes stay in the
 * rings while no process has the node open. Memory of a process is copied as in node_transfer.c,
 * but a transfer changes the end's words only after it has copied all bytes. So a record is read or
 * written as a whole.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <asm/ioctls.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>
#include <host/linux/channel/node.h>

/* --- read and write */

/* Copies `count` bytes in at most two pieces: up to the end of the ring, and from its start. */
static bool bytes_copy(struct transfer *transfer, size_t count)
{
	struct limpet_end *end = transfer->end;
	const u64 size = transfer->reads ? end->in_size : end->out_size;
	const u64 at = (transfer->reads ? end->tail : end->head) & (size - 1);
	const size_t first = min_t(u64, count, size - at);
	char *ring = transfer->reads ? (char *)end->in : end->out;

	return transfer_copy(transfer, 0, ring + at, first) == first &&
	       (first == count ||
		transfer_copy(transfer, first, ring, count - first) == count - first);
}

/*
 * Moves up to transfer->count bytes. Called with the lock. A read moves the bytes that are available. A write that is larger
 * than the FIFO moves as many bytes as fit now, and every other write moves all of its bytes or none. Returns the
 * number of bytes. -EAGAIN: no byte can be moved now. -EFAULT: a page is missing. -EPIPE: the FIFO is not created, or this
 * is the session's first read after the component was stopped.
 */
static ssize_t bytes_move(struct node_session *session, struct transfer *transfer)
{
	struct host_channel *channel = transfer->channel;
	struct limpet_end *end = transfer->end;
	const bool reads = transfer->reads;
	size_t count = transfer->count;
	u64 can;

	fifo_notice(end);
	can = reads ? fifo_bytes_to_read(end) : fifo_bytes_free(end);
	if (fifo_exists(channel) ? reads && session->stops != host_channel_stops(channel)
				 : !reads || !can) {
		session->stops = host_channel_stops(channel);
		return -EPIPE;
	}
	if (can < (reads ? 1 : fifo_bytes_needed(end, count)))
		return -EAGAIN;
	count = min_t(u64, count, can);
	if (!bytes_copy(transfer, count))
		return -EFAULT;
	smp_rmb(); /* if the component has taken a new generation during the copy, these can be bytes of both */
	if (!fifo_is_seen(end))
		return -EAGAIN;
	if (reads)
		limpet_end_tail(end, end->tail + count);
	else
		limpet_end_head(end, end->head + count);
	if (limpet_end_wanted(end, reads ? LIMPET_SLEEP_SPACE : LIMPET_SLEEP_DATA))
		channel->ops->notify(channel);
	return count;
}

/* Moves `count` bytes as bytes_move(), and waits for them. */
static ssize_t fifo_transfer(struct file *file, bool reads, char __user *at, size_t count)
{
	struct host_channel *channel = ((struct node_session *)file->private_data)->channel;
	struct transfer transfer = {
		.channel = channel, .end = &channel->end, .reads = reads, .at = at, .count = count
	};

	return transfer_run(file, &transfer, bytes_move);
}

static ssize_t fifo_read(struct file *file, char __user *to, size_t count, loff_t *unused)
{
	const struct node_session *session = file->private_data;
	ssize_t done;

	if (!session->channel->to_linux)
		return -EINVAL;
	if (!count)
		return 0;
	done = fifo_transfer(file, true, to, count);
	return done == -EAGAIN ? 0 : done; /* returns 0 for an empty FIFO, as RTLinux */
}

/*
 * Waits until all bytes are written. Data that fit into the FIFO are written as a whole, larger
 * data in parts.
 */
static ssize_t fifo_write(struct file *file, const char __user *from, size_t count, loff_t *unused)
{
	struct node_session *session = file->private_data;
	size_t written = 0;
	ssize_t done = 0;

	if (!session->channel->to_component)
		return -EINVAL;
	while (written < count && done >= 0) {
		WRITE_ONCE(session->needs, min_t(size_t, count - written, U32_MAX));
		done = fifo_transfer(file, false, (char __user *)from + written, count - written);
		if (done > 0)
			written += done;
	}
	return written ?: done;
}

static long fifo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	const struct node_session *session = file->private_data;
	int bytes, error;

	if (command != FIONREAD)
		return -ENOTTY;
	error = node_lock(session->node);
	if (error)
		return error;
	fifo_notice(&session->channel->end);
	bytes = (int)fifo_bytes_to_read(&session->channel->end);
	mutex_unlock(&session->node->lock);
	return put_user(bytes, (int __user *)argument);
}

const struct file_operations fifo_operations = {
	.owner = THIS_MODULE,
	.release = node_release,
	.read = fifo_read,
	.write = fifo_write,
	.poll = node_poll,
	.unlocked_ioctl = fifo_ioctl,
};
