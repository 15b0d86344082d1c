// SPDX-License-Identifier: GPL-2.0
/* ioctl() of a node: see <limpet/node.h>. */
#include <linux/fs.h>
#include <linux/uaccess.h>

#include <host/linux/channel/node.h>

static long ioc_info(const struct node_session *session, void __user *argument)
{
	const struct host_channel *channel = session->channel;
	const struct limpet_node_info info = {
		.version = LIMPET_NODE_VERSION,
		.mode = channel->mode,
		.to_linux = channel->to_linux,
		.to_component = channel->to_component,
		.size = channel->pages * PAGE_SIZE,
		.stops = session->stops,
		.gone = host_channel_closed(channel, session->stops),
	};

	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioc_header(const struct node_session *session, void __user *to)
{
	struct limpet_channel_header header;

	if (!host_channel_hold(session->channel))
		return -EPIPE;
	header = *(const struct limpet_channel_header *)session->channel->memory;
	host_channel_let_go();
	return copy_to_user(to, &header, sizeof(header)) ? -EFAULT : 0;
}

/* Returns false if the component was stopped and left no data to read, or the system has ended. */
static bool can_continue(const struct node_session *session, u32 what)
{
	bool can;

	if (!host_channel_hold(session->channel))
		return false;
	can = host_channel_stops(session->channel) == session->stops ||
	      (what & LIMPET_SLEEP_DATA && node_has_data(session) && !node_peer_started(session));
	host_channel_let_go();
	return can;
}

static long ioc_wait(const struct node_session *session, u64 argument)
{
	const u32 what = argument, ms_and_1 = argument >> 32;
	ktime_t until;
	int error;

	if (!what || what & ~(LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE))
		return -EINVAL;
	if (ms_and_1)
		until = ktime_add_ms(ktime_get(), ms_and_1 - 1);
	error = node_wait(session, what, ms_and_1 ? &until : NULL);
	if (error)
		return error == -ERESTARTSYS && ms_and_1 ? -EINTR : error;
	return can_continue(session, what) ? 0 : -EPIPE;
}

/*
 * Returns 0 if both sides have seen each other. The module counts events also for a process that has mapped the
 * channel. That process may have restarted its end. Called with the lock.
 */
static int can_count(const struct node_session *session)
{
	struct limpet_end *end = &session->channel->end;

	if (session->node->carried)
		return -EBUSY;
	if (!session->node->mapped)
		return node_connect(session) ? 0 : -EAGAIN;
	end->sent = LIMPET_CLAIM(end->self->events);
	return node_is_connected(session) ? 0 : -EAGAIN;
}

static long ioc_event(const struct node_session *session)
{
	struct host_channel *channel = session->channel;
	long error = node_lock(session->node);

	if (error)
		return error;
	error = host_channel_stops(channel) != session->stops ? -EPIPE : can_count(session);
	if (!error) {
		limpet_end_event(&channel->end);
		channel->ops->notify(channel);
	}
	mutex_unlock(&session->node->lock);
	return error;
}

static long ioc_events(const struct node_session *session, void __user *argument)
{
	u64 events = 0;
	long error = node_lock(session->node);

	if (!error) {
		error = can_count(session);
		if (!error)
			events = limpet_end_events(&session->channel->end);
		mutex_unlock(&session->node->lock);
	}
	if (error == -EBUSY || error == -ERESTARTSYS)
		return error;
	return copy_to_user(argument, &events, sizeof(events)) ? -EFAULT : 0;
}

/* Lets tap use the end. */
static int tap_begin(const struct node_session *session)
{
	struct node *node = session->node;
	int error = node_lock(node);

	if (error)
		return error;
	if (node->mapped) {
		error = -EBADFD;
	} else if (node->carried) {
		error = -EBUSY;
	} else {
		node->tap.stops = session->stops;
		WRITE_ONCE(node->carried, true);
	}
	mutex_unlock(&node->lock);
	return error;
}

static void tap_end(struct node *node)
{
	mutex_lock(&node->lock);
	WRITE_ONCE(node->carried, false);
	mutex_unlock(&node->lock);
}

static long ioc_tap(const struct file *file, void __user *to)
{
	const struct node_session *session = file->private_data;
	const struct host_channel *channel = session->channel;
	struct limpet_node_tap argument;
	long error;

	if (copy_from_user(&argument, to, sizeof(argument)))
		return -EFAULT;
	if (argument.link > 1 || !(file->f_mode & FMODE_READ) || !(file->f_mode & FMODE_WRITE) ||
	    channel->mode != LIMPET_CHANNEL_MESSAGES || !channel->to_linux ||
	    !channel->to_component)
		return -EINVAL;
	error = tap_begin(session);
	if (error)
		return error;
	error = tap_carry(&session->node->tap, &argument);
	tap_end(session->node);
	if (copy_to_user(to, &argument, sizeof(argument)) && !error)
		error = -EFAULT;
	return error;
}

long node_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	const struct node_session *session = file->private_data;

	if ((command == LIMPET_NODE_EVENT || command == LIMPET_NODE_EVENTS) &&
	    !(file->f_mode & (FMODE_READ | FMODE_WRITE)))
		return -EBADF;
	switch (command) {
		/* clang-format off */
	case LIMPET_NODE_WAIT: return ioc_wait(session, argument);
	case LIMPET_NODE_EVENT: return ioc_event(session);
	case LIMPET_NODE_EVENTS: return ioc_events(session, (void __user *)argument);
	case LIMPET_NODE_INFO: return ioc_info(session, (void __user *)argument);
	case LIMPET_NODE_HEADER: return ioc_header(session, (void __user *)argument);
	case LIMPET_NODE_TAP: return ioc_tap(file, (void __user *)argument);
		/* clang-format on */
	}
	return -ENOTTY;
}
