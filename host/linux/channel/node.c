// SPDX-License-Identifier: GPL-2.0
/* The files of a channel: see node.h. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>
#include <host/linux/channel/node.h>

static int node_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	const struct node_session *session = file->private_data;

	host_channel_notify(session->channel);
	return 0;
}

/* --- open and release */

/* Notifies the component whether a process has the channel open. Called with the lock. */
static void opened_set(struct host_channel *channel, bool open)
{
	u32 *opened = &channel->end.self->opened;

	LIMPET_SAY(*opened, ((LIMPET_CLAIM(*opened) + 1) & ~1u) + open);
	host_channel_notify(channel);
}

/* Called with the lock while no file is open, so that only this writes Linux's words. */
static void begin(struct host_channel *channel)
{
	if (channel->mode != LIMPET_CHANNEL_FIFO)
		limpet_end_adopt(&channel->end,
				 channel->mode == LIMPET_CHANNEL_BYTES ? 1 : LIMPET_MESSAGE_HEADER);
	node_sleeping_clear(channel, ~0u);
	if (channel->mode != LIMPET_CHANNEL_FIFO)
		limpet_end_connected(&channel->end);
	opened_set(channel, true);
}

/* Called with the lock. Returns 0, or -ENODEV: the component has not created the FIFO. */
static int fifo_find(struct host_channel *channel)
{
	if (host_channel_find(channel) || !fifo_exists(channel))
		return -ENODEV;
	fifo_notice(&channel->end);
	return 0;
}

/* Called with the lock. All open files of a channel that can be mapped have one address space, for node_unmap(). */
static int join(struct node_session *session, const struct file *file)
{
	const bool reads = file->f_mode & FMODE_READ, writes = file->f_mode & FMODE_WRITE;
	struct host_channel *channel = session->channel;
	struct node *node = session->node;
	const bool fifo = channel->mode == LIMPET_CHANNEL_FIFO;
	int error = fifo ? fifo_find(channel) : host_channel_find(channel);

	if (error)
		return error;
	if (channel->mode != LIMPET_CHANNEL_SHARED &&
	    ((reads && node->readers) || (writes && node->writers)))
		return fifo ? -EACCES : -EBUSY;
	if (node->mapping && node->mapping != file->f_mapping)
		return -EBUSY;
	session->stops = host_channel_stops(channel);
	if ((reads || writes) && !node->readers && !node->writers) {
		node->mapping = fifo ? NULL : file->f_mapping;
		begin(channel);
	}
	node->readers += reads;
	node->writers += writes;
	return 0;
}

int node_join(struct node *node, struct file *file)
{
	struct node_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	int error = session ? node_lock(node) : -ENOMEM;

	if (!error) {
		session->channel = node->channel;
		session->node = node;
		error = join(session, file);
		mutex_unlock(&node->lock);
	}
	if (error) {
		kfree(session);
		return error == -EPIPE ? -ENODEV : error;
	}
	file->private_data = session;
	return 0;
}

int node_release(struct inode *inode, struct file *file)
{
	struct node_session *session = file->private_data;
	struct host_channel *channel = session->channel;
	struct node *node = session->node;

	mutex_lock(&node->lock);
	node->readers -= !!(file->f_mode & FMODE_READ);
	node->writers -= !!(file->f_mode & FMODE_WRITE);
	if (!node->readers && !node->writers) {
		node->mapping = NULL;
		node->mapped = false;
		if (!channel->ended)
			opened_set(channel, false);
	}
	mutex_unlock(&node->lock);
	host_channel_put(channel);
	kfree(session);
	return 0;
}

const struct file_operations node_operations = {
	.owner = THIS_MODULE,
	.release = node_release,
	.read = node_read,
	.write = node_write,
	.poll = node_poll,
	.unlocked_ioctl = node_ioctl,
	.fsync = node_fsync,
	.mmap = node_mmap,
};
