// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements message queues on the component exchange, which has the messages. Threads of all modules with this
 * component in their systems communicate by the names of queues. This file has the module's descriptors.
 */
#include "core.h"
#include "exchange.h"

#include <import/exchange.h>

#define QUEUES 64
#define DESCRIPTORS 64
#define MESSAGES_DEFAULT 10
#define SIZE_DEFAULT 1024
#define NAME_WORDS (EXCHANGE_NAME / sizeof(word))

/*
 * A queue has users as long as this module has open descriptors of it, or calls in progress. Without users it is
 * closed. The address of a queue is also the object that the module's threads wait for.
 */
struct queue {
	unsigned int users;	     /* changed without a lock, too */
	long size;		     /* max. bytes of a message */
	struct descriptor *notified; /* registered by mq_notify() */
	struct sigevent event;
	pthread_t registered;
};

struct descriptor {
	struct queue *queue; /* NULL: not open */
	int flags;
};

/* One call of mq_send() or mq_receive(). A thread's record points to its innermost call. */
struct transfer {
	struct rtl_thread_struct *self; /* the caller */
	struct transfer *outer; /* this thread's call whose wait a signal handler interrupted */
	struct queue *queue;
	void *to;
	const void *from;
	size_t size; /* size of the message; before it is received, size of the buffer */
	unsigned int priority;
	int error; /* error of the exchange, which ends the call */
};

/* The exchange's lock protects these. Calls that move messages read descriptors without it. */
static struct queue queues[QUEUES]; /* indexed by the exchange's numbers */
static struct descriptor descriptors[DESCRIPTORS];
static struct exchange_window *window; /* set when a queue is opened */

static int fails(int error)
{
	errno = error;
	return -1;
}

static unsigned int number_of(const struct queue *queue)
{
	return (unsigned int)(queue - queues);
}

/*
 * Stores the name in words, without its first slash, so that both forms name the same queue. Returns 0 or an error of
 * mq_open().
 */
static int name_pack(const char *name, word packed[NAME_WORDS])
{
	const char *text = *name == '/' ? name + 1 : name;

	if (!*text)
		return EINVAL;
	if (strlen(text) > EXCHANGE_NAME)
		return ENAMETOOLONG;
	memset(packed, 0, EXCHANGE_NAME);
	memcpy(packed, text, strlen(text));
	return 0;
}

/* Returns one half of a queue's form. */
static word form_part(long value)
{
	return value < 0 ? 0 : value < UINT32_MAX ? (word)value : UINT32_MAX;
}

static struct descriptor *descriptor_of(mqd_t number)
{
	return number >= 0 && number < DESCRIPTORS && descriptors[number].queue
		       ? &descriptors[number]
		       : NULL;
}

/* Locks the exchange. Returns an open descriptor, or NULL without a lock. */
static struct descriptor *descriptor_lock(mqd_t number)
{
	struct descriptor *descriptor;

	if (!rtlinux_exchange_lock())
		return NULL;
	descriptor = descriptor_of(number);
	if (!descriptor)
		rtlinux_exchange_unlock();
	return descriptor;
}

/* Returns the error of mq_open() for a status of the exchange. */
static int error_of(long status)
{
	switch (status) {
	case LIMPET_ENOENT:
		return ENOENT;
	case LIMPET_EBUSY:
		return EEXIST;
	case LIMPET_ERANGE:
		return EINVAL;
	case LIMPET_EFULL:
		return ENFILE;
	default:
		return ENOSPC;
	}
}

/* Ends a registration of mq_notify(). The caller has the lock. */
static void notice_end(struct queue *queue)
{
	queue->notified = NULL;
	exchange_queue_notify(number_of(queue), 0);
}

/* Returns the queue of a name for mq_open(). Sets *error if it returns NULL. */
static struct queue *queue_open(const word *name, int flags, const struct mq_attr *given,
				int *error)
{
	const word how = (flags & O_CREAT ? EXCHANGE_CREATE : 0) |
			 (flags & O_EXCL ? EXCHANGE_EXCLUSIVE : 0);
	const word form = given ? form_part(given->mq_maxmsg) | form_part(given->mq_msgsize) << 32
				: MESSAGES_DEFAULT | (word)SIZE_DEFAULT << 32;
	struct queue *queue;
	word max, size;
	long number = exchange_queue_open(name[0], name[1], name[2], name[3], how, form);

	if (number < 0) {
		*error = error_of(number);
		return NULL;
	}
	queue = &queues[number % QUEUES];
	if (exchange_queue_state((word)number, &max, &size) >= 0)
		queue->size = (long)size;
	return queue;
}

static void queue_get(struct queue *queue)
{
	__atomic_fetch_add(&queue->users, 1, __ATOMIC_SEQ_CST);
}

/* Ends a use of a queue. Closes a queue that has no users. The caller does not have the lock. */
static void queue_put(struct queue *queue)
{
	if (likely(__atomic_sub_fetch(&queue->users, 1, __ATOMIC_SEQ_CST)) ||
	    !rtlinux_exchange_lock())
		return;
	if (!__atomic_load_n(&queue->users, __ATOMIC_SEQ_CST)) {
		queue->notified = NULL;
		exchange_queue_close(number_of(queue));
	}
	rtlinux_exchange_unlock();
}

/* Ends the innermost call of a thread. */
static void transfer_drop(struct rtl_thread_struct *self)
{
	const struct transfer *transfer = self->rtlinux_transfer;

	self->rtlinux_transfer = transfer->outer;
	queue_put(transfer->queue);
}

static void queues_leave(struct rtl_thread_struct *self)
{
	if (!self->rtlinux_transfer)
		return;
	exchange_queue_leave();
	while (self->rtlinux_transfer)
		transfer_drop(self);
}

/* Makes the signals of arrived notices pending. */
static void notices_take(void)
{
	uint64_t notified;

	if (!__atomic_load_n(&window->notified, __ATOMIC_SEQ_CST))
		return;
	notified = __atomic_exchange_n(&window->notified, 0, __ATOMIC_SEQ_CST);
	for (; notified; notified &= notified - 1) {
		struct queue *queue = &queues[__builtin_ctzl(notified)];

		if (!__atomic_exchange_n(&queue->notified, NULL, __ATOMIC_SEQ_CST))
			continue;
		if (queue->event.sigev_notify == SIGEV_SIGNAL && rtlinux_valid(queue->registered))
			rtlinux_signal(queue->registered, queue->event.sigev_signo);
	}
}

static mqd_t open_locked(const word *name, int flags, const struct mq_attr *given)
{
	struct queue *queue;
	mqd_t number = 0;
	int error;

	while (number < DESCRIPTORS && descriptors[number].queue)
		number++;
	if (number == DESCRIPTORS)
		return fails(EMFILE);
	queue = queue_open(name, flags, given, &error);
	if (!queue)
		return fails(error);
	queue_get(queue);
	descriptors[number].flags = flags;
	__atomic_store_n(&descriptors[number].queue, queue, __ATOMIC_SEQ_CST);
	return number;
}

mqd_t mq_open(const char *name, int flags, ...)
{
	INSIDE;
	const struct mq_attr *given = NULL;
	word packed[NAME_WORDS];
	mqd_t number;
	va_list more;
	int error;

	if (flags & O_CREAT) {
		va_start(more, flags);
		(void)va_arg(more, unsigned int); /* the mode */
		given = va_arg(more, const struct mq_attr *);
		va_end(more);
	}
	error = name_pack(name, packed);
	if (error)
		return fails(error);
	window = rtlinux_exchange_lock();
	if (!window)
		return fails((int)rtlinux_refuse(
			"mq_open", "the system file gives the module no component exchange",
			ENOSYS));
	rtlinux_queues_leave = queues_leave;
	rtlinux_notices_take = notices_take;
	number = open_locked(packed, flags, given);
	rtlinux_exchange_unlock();
	return number;
}

int mq_close(mqd_t number)
{
	INSIDE;
	struct descriptor *descriptor = descriptor_lock(number);
	struct queue *queue;

	if (!descriptor)
		return fails(EBADF);
	queue = descriptor->queue;
	if (queue->notified == descriptor)
		notice_end(queue);
	__atomic_store_n(&descriptor->queue, NULL, __ATOMIC_SEQ_CST);
	rtlinux_exchange_unlock();
	queue_put(queue);
	return 0;
}

int mq_unlink(const char *name)
{
	INSIDE;
	word packed[NAME_WORDS];
	int error = name_pack(name, packed);
	long status;

	if (error)
		return fails(error == EINVAL ? ENOENT : error);
	if (!rtlinux_exchange_lock())
		return fails(ENOENT);
	status = exchange_queue_unlink(packed[0], packed[1], packed[2], packed[3]);
	rtlinux_exchange_unlock();
	return status ? fails(ENOENT) : 0;
}

int mq_getattr(mqd_t number, struct mq_attr *attributes)
{
	INSIDE;
	const struct descriptor *descriptor = descriptor_lock(number);
	word max = 0, size = 0;
	long count;

	if (!descriptor)
		return fails(EBADF);
	count = exchange_queue_state(number_of(descriptor->queue), &max, &size);
	*attributes = (struct mq_attr){
		.mq_flags = descriptor->flags & O_NONBLOCK,
		.mq_maxmsg = (long)max,
		.mq_msgsize = (long)size,
		.mq_curmsgs = count,
	};
	rtlinux_exchange_unlock();
	return count < 0 ? fails(EBADF) : 0;
}

int mq_setattr(mqd_t number, const struct mq_attr *attributes, struct mq_attr *old)
{
	INSIDE;
	struct descriptor *descriptor;
	int flags = (int)attributes->mq_flags & O_NONBLOCK; /* `old` can be the same structure */

	if (old && mq_getattr(number, old))
		return -1;
	descriptor = descriptor_lock(number);
	if (!descriptor)
		return fails(EBADF);
	descriptor->flags = (descriptor->flags & ~O_NONBLOCK) | flags;
	rtlinux_exchange_unlock();
	return 0;
}

/* Registers the calling thread for a notice. Returns 0 or an error of mq_notify(). */
static int notice_begin(struct descriptor *descriptor, const struct sigevent *event)
{
	struct queue *queue = descriptor->queue;

	if (queue->notified)
		return EBUSY;
	queue->event = *event;
	queue->registered = rtlinux_self();
	queue->notified = descriptor;
	__atomic_fetch_and(&window->notified, ~(1ul << number_of(queue)), __ATOMIC_SEQ_CST);
	if (!exchange_queue_notify(number_of(queue), 1))
		return 0;
	queue->notified = NULL;
	return EBUSY;
}

int mq_notify(mqd_t number, const struct sigevent *event)
{
	INSIDE;
	struct descriptor *descriptor;
	int error = 0;

	if (event && event->sigev_notify == SIGEV_SIGNAL &&
	    (event->sigev_signo < RTL_SIGUSR1 || event->sigev_signo > RTL_MAX_SIGNAL))
		return fails(EINVAL);
	descriptor = descriptor_lock(number);
	if (!descriptor)
		return fails(EBADF);
	if (event)
		error = notice_begin(descriptor, event);
	else if (descriptor->queue->notified == descriptor)
		notice_end(descriptor->queue);
	rtlinux_exchange_unlock();
	return error ? fails(error) : 0;
}

/* --- messages */

/*
 * Returns whether a call of the exchange ends a transfer: it has succeeded, or it can never succeed. If it has failed
 * because the queue is full or empty, the exchange resumes this thread when the queue has changed.
 */
static bool is_over(struct transfer *transfer, long status)
{
	if (status == LIMPET_EFULL || status == LIMPET_EEMPTY)
		return false;
	transfer->error = status < 0 ? EBADF : 0;
	return true;
}

static bool sent(struct transfer *transfer)
{
	long status;

	if (!rtlinux_exchange_lock())
		return is_over(transfer, LIMPET_ECRASH);
	memcpy(window->data, transfer->from, transfer->size);
	status = exchange_queue_send(number_of(transfer->queue), transfer->size, transfer->priority,
				     transfer->self->rtlinux_level);
	rtlinux_exchange_unlock();
	return is_over(transfer, status);
}

static bool received(struct transfer *transfer)
{
	word priority = 0;
	long status;

	if (!rtlinux_exchange_lock())
		return is_over(transfer, LIMPET_ECRASH);
	status = exchange_queue_receive(number_of(transfer->queue), transfer->self->rtlinux_level,
					&priority);
	if (status >= 0) {
		transfer->size = (size_t)status < transfer->size ? (size_t)status : transfer->size;
		transfer->priority = (unsigned int)priority;
		memcpy(transfer->to, window->data, transfer->size);
	}
	rtlinux_exchange_unlock();
	return is_over(transfer, status);
}

/* The transfer of a waiting thread is in its record, because rtlinux_wait() passes only the object. */
static bool sent_by_self(void *object)
{
	(void)object;
	return sent(rtlinux_self()->rtlinux_transfer);
}

static bool received_by_self(void *object)
{
	(void)object;
	return received(rtlinux_self()->rtlinux_transfer);
}

/*
 * Waits for a message or for space, up to the time limit, and moves the message. Returns immediately if the descriptor
 * has O_NONBLOCK.
 */
static int transfer_wait(const struct transfer *transfer, int flags, const struct timespec *until,
			 rtlinux_try *try)
{
	if (flags & O_NONBLOCK)
		return EAGAIN;
	return rtlinux_wait(transfer->queue, try, until ? timespec_to_ns(until) : HRTIME_INFINITY,
			    WAIT_CANCEL | WAIT_SIGNAL);
}

/*
 * Becomes a user of a descriptor's queue. Returns NULL if the descriptor is not open, or has the access mode `other`.
 */
static struct queue *queue_use(mqd_t number, int other, int *flags)
{
	const struct descriptor *descriptor = descriptor_of(number);
	struct queue *queue;

	if (!descriptor)
		return NULL;
	queue = __atomic_load_n(&descriptor->queue, __ATOMIC_SEQ_CST);
	if (!queue)
		return NULL;
	queue_get(queue);
	*flags = __atomic_load_n(&descriptor->flags, __ATOMIC_SEQ_CST);
	if (likely(__atomic_load_n(&descriptor->queue, __ATOMIC_SEQ_CST) == queue &&
		   (*flags & O_ACCMODE) != other))
		return queue;
	queue_put(queue); /* another thread has closed the descriptor */
	return NULL;
}

/*
 * Starts a call. Sets the queue of a descriptor, and its flags. Returns false if the descriptor is not open, or has the
 * access mode `other`. The call counts as a user, so that the queue stays if another thread closes the descriptor
 * meanwhile.
 */
static bool transfer_begin(struct transfer *transfer, mqd_t number, int other, int *flags)
{
	transfer->queue = queue_use(number, other, flags);
	if (!transfer->queue)
		return false;
	transfer->outer = transfer->self->rtlinux_transfer;
	transfer->self->rtlinux_transfer = transfer;
	return true;
}

/*
 * Ends a call. If it has moved a message, wakes the module's threads that wait for the queue. The exchange has
 * already resumed those of other modules. A cancelled caller exits. Returns the size, or -1 with errno.
 */
static ssize_t transfer_end(struct transfer *transfer, int status)
{
	if (likely(!status))
		rtlinux_wake(transfer->queue);
	else
		exchange_queue_leave();
	notices_take(); /* the message can have caused one for a thread that computes */
	transfer_drop(transfer->self);
	status = status ? status : transfer->error;
	if (status == ECANCELED)
		pthread_exit(PTHREAD_CANCELED);
	return status ? fails(status) : (ssize_t)transfer->size;
}

int mq_timedsend(mqd_t number, const char *data, size_t size, unsigned int priority,
		 const struct timespec *until)
{
	INSIDE;
	struct transfer transfer = {
		.self = inside, .from = data, .size = size, .priority = priority
	};
	int flags = 0, status = EMSGSIZE;

	if (!transfer_begin(&transfer, number, O_RDONLY, &flags))
		return fails(EBADF);
	if (priority >= MQ_PRIO_MAX)
		status = EINVAL;
	else if (size <= (size_t)transfer.queue->size)
		status = sent(&transfer) ? 0 : transfer_wait(&transfer, flags, until, sent_by_self);
	return transfer_end(&transfer, status) < 0 ? -1 : 0;
}

ssize_t mq_timedreceive(mqd_t number, char *data, size_t size, unsigned int *priority,
			const struct timespec *until)
{
	INSIDE;
	struct transfer transfer = { .self = inside, .to = data, .size = size };
	int flags = 0, status = EMSGSIZE;

	if (!transfer_begin(&transfer, number, O_WRONLY, &flags))
		return fails(EBADF);
	if (size >= (size_t)transfer.queue->size)
		status = received(&transfer)
				 ? 0
				 : transfer_wait(&transfer, flags, until, received_by_self);
	if (!status && priority)
		*priority = transfer.priority;
	return transfer_end(&transfer, status);
}
