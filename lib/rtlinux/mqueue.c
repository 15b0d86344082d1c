// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements message queues between the threads of one module. Each priority has a list of its messages, oldest first,
 * so messages are added and removed in constant time. Lists link message slots by their numbers plus one. 0 ends a
 * list.
 */
#include "core.h"

#include <runtime/memory.h>

#include <sync/lock.h>

#define QUEUES 32
#define DESCRIPTORS 64
#define NAME_LONGEST 32
#define MESSAGES_DEFAULT 10
#define SIZE_DEFAULT 1024
#define BYTES_MOST (1ul << 20) /* of one queue: the limit of rtlinux_allocate() */

struct slot {
	unsigned int next, size;
};

struct queue {
	char name[NAME_LONGEST + 1]; /* empty after mq_unlink() */
	unsigned int users; /* open descriptors and calls; a queue without users and name is free */
	long most, size;    /* max. messages; bytes of each */
	long count;
	struct slot *slots;
	char *data;
	unsigned int unused;				    /* list of slots */
	unsigned int first[MQ_PRIO_MAX], last[MQ_PRIO_MAX]; /* lists of each priority */
	unsigned int filled;				    /* bit N: priority N has messages */
	struct descriptor *notified;			    /* registered by mq_notify() */
	struct sigevent event;
	pthread_t registered;
};

struct descriptor {
	struct queue *queue; /* NULL: not open */
	int flags;
};

/* One call of mq_send() or mq_receive(). A thread's record points to its innermost call. */
struct transfer {
	struct transfer *outer; /* this thread's call whose wait a signal handler interrupted */
	struct queue *queue;
	void *to;
	const void *from;
	size_t size;
	unsigned int priority;
};

static struct queue queues[QUEUES];
static struct descriptor descriptors[DESCRIPTORS];
static struct lock lock; /* of all queues; held for a bounded time */

static int fails(int error)
{
	errno = error;
	return -1;
}

/* Returns the name without its first slash, so that both forms name the same queue. */
static const char *name_of(const char *name)
{
	return *name == '/' ? name + 1 : name;
}

static struct queue *queue_find(const char *name)
{
	for (unsigned int i = 0; i < QUEUES; i++)
		if (*queues[i].name && !strcmp(queues[i].name, name))
			return &queues[i];
	return NULL;
}

static struct descriptor *descriptor_of(mqd_t number)
{
	return number >= 0 && number < DESCRIPTORS && descriptors[number].queue
		       ? &descriptors[number]
		       : NULL;
}

/* Releases a queue that has neither a name nor users. */
static void queue_release(struct queue *queue)
{
	if (*queue->name || queue->users)
		return;
	rtlinux_free(queue->slots);
	queue->slots = NULL;
}

/* Creates a queue. Sets *error if it returns NULL. */
static struct queue *queue_create(const char *name, const struct mq_attr *given, int *error)
{
	struct mq_attr wanted = { .mq_maxmsg = MESSAGES_DEFAULT, .mq_msgsize = SIZE_DEFAULT };
	struct queue *queue = queues;

	if (given)
		wanted = *given;
	*error = EINVAL;
	if (wanted.mq_maxmsg <= 0 || wanted.mq_msgsize <= 0)
		return NULL;
	*error = ENFILE;
	while (queue < queues + QUEUES && queue->slots)
		queue++;
	if (queue == queues + QUEUES)
		return NULL;
	*error = ENOSPC;
	if ((unsigned long)wanted.mq_maxmsg > BYTES_MOST ||
	    (unsigned long)wanted.mq_msgsize > BYTES_MOST / (unsigned long)wanted.mq_maxmsg)
		return NULL;
	*queue = (struct queue){ .most = wanted.mq_maxmsg, .size = wanted.mq_msgsize, .unused = 1 };
	queue->slots =
		rtlinux_allocate((size_t)queue->most * (sizeof(struct slot) + (size_t)queue->size));
	if (!queue->slots)
		return NULL;
	queue->data = (char *)(queue->slots + queue->most);
	for (long i = 0; i < queue->most; i++)
		queue->slots[i].next = i + 1 < queue->most ? (unsigned int)i + 2 : 0;
	strncpy(queue->name, name, NAME_LONGEST);
	return queue;
}

/* Returns the queue of a name for mq_open(). Sets *error if it returns NULL. */
static struct queue *queue_open(const char *name, int flags, const struct mq_attr *given,
				int *error)
{
	struct queue *queue = queue_find(name);

	if (!queue) {
		*error = ENOENT;
		return flags & O_CREAT ? queue_create(name, given, error) : NULL;
	}
	*error = EEXIST;
	return (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ? NULL : queue;
}

/* Ends the innermost call of a thread. The caller has the lock. */
static void transfer_drop(struct rtl_thread_struct *self)
{
	const struct transfer *transfer = self->rtlinux_transfer;

	self->rtlinux_transfer = transfer->outer;
	transfer->queue->users--;
	queue_release(transfer->queue);
}

static void queues_leave(struct rtl_thread_struct *self)
{
	lock_take(&lock);
	while (self->rtlinux_transfer)
		transfer_drop(self);
	lock_drop(&lock);
}

static mqd_t open_locked(const char *name, int flags, const struct mq_attr *given)
{
	mqd_t number = 0;
	int error;

	while (number < DESCRIPTORS && descriptors[number].queue)
		number++;
	if (number == DESCRIPTORS)
		return fails(EMFILE);
	descriptors[number].queue = queue_open(name, flags, given, &error);
	if (!descriptors[number].queue)
		return fails(error);
	descriptors[number].queue->users++;
	descriptors[number].flags = flags;
	return number;
}

mqd_t mq_open(const char *name, int flags, ...)
{
	const struct mq_attr *given = NULL;
	mqd_t number;
	va_list more;

	if (flags & O_CREAT) {
		va_start(more, flags);
		(void)va_arg(more, unsigned int); /* the mode */
		given = va_arg(more, const struct mq_attr *);
		va_end(more);
	}
	name = name_of(name);
	if (!*name)
		return fails(EINVAL);
	if (strlen(name) > NAME_LONGEST)
		return fails(ENAMETOOLONG);
	lock_take(&lock);
	rtlinux_queues_leave = queues_leave;
	number = open_locked(name, flags, given);
	lock_drop(&lock);
	return number;
}

int mq_close(mqd_t number)
{
	struct descriptor *descriptor;
	struct queue *queue;

	lock_take(&lock);
	descriptor = descriptor_of(number);
	if (descriptor) {
		queue = descriptor->queue;
		if (queue->notified == descriptor)
			queue->notified = NULL;
		descriptor->queue = NULL;
		queue->users--;
		queue_release(queue);
	}
	lock_drop(&lock);
	return descriptor ? 0 : fails(EBADF);
}

int mq_unlink(const char *name)
{
	struct queue *queue;

	lock_take(&lock);
	queue = queue_find(name_of(name));
	if (queue) {
		*queue->name = 0;
		queue_release(queue);
	}
	lock_drop(&lock);
	return queue ? 0 : fails(ENOENT);
}

int mq_getattr(mqd_t number, struct mq_attr *attributes)
{
	const struct descriptor *descriptor;

	lock_take(&lock);
	descriptor = descriptor_of(number);
	if (descriptor)
		*attributes = (struct mq_attr){
			.mq_flags = descriptor->flags & O_NONBLOCK,
			.mq_maxmsg = descriptor->queue->most,
			.mq_msgsize = descriptor->queue->size,
			.mq_curmsgs = descriptor->queue->count,
		};
	lock_drop(&lock);
	return descriptor ? 0 : fails(EBADF);
}

int mq_setattr(mqd_t number, const struct mq_attr *attributes, struct mq_attr *old)
{
	struct descriptor *descriptor;
	int flags = (int)attributes->mq_flags & O_NONBLOCK; /* `old` can be the same structure */

	if (old && mq_getattr(number, old))
		return -1;
	lock_take(&lock);
	descriptor = descriptor_of(number);
	if (descriptor)
		descriptor->flags = (descriptor->flags & ~O_NONBLOCK) | flags;
	lock_drop(&lock);
	return descriptor ? 0 : fails(EBADF);
}

int mq_notify(mqd_t number, const struct sigevent *event)
{
	struct descriptor *descriptor;
	int error = EBADF;

	if (event && event->sigev_notify == SIGEV_SIGNAL &&
	    (event->sigev_signo < RTL_SIGUSR1 || event->sigev_signo > RTL_MAX_SIGNAL))
		return fails(EINVAL);
	lock_take(&lock);
	descriptor = descriptor_of(number);
	if (descriptor && !event) {
		if (descriptor->queue->notified == descriptor)
			descriptor->queue->notified = NULL;
		error = 0;
	} else if (descriptor) {
		error = descriptor->queue->notified ? EBUSY : 0;
		if (!error) {
			descriptor->queue->notified = descriptor;
			descriptor->queue->event = *event;
			descriptor->queue->registered = pthread_self();
		}
	}
	lock_drop(&lock);
	return error ? fails(error) : 0;
}

/* --- messages. The caller has the lock */

static void message_append(struct transfer *transfer)
{
	struct queue *queue = transfer->queue;
	unsigned int number = queue->unused, priority = transfer->priority;
	struct slot *slot = &queue->slots[number - 1];

	queue->unused = slot->next;
	*slot = (struct slot){ .next = 0, .size = (unsigned int)transfer->size };
	memcpy(queue->data + (number - 1) * (size_t)queue->size, transfer->from, transfer->size);
	if (queue->filled >> priority & 1)
		queue->slots[queue->last[priority] - 1].next = number;
	else
		queue->first[priority] = number;
	queue->last[priority] = number;
	queue->filled |= 1u << priority;
	queue->count++;
}

static void message_remove(struct transfer *transfer)
{
	struct queue *queue = transfer->queue;
	unsigned int priority = 31 - (unsigned int)__builtin_clz(queue->filled);
	unsigned int number = queue->first[priority];
	struct slot *slot = &queue->slots[number - 1];

	memcpy(transfer->to, queue->data + (number - 1) * (size_t)queue->size, slot->size);
	transfer->size = slot->size;
	transfer->priority = priority;
	queue->first[priority] = slot->next;
	if (!slot->next)
		queue->filled &= ~(1u << priority);
	slot->next = queue->unused;
	queue->unused = number;
	queue->count--;
}

/*
 * Ends the registration of mq_notify() if the message came into an empty queue that no other thread waits for. Returns
 * the thread that gets the signal, or NULL.
 */
static pthread_t notified_take(struct queue *queue, int *signal)
{
	if (!queue->notified || queue->count != 1 || rtlinux_is_awaited(queue))
		return NULL;
	queue->notified = NULL;
	*signal = queue->event.sigev_signo;
	return queue->event.sigev_notify == SIGEV_SIGNAL && rtlinux_valid(queue->registered)
		       ? queue->registered
		       : NULL;
}

static bool sent(struct transfer *transfer)
{
	struct queue *queue = transfer->queue;
	pthread_t notified = NULL;
	int signal;
	bool fits;

	lock_take(&lock);
	fits = queue->count < queue->most;
	if (fits) {
		message_append(transfer);
		notified = notified_take(queue, &signal);
	}
	lock_drop(&lock);
	if (notified)
		rtlinux_signal(notified, signal);
	return fits;
}

static bool received(struct transfer *transfer)
{
	bool some;

	lock_take(&lock);
	some = transfer->queue->count > 0;
	if (some)
		message_remove(transfer);
	lock_drop(&lock);
	return some;
}

/* The transfer of a waiting thread is in its record, because rtlinux_wait() passes only the object. */
static bool sent_by_self(void *object)
{
	(void)object;
	return sent(pthread_self()->rtlinux_transfer);
}

static bool received_by_self(void *object)
{
	(void)object;
	return received(pthread_self()->rtlinux_transfer);
}

/* Moves a message. Waits for it up to the time limit, unless the descriptor has O_NONBLOCK. */
static int transfer_wait(struct transfer *transfer, int flags, const struct timespec *until,
			 rtlinux_try *try)
{
	if (flags & O_NONBLOCK)
		return try(transfer->queue) ? 0 : EAGAIN;
	return rtlinux_wait(transfer->queue, try, until ? timespec_to_ns(until) : HRTIME_INFINITY,
			    WAIT_CANCEL | WAIT_SIGNAL);
}

/*
 * Starts a call. Sets the queue of a descriptor, and its flags. Returns false if the descriptor is not open, or has the access
 * mode `other`. The call counts as a user, so that the queue stays if another thread closes the descriptor meanwhile.
 */
static bool transfer_begin(struct transfer *transfer, mqd_t number, int other, int *flags)
{
	struct rtl_thread_struct *self = pthread_self();
	struct descriptor *descriptor;

	lock_take(&lock);
	descriptor = descriptor_of(number);
	if (descriptor && (descriptor->flags & O_ACCMODE) != other) {
		transfer->queue = descriptor->queue;
		transfer->queue->users++;
		*flags = descriptor->flags;
		transfer->outer = self->rtlinux_transfer;
		self->rtlinux_transfer = transfer;
	}
	lock_drop(&lock);
	return transfer->queue;
}

/*
 * Ends a call. After a transfer, wakes the threads that wait for the queue. A cancelled caller exits. Returns the size, or -1
 * with errno.
 */
static ssize_t transfer_end(struct transfer *transfer, int status)
{
	if (!status)
		rtlinux_wake(transfer->queue);
	lock_take(&lock);
	transfer_drop(pthread_self());
	lock_drop(&lock);
	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return status ? fails(status) : (ssize_t)transfer->size;
}

int mq_timedsend(mqd_t number, const char *data, size_t size, unsigned int priority,
		 const struct timespec *until)
{
	struct transfer transfer = { .from = data, .size = size, .priority = priority };
	int flags, status = EMSGSIZE;

	if (!transfer_begin(&transfer, number, O_RDONLY, &flags))
		return fails(EBADF);
	if (priority >= MQ_PRIO_MAX)
		status = EINVAL;
	else if (size <= (size_t)transfer.queue->size)
		status = transfer_wait(&transfer, flags, until, sent_by_self);
	return transfer_end(&transfer, status) < 0 ? -1 : 0;
}

ssize_t mq_timedreceive(mqd_t number, char *data, size_t size, unsigned int *priority,
			const struct timespec *until)
{
	struct transfer transfer = { .to = data };
	int flags, status = EMSGSIZE;

	if (!transfer_begin(&transfer, number, O_WRONLY, &flags))
		return fails(EBADF);
	if (size >= (size_t)transfer.queue->size)
		status = transfer_wait(&transfer, flags, until, received_by_self);
	if (!status && priority)
		*priority = transfer.priority;
	return transfer_end(&transfer, status);
}
