/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/limpet/NAME, see <limpet/node.h>. The module has an end for read and write, which persists
 * between opens. A process that maps the channel is the end itself while it has the channel open.
 * Afterwards the module adopts the words that the process has left in the channel, if they are
 * valid.
 *
 * Locks, outermost first: Linux's lock of a process's memory; node->lock; tap->lock. No thread holds one of them when it
 * takes nodes_lock of node.c. Memory of a process is accessed without these locks, or under node->lock with page faults
 * disabled, because another process can delay the answer to a page fault without limit (FUSE, userfaultfd).
 */
#ifndef HOST_LINUX_NODE_H
#define HOST_LINUX_NODE_H

#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <limpet/node.h>

#include <host/linux/channel/channel.h>
#include <host/linux/network/tap.h>

struct node {
	struct host_channel *channel;
	struct hlist_node name; /* in the table of names */
	int minor;
	struct device *device; /* an ERR_PTR if Linux could not make it */
	char path[sizeof("limpet/") + LIMPET_NAME_MAX];
	struct mutex lock; /* protects the end and all fields except sleeper */
	/* Numbers of open files; at most one each, but in mode SHARED. */
	unsigned int readers, writers;
	bool mapped;  /* a process has mapped the channel, and accesses the rings directly */
	bool carried; /* tap uses the end */
	struct tap tap;
	struct address_space *mapping; /* of all open readers and writers; NULL without any */
	struct page *zeroed;	       /* replaces mapped memory */
	/* Threads in read(), write() and LIMPET_NODE_WAIT. node_wake() wakes them itself: */
	struct task_struct *sleeper[LIMPET_NODE_SLEEPERS];
	/* Pollers, at most LIMPET_NODE_WATCHES. A work item wakes them: */
	wait_queue_head_t pollers;
	struct work_struct poll_wake;
};

/* One open file. */
struct node_session {
	struct host_channel *channel; /* holds a reference */
	struct node *node;
	u32 stops; /* number of stops of the component at open, or of which a FIFO's session knows */
	u32 needs; /* FIFO: free bytes that a write waits for */
};

/* Locks the end. Returns 0. -ERESTARTSYS: a signal is pending. -EPIPE: the system has ended. */
static inline int node_lock(struct node *node)
{
	if (mutex_lock_interruptible(&node->lock))
		return -ERESTARTSYS;
	if (likely(!node->channel->ended))
		return 0;
	mutex_unlock(&node->lock);
	return -EPIPE;
}

/*
 * node_ready.c: the conditions of waits. They read words of the other side, so a hostile component
 * can cause a useless wake-up or omit one. The caller holds the channel (host_channel_hold()) or
 * its lock.
 */
bool node_is_alive(const struct node_session *session);
bool node_is_connected(const struct node_session *session);
/*
 * Handles a start of the other side. Returns true if both sides have seen each other. Called with
 * the lock.
 */
bool node_connect(const struct node_session *session);
/* Returns true if the other side has started or restarted, and this end has not handled it yet. */
bool node_peer_started(const struct node_session *session);
bool node_has_data(const struct node_session *session);
/*
 * Returns true if one of the conditions LIMPET_SLEEP_... holds, the other side has started, or the
 * component was stopped.
 */
bool node_is_ready(const struct node_session *session, u32 what);
/* Returns the events of poll(). */
__poll_t node_readiness(const struct node_session *session);

/* Nodes of mode FIFO: words of the component, which are not trusted. The caller holds the channel or its lock. */
static inline bool fifo_exists(const struct host_channel *channel)
{
	return host_channel_alive(channel, host_channel_stops(channel)) &&
	       LIMPET_CLAIM(channel->end.peer->generation) != 0;
}

/* Returns whether the end belongs to the component's current generation. */
static inline bool fifo_is_seen(const struct limpet_end *end)
{
	return LIMPET_CLAIM(end->peer->generation) == READ_ONCE(end->peer_generation);
}

static inline u64 fifo_bytes_to_read(const struct limpet_end *end)
{
	const u64 used =
		LIMPET_CLAIM(end->peer->head) - (fifo_is_seen(end) ? READ_ONCE(end->tail) : 0);

	return used <= end->in_size && LIMPET_CLAIM(end->peer->generation) ? used : 0;
}

static inline u64 fifo_capacity(const struct limpet_end *end)
{
	return min_t(u64, LIMPET_CLAIM(end->peer->takes), end->out_size);
}

static inline u64 fifo_bytes_free(const struct limpet_end *end)
{
	const u64 used = fifo_is_seen(end) ? READ_ONCE(end->head) - LIMPET_CLAIM(end->peer->tail)
					   : 0;
	const u64 size = fifo_capacity(end);

	return used <= size ? size - used : 0;
}

/* Returns the bytes that a write of `count` bytes needs: it is whole, unless it never fits. */
static inline u64 fifo_bytes_needed(const struct limpet_end *end, size_t count)
{
	return count <= fifo_capacity(end) ? count : 1;
}

/* Handles a new generation of the component, of which no byte was read or written yet. Called with the lock. */
void fifo_notice(struct limpet_end *end);

/* fifo.c: the files of /dev/rtfN. */
extern const struct file_operations fifo_operations;

/* node_wait.c: wakes all waiters in constant time. Any context. */
void node_wake(struct host_channel *channel);
void node_wait_init(struct node *node);
/*
 * Sleeps until node_is_ready() or the time `until`; NULL means no time limit. Returns 0.
 * -ERESTARTSYS: a signal is pending. -EAGAIN: the time limit has passed. -EBUSY:
 * LIMPET_NODE_SLEEPERS threads sleep already.
 */
int node_wait(const struct node_session *session, u32 what, ktime_t *until);
/* Clears bits in the word that the component sees. Wakes the other waiters, which set their bits again. */
void node_sleeping_clear(struct host_channel *channel, u32 what);
__poll_t node_poll(struct file *file, struct poll_table_struct *wait);

/* node.c */
extern const struct file_operations node_operations;
/*
 * Opens a file of a node. The file gets the caller's reference to the channel. Returns 0. -ENODEV: the system has ended,
 * or the component has not created the FIFO or the channel's memory. -EBUSY, for a FIFO -EACCES: the node is open for the
 * same direction. -ERESTARTSYS: a signal is pending. -ENOMEM: no memory.
 */
int node_join(struct node *node, struct file *file);
int node_release(struct inode *inode, struct file *file);

/* node_map.c */
int node_mmap(struct file *file, struct vm_area_struct *vma);

/* node_transfer.c */
ssize_t node_read(struct file *file, char __user *to, size_t count, loff_t *unused);
ssize_t node_write(struct file *file, const char __user *from, size_t count, loff_t *unused);
/* One read() or write(). */
struct transfer {
	struct host_channel *channel;
	struct limpet_end *end;
	bool reads;	 /* read(), else write() */
	char __user *at; /* memory of the process */
	size_t count;
	size_t missed; /* bytes from `missed_at` on that could not be copied */
	char __user *missed_at;
};

/*
 * Copies between the process's memory, from `done` on, and the ring. Called with the lock. Returns the number of bytes
 * copied.
 */
static __always_inline size_t transfer_copy(struct transfer *transfer, size_t done, void *ring,
					    size_t length)
{
	pagefault_disable();
	transfer->missed = transfer->reads ? copy_to_user(transfer->at + done, ring, length)
					   : copy_from_user(ring, transfer->at + done, length);
	pagefault_enable();
	transfer->missed_at = transfer->at + done + length - transfer->missed;
	return length - transfer->missed;
}

/*
 * Removes the cause of a failed transfer: faults `missed` bytes at `at` in (-EFAULT), or waits for data or space
 * (-EAGAIN). Returns 0 if the transfer must be tried again, or a negative errno.
 */
int node_retry(const struct file *file, bool reads, int error, char __user *at, size_t missed);

/*
 * Calls `move` with the lock until it returns a number of bytes, or an error that node_retry() does not remove. Inlined,
 * so that each kind of transfer has its own code, because the instructions of this path are counted.
 */
static __always_inline ssize_t transfer_run(struct file *file, struct transfer *transfer,
					    ssize_t (*move)(struct node_session *session,
							    struct transfer *transfer))
{
	struct node_session *session = file->private_data;
	ssize_t done;

	do {
		done = node_lock(session->node);
		if (done)
			return done;
		transfer->missed = 0;
		done = move(session, transfer);
		mutex_unlock(&session->node->lock);
		if (done >= 0)
			return done;
		done = node_retry(file, transfer->reads, done, transfer->missed_at,
				  transfer->missed);
	} while (!done);
	return done;
}

/* node_command.c */
long node_ioctl(struct file *file, unsigned int command, unsigned long argument);

#endif
