// SPDX-License-Identifier: GPL-2.0
/* See tap.h. */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/if_ether.h>
#include <linux/major.h>
#include <linux/miscdevice.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include <limpet/network.h>

#include <host/linux/channel/channel.h>
#include <host/linux/network/tap.h>

#define BATCH 64 /* frames each way, for which the lock is held */
#define MTU ETH_DATA_LEN

static bool is_closed(const struct tap *tap)
{
	return host_channel_closed(tap->channel, tap->stops);
}

void tap_wake(struct tap *tap)
{
	struct task_struct *caller;

	WRITE_ONCE(tap->due, true);
	rcu_read_lock(); /* keeps the task */
	caller = READ_ONCE(tap->caller);
	if (caller)
		wake_up_process(caller);
	rcu_read_unlock();
}

/* --- frames. Called with the lock */

/* Reads or writes one piece, as read() or write() of a non-blocking file. */
static ssize_t file_move(struct tap *tap, unsigned int direction, void *at, size_t size)
{
	struct kiocb call = { .ki_filp = tap->file, .ki_flags = IOCB_NOWAIT };
	struct kvec piece = { at, size };
	struct iov_iter iter;

	iov_iter_kvec(&iter, direction, &piece, 1, size);
	return direction == ITER_DEST ? tap->file->f_op->read_iter(&call, &iter)
				      : tap->file->f_op->write_iter(&call, &iter);
}

static u64 longest(const struct limpet_end *end)
{
	return min(LIMPET_FRAME_MAX(MTU), LIMPET_MESSAGE_MAX(end->out_size) - 1);
}

/*
 * Reads one byte more than the maximum length, so that a frame that is too long is detected and
 * dropped, not truncated.
 */
static ssize_t to_component(struct tap *tap)
{
	struct limpet_end *end = &tap->channel->end;
	struct limpet_frame *frame = limpet_end_reserve(end, longest(end) + 1);
	ssize_t length;

	if (!frame)
		return -ENOBUFS;
	*frame = (struct limpet_frame){ 0 };
	length = file_move(tap, ITER_DEST, frame + 1, longest(end) + 1 - sizeof(*frame));
	if (length >= 0 && sizeof(*frame) + length <= longest(end))
		limpet_end_commit(end, sizeof(*frame) + length);
	return length;
}

/* Drops invalid frames, and frames that arrive while the interface is down. */
static bool from_component(struct tap *tap)
{
	struct limpet_end *end = &tap->channel->end;
	u64 length;
	const struct limpet_frame *frame = limpet_end_peek(end, &length);

	if (!frame)
		return false;
	if (length > sizeof(*frame) && length <= LIMPET_FRAME_MAX(MTU))
		file_move(tap, ITER_SOURCE, (void *)(frame + 1), length - sizeof(*frame));
	limpet_end_release(end);
	return true;
}

static void sleep_on(struct tap *tap)
{
	limpet_end_sleep(&tap->channel->end,
			 LIMPET_SLEEP_DATA | (tap->full ? LIMPET_SLEEP_SPACE : 0));
}

/*
 * Polls the device. This costs less than a read() that finds no frame. A deleted interface wakes
 * its pollers before it detaches from the device. read() still returns EAGAIN then, and no second
 * wake-up follows.
 */
static __poll_t device_look(struct tap *tap)
{
	const __poll_t has = vfs_poll(tap->file, NULL);

	if (has & EPOLLERR)
		tap->error = -EBADFD;
	return has;
}

/* Both return the number of frames. BATCH means that more frames may be available. */
static int all_to_component(struct tap *tap)
{
	struct limpet_end *end = &tap->channel->end;
	ssize_t result;
	int done = 0;

	while ((result = to_component(tap)) >= 0)
		if (++done == BATCH || !(device_look(tap) & EPOLLIN))
			break;
	if (result < 0)
		device_look(tap);
	if (tap->full == (result == -ENOBUFS))
		return done;
	tap->full = !tap->full;
	sleep_on(tap);
	/* The ring may have space now, without a further event. */
	return tap->full && limpet_end_reserve(end, longest(end) + 1) ? BATCH : done;
}

static int all_from_component(struct tap *tap)
{
	int done = 0;

	while (done < BATCH && from_component(tap)) {
		done++;
		cond_resched();
	}
	return done;
}

static void carry(struct tap *tap)
{
	struct host_channel *channel = tap->channel;
	int in = 0, out = 0;

	tap->link = !is_closed(tap) && host_channel_alive(channel, tap->stops) &&
		    limpet_end_connected(&channel->end);
	if (tap->link) {
		sleep_on(tap);
		out = all_to_component(tap);
		in = all_from_component(tap);
	} else {
		device_look(tap);
	}
	if (limpet_end_wanted(&channel->end,
			      (out ? LIMPET_SLEEP_DATA : 0) | (in ? LIMPET_SLEEP_SPACE : 0)))
		channel->ops->notify(channel);
	if (in == BATCH || out == BATCH)
		WRITE_ONCE(tap->due, true);
}

/* --- the ioctl */

static bool is_device(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return S_ISCHR(inode->i_mode) && inode->i_rdev == MKDEV(MISC_MAJOR, TUN_MINOR) &&
	       file->f_mode & FMODE_READ && file->f_mode & FMODE_WRITE;
}

/*
 * Removes the open file from the process, and reserves a descriptor for its return. A thread in a
 * write to a TUN device can hold a lock of the device without limit. The caller would wait for it
 * with tap->lock, and the end of the system for the caller. Therefore no other thread can use the
 * file while frames are carried. Returns the file or an ERR_PTR. -EBUSY: another reference exists, possibly for a short
 * time, for example of a process that lists open files.
 */
static struct file *device_take(int *fd)
{
	struct file *file = fget(*fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (!is_device(file)) {
		fput(file);
		return ERR_PTR(-EINVAL);
	}
	close_fd(*fd);
	*fd = get_unused_fd_flags(O_CLOEXEC);
	if (*fd < 0) {
		fput(file);
		return ERR_PTR(*fd);
	}
	if (file_count(file) == 1)
		return file;
	fd_install(*fd, file);
	return ERR_PTR(-EBUSY);
}

/* Called by Linux's network code as the wake function of a wait queue. */
static int device_notified(wait_queue_entry_t *entry, unsigned int mode, int sync, void *key)
{
	tap_wake(container_of(entry, struct tap, entry));
	return 0;
}

static void queue_join(struct file *file, wait_queue_head_t *queue, poll_table *poll)
{
	struct tap *tap = container_of(poll, struct tap, poll);

	tap->queue = queue;
	add_wait_queue(queue, &tap->entry);
}

static void begin(struct tap *tap, struct file *file, bool link)
{
	tap->file = file;
	tap->link = link;
	tap->full = false;
	tap->due = true;
	tap->error = 0;
	tap->queue = NULL;
	WRITE_ONCE(tap->caller, current);
	init_waitqueue_func_entry(&tap->entry, device_notified);
	init_poll_funcptr(&tap->poll, queue_join);
	vfs_poll(file, &tap->poll);
}

static long link_wait(struct tap *tap, bool link)
{
	do {
		/* Sleeps as wait_event_interruptible() does, but without a queue. */
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(tap->due) && !signal_pending(current))
			schedule();
		__set_current_state(TASK_RUNNING);
		if (signal_pending(current))
			return -ERESTARTSYS;
		smp_store_mb(tap->due, false);
		mutex_lock(&tap->lock);
		if (!tap->channel->ended)
			carry(tap);
		mutex_unlock(&tap->lock);
		if (tap->error || is_closed(tap))
			return tap->error ?: -EPIPE;
	} while (tap->link == link);
	return 0;
}

long tap_carry(struct tap *tap, struct limpet_node_tap *argument)
{
	struct file *file = device_take(&argument->fd);
	long error;

	if (IS_ERR(file))
		return PTR_ERR(file);
	begin(tap, file, argument->link);
	error = link_wait(tap, argument->link);
	argument->link = tap->link;
	if (tap->queue)
		remove_wait_queue(tap->queue, &tap->entry);
	WRITE_ONCE(tap->caller, NULL);
	fd_install(argument->fd, file);
	return error;
}

void tap_init(struct tap *tap, struct host_channel *channel)
{
	tap->channel = channel;
	mutex_init(&tap->lock);
}
