// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/limpet/NAME: see <limpet/node.h>. The module has an end of its own for read and write, which stays
 * from one open to the next. A process that maps the channel is the end itself as long as it has it open; the
 * module takes over from it what it has left in the channel, if that makes sense.
 *
 * Locks: node->lock covers the end. It is not held while somebody waits, and nothing else is taken inside it
 * but what a copy to or from user memory takes.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <limpet/node.h>

#include <host/linux/compat.h>
#include <host/linux/channel/channel.h>
#include <host/linux/parts.h>
#include <host/linux/network/tap.h>

struct node {
	struct host_channel *channel;
	struct miscdevice misc;
	char path[sizeof("limpet/") + LIMPET_NAME_MAX];
	struct task_struct *sleeper; /* the one that waits, as a rule; others and pollers: */
	wait_queue_head_t wait;
	struct mutex lock;
	unsigned int readers, writers; /* at most one each */
	bool carried;		       /* the end is tap's */
	struct tap tap;
};

/* One open file. */
struct session {
	struct host_channel *channel; /* holds a reference */
	struct node *node;
	u32 stops;   /* of the component, at open */
	bool mapped; /* the process works the rings itself */
};

static u64 align_of(const struct host_channel *c)
{
	return c->mode == LIMPET_CHANNEL_BYTES ? 1 : LIMPET_MESSAGE_HEADER;
}

static bool is_gone(const struct session *session)
{
	struct host_channel *c = session->channel;

	return READ_ONCE(c->ended) || c->ops->stops(c) != session->stops;
}

static void tell(struct host_channel *c)
{
	if (!READ_ONCE(c->ended))
		c->ops->notify(c);
}

/* --- what there is to wait for. Claims: at worst somebody wakes for nothing, or does not wake */

/* Who has mapped the channel keeps its place where the other side sees it. */
static u64 place(const struct session *session, const u64 *shared, u64 own)
{
	return READ_ONCE(session->mapped) ? LIMPET_CLAIM(*shared) : own;
}

/* What the other side says is that of the component that was there at open. */
static bool is_alive(const struct session *session)
{
	return host_channel_alive(session->channel, session->stops);
}

/* The other side's generation is the one that this side has seen. */
static bool is_seen(const struct session *session)
{
	const struct limpet_end *e = &session->channel->end;
	const u32 seen = READ_ONCE(session->mapped) ? LIMPET_CLAIM(e->self->seen)
						    : READ_ONCE(e->peer_generation);

	return LIMPET_CLAIM(e->peer->generation) == seen;
}

/* The other side began, or began anew: whoever works this end has to take notice. */
static bool is_news(const struct session *session)
{
	return is_alive(session) && !is_seen(session);
}

static bool is_connected(const struct session *session)
{
	const struct limpet_end *e = &session->channel->end;
	const u32 own = READ_ONCE(session->mapped) ? LIMPET_CLAIM(e->self->generation)
						   : READ_ONCE(e->generation);

	return is_alive(session) && is_seen(session) && LIMPET_CLAIM(e->peer->seen) == own;
}

static bool has_events(const struct session *session)
{
	const struct limpet_end *e = &session->channel->end;

	return is_connected(session) && LIMPET_CLAIM(e->peer->events) != READ_ONCE(e->events);
}

static bool has_data(const struct session *session)
{
	const struct limpet_end *e = &session->channel->end;

	if (session->channel->mode == LIMPET_CHANNEL_SHARED)
		return has_events(session);
	return is_connected(session) &&
	       LIMPET_CLAIM(e->peer->head) != place(session, &e->self->tail, READ_ONCE(e->tail));
}

/* Of a message of any length. */
static bool has_space(const struct session *session)
{
	const struct limpet_end *e = &session->channel->end;
	u64 head, used, rest, room;

	if (!e->out_size || !is_connected(session))
		return false;
	head = place(session, &e->self->head, READ_ONCE(e->head));
	used = head - LIMPET_CLAIM(e->peer->tail);
	if (session->channel->mode == LIMPET_CHANNEL_BYTES)
		return used < e->out_size;
	rest = e->out_size - (head & (e->out_size - 1));
	room = e->out_size / 2 + (rest < e->out_size / 2 ? rest : 0);
	return used <= e->out_size - room;
}

static bool is_ready(const struct session *session, u32 what)
{
	return (what & LIMPET_SLEEP_DATA && has_data(session)) ||
	       (what & LIMPET_SLEEP_SPACE && has_space(session)) || is_news(session) ||
	       is_gone(session);
}

/* Whoever calls this has done a full fence since what is waited for was so. Called in an RCU section. */
static void node_wake(struct host_channel *c)
{
	struct node *node = c->node;
	struct task_struct *sleeper = READ_ONCE(node->sleeper);

	if (READ_ONCE(node->carried))
		tap_wake(&node->tap);
	if (sleeper)
		wake_up_process(sleeper);
	if (waitqueue_active(&node->wait))
		wake_up_all(&node->wait);
}

/* The other side is to tell when these come. Who has mapped the channel writes that word, too. */
static void sleeping_set(struct limpet_end *e, u32 what)
{
	__atomic_fetch_or(&e->self->sleeping, what, __ATOMIC_SEQ_CST);
}

/* Others may wait for the same: they look again, and say so again. Each waits first, and says so then. */
static void sleeping_clear(struct host_channel *c, u32 what)
{
	u32 *sleeping = &c->end.self->sleeping;

	if (!(READ_ONCE(*sleeping) & what))
		return;
	__atomic_fetch_and(sleeping, ~what, __ATOMIC_SEQ_CST);
	rcu_read_lock();
	node_wake(c);
	rcu_read_unlock();
}

static bool is_worth_waking(const struct session *session, u32 what)
{
	sleeping_set(&session->channel->end, what);
	return is_ready(session, what);
}

/* As wait_event_interruptible(), without a queue: most of what such a wait costs. */
static int sleep_alone(const struct session *session, u32 what)
{
	int error = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (is_worth_waking(session, what))
			break;
		if (signal_pending(current)) {
			error = -ERESTARTSYS;
			break;
		}
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return error;
}

static int node_wait(const struct session *session, u32 what)
{
	struct node *node = session->node;
	int error;

	if (!cmpxchg(&node->sleeper, NULL, current)) {
		error = sleep_alone(session, what);
		WRITE_ONCE(node->sleeper, NULL);
	} else {
		error = wait_event_interruptible(node->wait, is_worth_waking(session, what));
	}
	sleeping_clear(session->channel, what);
	return error;
}

/* Whether both sides have seen each other; for who reads and writes. Called with the lock. */
static bool connected(const struct session *session)
{
	struct host_channel *c = session->channel;
	bool both = is_alive(session) && limpet_end_connected(&c->end);

	if (unlikely(c->end.tell) && limpet_end_wanted(&c->end, 0))
		tell(c);
	return both;
}

/* --- read */

static ssize_t events_take(struct limpet_end *e, char __user *to, size_t count)
{
	u64 news;

	if (count < sizeof(news))
		return -EINVAL;
	news = limpet_end_events(e);
	if (!news)
		return -EAGAIN;
	return copy_to_user(to, &news, sizeof(news)) ? -EFAULT : (ssize_t)sizeof(news);
}

static ssize_t message_take(struct limpet_end *e, char __user *to, size_t count)
{
	u64 length;
	const void *message = limpet_end_peek(e, &length);

	if (!message)
		return -EAGAIN;
	if (length > count)
		return -EMSGSIZE;
	if (copy_to_user(to, message, length))
		return -EFAULT;
	limpet_end_release(e);
	return length;
}

/* Two pieces at most: up to the end of the ring, and from its start. */
static ssize_t bytes_take(struct limpet_end *e, char __user *to, size_t count)
{
	size_t done = 0;

	for (int piece = 0; piece < 2 && done < count; piece++) {
		u64 length;
		const char *bytes = limpet_end_bytes(e, &length);

		length = min_t(u64, length, count - done);
		if (!length)
			break;
		if (copy_to_user(to + done, bytes, length))
			return done ?: -EFAULT;
		limpet_end_take(e, length);
		done += length;
	}
	return done ?: -EAGAIN;
}

/* Called with the lock. -EAGAIN: there is nothing. */
static ssize_t take(const struct session *session, char __user *to, size_t count)
{
	struct host_channel *c = session->channel;
	struct limpet_end *e = &c->end;
	ssize_t done;

	if (session->node->carried)
		return -EBUSY;
	if (!connected(session))
		return -EAGAIN;
	if (c->mode == LIMPET_CHANNEL_SHARED)
		return events_take(e, to, count);
	done = c->mode == LIMPET_CHANNEL_BYTES ? bytes_take(e, to, count)
					       : message_take(e, to, count);
	if (limpet_end_wanted(e, done >= 0 ? LIMPET_SLEEP_SPACE : 0))
		tell(c);
	return done;
}

static ssize_t node_read(struct file *file, char __user *to, size_t count, loff_t *unused)
{
	struct session *session = file->private_data;
	struct host_channel *c = session->channel;

	if (!c->to_linux)
		return -EINVAL;
	if (session->mapped)
		return -EBADFD;
	for (;;) {
		const bool gone = is_gone(session);
		ssize_t done = mutex_lock_interruptible(&session->node->lock);

		if (done)
			return -ERESTARTSYS;
		done = take(session, to, count);
		mutex_unlock(&session->node->lock);
		if (done != -EAGAIN)
			return done;
		if (gone)
			return -EPIPE;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (node_wait(session, LIMPET_SLEEP_DATA) || signal_pending(current))
			return -ERESTARTSYS;
	}
}

/* --- write */

static ssize_t message_put(struct limpet_end *e, const char __user *from, size_t count)
{
	void *message;

	if (count > LIMPET_MESSAGE_MAX(e->out_size))
		return -EMSGSIZE;
	message = limpet_end_reserve(e, count);
	if (!message)
		return -EAGAIN;
	if (copy_from_user(message, from, count))
		return -EFAULT;
	limpet_end_commit(e, count);
	return count;
}

static ssize_t bytes_put(struct limpet_end *e, const char __user *from, size_t count)
{
	size_t done = 0;

	for (int piece = 0; piece < 2 && done < count; piece++) {
		u64 length;
		char *bytes = limpet_end_room(e, &length);

		length = min_t(u64, length, count - done);
		if (!length)
			break;
		if (copy_from_user(bytes, from + done, length))
			return done ?: -EFAULT;
		limpet_end_put(e, length);
		done += length;
	}
	return done || !count ? (ssize_t)done : -EAGAIN;
}

/* Called with the lock. -EAGAIN: there is no room. */
static ssize_t put(const struct session *session, const char __user *from, size_t count)
{
	struct host_channel *c = session->channel;
	struct limpet_end *e = &c->end;
	ssize_t done;

	if (session->node->carried)
		return -EBUSY;
	if (is_gone(session))
		return -EPIPE;
	if (!connected(session))
		return -EAGAIN;
	done = c->mode == LIMPET_CHANNEL_BYTES ? bytes_put(e, from, count)
					       : message_put(e, from, count);
	if (limpet_end_wanted(e, done >= 0 ? LIMPET_SLEEP_DATA : 0))
		tell(c);
	return done;
}

static ssize_t node_write(struct file *file, const char __user *from, size_t count, loff_t *unused)
{
	struct session *session = file->private_data;
	struct host_channel *c = session->channel;

	if (!c->to_component)
		return -EINVAL; /* as is a channel of mode SHARED */
	if (session->mapped)
		return -EBADFD;
	for (;;) {
		ssize_t done = mutex_lock_interruptible(&session->node->lock);

		if (done)
			return -ERESTARTSYS;
		done = put(session, from, count);
		mutex_unlock(&session->node->lock);
		if (done != -EAGAIN || file->f_flags & O_NONBLOCK)
			return done;
		if (node_wait(session, LIMPET_SLEEP_SPACE) || signal_pending(current))
			return -ERESTARTSYS;
	}
}

/* --- poll */

static __poll_t readiness(const struct session *session)
{
	const struct host_channel *c = session->channel;
	__poll_t is = 0;

	if (is_gone(session))
		return EPOLLHUP | EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM;
	if (c->to_linux && (has_data(session) || (session->mapped && is_news(session))))
		is |= EPOLLIN | EPOLLRDNORM;
	if (c->to_component && (has_space(session) || (session->mapped && is_news(session))))
		is |= EPOLLOUT | EPOLLWRNORM;
	if (has_events(session))
		is |= EPOLLPRI;
	return is;
}

/* The module takes notice of the other side for who reads and writes. */
static void notice(const struct session *session)
{
	if (session->mapped || !is_news(session))
		return;
	if (mutex_lock_interruptible(&session->node->lock))
		return;
	if (!session->node->carried)
		connected(session);
	mutex_unlock(&session->node->lock);
}

static __poll_t node_poll(struct file *file, struct poll_table_struct *wait)
{
	const struct session *session = file->private_data;
	const __poll_t wanted = poll_requested_events(wait);
	__poll_t is;

	poll_wait(file, &session->node->wait, wait);
	notice(session);
	is = readiness(session);
	if (is & wanted)
		return is;
	sleeping_set(&session->channel->end,
		     (wanted & EPOLLOUT ? LIMPET_SLEEP_SPACE : 0) | LIMPET_SLEEP_DATA);
	return readiness(session);
}

/* --- ioctl */

static long ioc_info(const struct session *session, void __user *argument)
{
	const struct host_channel *c = session->channel;
	const struct limpet_node_info info = {
		.version = LIMPET_NODE_VERSION,
		.mode = c->mode,
		.to_linux = c->to_linux,
		.to_component = c->to_component,
		.size = c->pages * PAGE_SIZE,
		.stops = c->ops->stops(c),
		.gone = is_gone(session),
	};

	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioc_wait(const struct session *session, unsigned long what)
{
	if (!what || what & ~(unsigned long)(LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE))
		return -EINVAL;
	if (node_wait(session, what))
		return -ERESTARTSYS;
	if (!is_gone(session))
		return 0;
	return what & LIMPET_SLEEP_DATA && has_data(session) && !is_news(session) ? 0 : -EPIPE;
}

/*
 * 0: both sides are there. It is the module that counts events, but who has mapped the channel may have begun
 * anew. Called with the lock.
 */
static int can_count(const struct session *session)
{
	struct limpet_end *e = &session->channel->end;

	if (session->node->carried)
		return -EBUSY;
	if (!session->mapped)
		return connected(session) ? 0 : -EAGAIN;
	e->sent = LIMPET_CLAIM(e->self->events);
	return is_connected(session) ? 0 : -EAGAIN;
}

static long ioc_event(const struct session *session)
{
	struct host_channel *c = session->channel;
	long error;

	if (mutex_lock_interruptible(&session->node->lock))
		return -ERESTARTSYS;
	error = is_gone(session) ? -EPIPE : can_count(session);
	if (!error)
		limpet_end_event(&c->end);
	mutex_unlock(&session->node->lock);
	if (!error)
		tell(c);
	return error;
}

static long ioc_events(const struct session *session, void __user *argument)
{
	u64 news = 0;
	int error;

	if (mutex_lock_interruptible(&session->node->lock))
		return -ERESTARTSYS;
	error = can_count(session);
	if (!error)
		news = limpet_end_events(&session->channel->end);
	mutex_unlock(&session->node->lock);
	if (error == -EBUSY)
		return error;
	return copy_to_user(argument, &news, sizeof(news)) ? -EFAULT : 0;
}

/* From `carried` on the end is tap's; to be taken while nobody uses it. */
static int tap_begin(const struct session *session)
{
	struct node *node = session->node;
	int error = mutex_lock_interruptible(&node->lock);

	if (error)
		return -ERESTARTSYS;
	if (session->mapped)
		error = -EBADFD;
	else if (node->carried)
		error = -EBUSY;
	if (!error) {
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
	const struct session *session = file->private_data;
	const struct host_channel *c = session->channel;
	struct limpet_node_tap argument;
	long error;

	if (copy_from_user(&argument, to, sizeof(argument)))
		return -EFAULT;
	if (argument.link > 1 || !(file->f_mode & FMODE_READ) || !(file->f_mode & FMODE_WRITE) ||
	    c->mode != LIMPET_CHANNEL_MESSAGES || !c->to_linux || !c->to_component)
		return -EINVAL;
	error = tap_begin(session);
	if (error)
		return error;
	error = tap_carry(&session->node->tap, &argument);
	tap_end(session->node);
	if (!error && copy_to_user(to, &argument, sizeof(argument)))
		error = -EFAULT;
	return error;
}

void node_serve(struct host_channel *c)
{
	tap_serve(&c->node->tap);
}

static long node_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	const struct session *session = file->private_data;

	switch (command) {
	case LIMPET_NODE_WAIT:
		return ioc_wait(session, argument);
	case LIMPET_NODE_EVENT:
		return ioc_event(session);
	case LIMPET_NODE_EVENTS:
		return ioc_events(session, (void __user *)argument);
	case LIMPET_NODE_INFO:
		return ioc_info(session, (void __user *)argument);
	case LIMPET_NODE_TAP:
		return ioc_tap(file, (void __user *)argument);
	}
	return -ENOTTY;
}

static int node_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	const struct session *session = file->private_data;

	tell(session->channel);
	return 0;
}

static int node_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct session *session = file->private_data;
	const struct host_channel *c = session->channel;
	const unsigned long size = vma->vm_end - vma->vm_start;

	if ((file->f_mode & (FMODE_READ | FMODE_WRITE)) != (FMODE_READ | FMODE_WRITE))
		return -EACCES;
	if (vma->vm_pgoff || size != c->pages * PAGE_SIZE || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (c->mode != LIMPET_CHANNEL_SHARED)
		WRITE_ONCE(session->mapped, true);
	return remap_pfn_range(vma, vma->vm_start, c->pfn, size, vma->vm_page_prot);
}

/* --- files */

/* Says that somebody has it open, or nobody any more. Called with the lock. */
static void opened_set(struct host_channel *c, bool open)
{
	u32 *opened = &c->end.self->opened;

	LIMPET_SAY(*opened, ((LIMPET_CLAIM(*opened) + 1) & ~1u) + open);
}

/* Called with the lock, and nobody else has it open: nothing but this writes Linux's words. */
static void begin(struct host_channel *c)
{
	limpet_end_adopt(&c->end, align_of(c));
	sleeping_clear(c, ~0u);
	limpet_end_connected(&c->end);
	opened_set(c, true);
}

static int join(struct host_channel *c, struct node *node, fmode_t mode)
{
	const bool reads = mode & FMODE_READ, writes = mode & FMODE_WRITE;
	int error = READ_ONCE(c->ended) ? -ENODEV : host_channel_find(c);

	if (error)
		return error;
	if ((reads && node->readers) || (writes && node->writers))
		return -EBUSY;
	if (!node->readers && !node->writers)
		begin(c);
	node->readers += reads;
	node->writers += writes;
	return 0;
}

/* Called by misc_open(), with a lock that node_destroy() waits for: the node is there. */
static int node_open(struct inode *inode, struct file *file)
{
	struct node *node = container_of(file->private_data, struct node, misc);
	struct host_channel *c = node->channel;
	struct session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	int error;

	if (!session)
		return -ENOMEM;
	error = mutex_lock_interruptible(&node->lock);
	if (!error) {
		session->stops = c->ops->stops(c);
		error = join(c, node, file->f_mode);
		mutex_unlock(&node->lock);
	}
	if (error) {
		kfree(session);
		return error;
	}
	session->channel = c;
	session->node = node;
	host_channel_get(c);
	file->private_data = session;
	tell(c);
	return stream_open(inode, file);
}

static int node_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;
	struct host_channel *c = session->channel;
	struct node *node = session->node;

	mutex_lock(&node->lock);
	node->readers -= !!(file->f_mode & FMODE_READ);
	node->writers -= !!(file->f_mode & FMODE_WRITE);
	if (!node->readers && !node->writers && !READ_ONCE(c->ended))
		opened_set(c, false);
	mutex_unlock(&node->lock);
	tell(c);
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

int node_create(struct host_channel *c)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	int error;

	if (!node)
		return -ENOMEM;
	node->channel = c;
	mutex_init(&node->lock);
	init_waitqueue_head(&node->wait);
	tap_init(&node->tap, c);
	snprintf(node->path, sizeof(node->path), "limpet/%s", c->name);
	node->misc = (struct miscdevice){
		.minor = MISC_DYNAMIC_MINOR,
		.name = node->path,
		.nodename = node->path,
		.mode = c->access,
		.fops = &node_operations,
	};
	c->node = node;
	c->wake = node_wake;
	error = misc_register(&node->misc);
	return error;
}

/* Somebody may be about to read or write still: the memory is there until nobody has it open. */
void node_destroy(struct host_channel *c)
{
	misc_deregister(&c->node->misc);
	WRITE_ONCE(c->ended, true);
	smp_mb();
	rcu_read_lock(); /* who sleeps is there until then */
	node_wake(c);
	rcu_read_unlock();
}
