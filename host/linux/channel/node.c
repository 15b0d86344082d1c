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

/* --- open and release. They wait for no process, because misc_open() holds a lock of all misc devices */

/* Notifies the component whether a process has the channel open. Called with the lock. */
static void opened_set(struct host_channel *c, bool open)
{
	u32 *opened = &c->end.self->opened;

	LIMPET_SAY(*opened, ((LIMPET_CLAIM(*opened) + 1) & ~1u) + open);
	host_channel_notify(c);
}

/* Called with the lock while no file is open, so that only this writes Linux's words. */
static void begin(struct host_channel *c)
{
	if (c->mode != LIMPET_CHANNEL_FIFO)
		limpet_end_adopt(&c->end,
				 c->mode == LIMPET_CHANNEL_BYTES ? 1 : LIMPET_MESSAGE_HEADER);
	node_sleeping_clear(c, ~0u);
	if (c->mode != LIMPET_CHANNEL_FIFO)
		limpet_end_connected(&c->end);
	opened_set(c, true);
}

/* Called with the lock. All open files of a channel that can be mapped have one address space, for node_unmap(). */
static int join(struct node_session *session, const struct file *file)
{
	const bool reads = file->f_mode & FMODE_READ, writes = file->f_mode & FMODE_WRITE;
	struct host_channel *c = session->channel;
	struct node *node = session->node;
	const bool fifo = c->mode == LIMPET_CHANNEL_FIFO;
	int error = fifo ? fifo_find(c) : host_channel_find(c);

	if (error)
		return error;
	if (c->mode != LIMPET_CHANNEL_SHARED &&
	    ((reads && node->readers) || (writes && node->writers)))
		return fifo ? -EACCES : -EBUSY;
	if (node->mapping && node->mapping != file->f_mapping)
		return -EBUSY;
	session->stops = host_channel_stops(c);
	if ((reads || writes) && !node->readers && !node->writers) {
		node->mapping = fifo ? NULL : file->f_mapping;
		begin(c);
	}
	node->readers += reads;
	node->writers += writes;
	return 0;
}

/* The node exists, because node_end() waits for misc_open()'s lock. */
int node_open(struct inode *inode, struct file *file)
{
	struct node *node = container_of(file->private_data, struct node, misc);
	struct node_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	int error;

	if (!session)
		return -ENOMEM;
	session->channel = node->channel;
	session->node = node;
	error = node_lock(node);
	if (!error) {
		error = join(session, file);
		mutex_unlock(&node->lock);
	}
	if (error) {
		kfree(session);
		return error == -EPIPE ? -ENODEV : error;
	}
	kref_get(&node->channel->refs);
	file->private_data = session;
	return stream_open(inode, file);
}

int node_release(struct inode *inode, struct file *file)
{
	struct node_session *session = file->private_data;
	struct host_channel *c = session->channel;
	struct node *node = session->node;

	mutex_lock(&node->lock);
	node->readers -= !!(file->f_mode & FMODE_READ);
	node->writers -= !!(file->f_mode & FMODE_WRITE);
	if (!node->readers && !node->writers) {
		node->mapping = NULL;
		if (!c->ended)
			opened_set(c, false);
	}
	mutex_unlock(&node->lock);
	host_channel_put(c);
	kfree(session);
	return 0;
}

static const struct file_operations node_operations = {
	.owner = THIS_MODULE,
	.open = node_open,
	.release = node_release,
	.read = node_read,
	.write = node_write,
	.poll = node_poll,
	.unlocked_ioctl = node_ioctl,
	.fsync = node_fsync,
	.mmap = node_mmap,
};

/* --- created and removed */

static DEFINE_MUTEX(names_lock);
static LIST_HEAD(named);

/* Linux prints a warning with a backtrace for a name that exists already, so this looks first. */
static int name_register(struct node *node)
{
	const struct node *other;
	int error = 0;

	mutex_lock(&names_lock);
	list_for_each_entry(other, &named, list)
		if (!strcmp(other->path, node->path))
			error = -EEXIST;
	if (!error)
		error = misc_register(&node->misc);
	if (!error)
		list_add(&node->list, &named);
	mutex_unlock(&names_lock);
	return error;
}

static void name_remove(struct node *node)
{
	misc_deregister(&node->misc);
	mutex_lock(&names_lock);
	list_del(&node->list);
	mutex_unlock(&names_lock);
}

int node_create(struct host_channel *c)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	const bool fifo = c->mode == LIMPET_CHANNEL_FIFO;

	if (!node)
		return -ENOMEM;
	node->channel = c;
	mutex_init(&node->lock);
	node_wait_init(node);
	tap_init(&node->tap, c);
	snprintf(node->path, sizeof(node->path), fifo ? "%s" : "limpet/%s", c->name);
	node->misc = (struct miscdevice){
		.minor = MISC_DYNAMIC_MINOR,
		.name = node->path,
		.nodename = node->path,
		.mode = c->access,
		.fops = fifo ? &fifo_operations : &node_operations,
	};
	c->node = node;
	c->wake = node_wake;
	return name_register(node);
}

/* A holder of one of the locks, or of the channel, can still use the memory. */
void node_end(struct host_channel *c)
{
	struct node *node = c->node;

	name_remove(node);
	mutex_lock(&node->lock);
	mutex_lock(&node->tap.lock);
	WRITE_ONCE(c->ended, true);
	mutex_unlock(&node->tap.lock);
	mutex_unlock(&node->lock);
	node_wake(c);
}
