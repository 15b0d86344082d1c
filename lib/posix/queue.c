// SPDX-License-Identifier: BSD-2-Clause
/*
 * Message queues: POSIX.1-2017, mq_open() and others. Messages of a queue are a list by priority, with the oldest one
 * first in each priority. mq_open() allocates their memory. posix_lock() protects contents, and file_lock() protects
 * names.
 */
#include <runtime/memory.h>

#include <asm/siginfo.h>
#include <asm/signal.h>
#include <linux/fcntl.h>
#include <linux/mqueue.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"
#include "queue.h"
#include "ready.h"
#include "signals.h"
#include "waiter.h"

#define QUEUES 16
#define QUEUE_NAME_MAX 255
#define MESSAGES_DEFAULT 10
#define MESSAGES_MAX 65536
#define SIZE_DEFAULT 8192
#define MESSAGE_SIZE_MAX (16ul << 20)
#define PRIORITIES 32768
#define ANY_EVENT (~0u) /* Linux wakes waiters of a queue for any event */

struct message {
	struct message *next;
	uint32_t priority;
	uint32_t size;
	uint8_t data[];
};

struct queue {
	bool named;
	uint32_t uses;	   /* open files */
	uint32_t readable; /* receivers wait at its address; the value is not used */
	uint32_t writable;
	uint32_t receivers; /* number of waiting receivers */
	uint16_t mode;
	char name[QUEUE_NAME_MAX + 1];
	struct mq_attr attributes;
	struct message *first, *unused;
	void *memory;
	size_t memory_size;
	const struct posix_thread *notified; /* requested the notification; NULL: not requested */
	int signal;			     /* 0: no signal */
	word value;
};

static struct queue queues[QUEUES];

static struct queue *queue_named(const char *name)
{
	for (unsigned int i = 0; i < QUEUES; i++)
		if (queues[i].named && !strcmp(queues[i].name, name))
			return &queues[i];
	return NULL;
}

static struct queue *queue_unused(void)
{
	for (unsigned int i = 0; i < QUEUES; i++)
		if (!queues[i].named && !queues[i].uses)
			return &queues[i];
	return NULL;
}

static void queue_drop(struct queue *queue)
{
	if (!queue->named && !queue->uses)
		pages_put(queue->memory, queue->memory_size);
}

void queue_close(struct file *file)
{
	struct queue *queue = file->queue;

	posix_lock();
	queue->notified = NULL; /* the only process closes the descriptor, which ends its request */
	posix_unlock();
	queue->uses--;
	queue_drop(queue);
}

/* Makes the memory of a new queue: a list of unused messages. */
static long messages_make(struct queue *queue)
{
	const size_t each = (sizeof(struct message) + (size_t)queue->attributes.mq_msgsize + 7) &
			    ~7ul;
	const size_t count = (size_t)queue->attributes.mq_maxmsg;
	uint8_t *at;

	queue->memory_size = each * count;
	queue->memory = at = pages_get(queue->memory_size);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++, at += each) {
		struct message *message = (struct message *)(void *)at;

		message->next = queue->unused;
		queue->unused = message;
	}
	return 0;
}

static long queue_new(const char *name, uint32_t mode, const struct mq_attr *wanted,
		      struct queue **made)
{
	struct queue *queue = queue_unused();
	struct mq_attr attributes = { .mq_maxmsg = MESSAGES_DEFAULT, .mq_msgsize = SIZE_DEFAULT };
	long status;

	if (wanted) {
		attributes.mq_maxmsg = wanted->mq_maxmsg;
		attributes.mq_msgsize = wanted->mq_msgsize;
	}
	if (attributes.mq_maxmsg < 1 || attributes.mq_maxmsg > MESSAGES_MAX ||
	    attributes.mq_msgsize < 1 || attributes.mq_msgsize > (long)MESSAGE_SIZE_MAX)
		return -EINVAL;
	if (!queue)
		return -ENOSPC;
	*queue = (struct queue){ .mode = (uint16_t)(mode & 0777), .attributes = attributes };
	status = messages_make(queue);
	if (status)
		return status;
	memcpy(queue->name, name, strlen(name) + 1);
	queue->named = true;
	*made = queue;
	return 0;
}

static long name_check(const char *name)
{
	size_t length = strlen(name);

	if (length > QUEUE_NAME_MAX)
		return -ENAMETOOLONG;
	if (!length)
		return -ENOENT;
	for (size_t i = 0; i < length; i++)
		if (name[i] == '/')
			return -EACCES;
	return 0;
}

static long queue_find(const char *name, uint32_t flags, uint32_t mode,
		       const struct mq_attr *attributes, struct queue **queue)
{
	long status = name_check(name);

	if (status)
		return status;
	*queue = queue_named(name);
	if (*queue)
		return flags & O_CREAT && flags & O_EXCL ? -EEXIST : 0;
	return flags & O_CREAT ? queue_new(name, mode, attributes, queue) : -ENOENT;
}

/* Serves mq_open(). `name` lacks the program's slash. */
long call_mq_open(word name, word flags, word mode, word attributes)
{
	struct queue *queue = NULL;
	struct file *file;
	long status;

	file_lock();
	file = file_new(FILE_QUEUE, (uint32_t)flags & (O_ACCMODE | O_NONBLOCK));
	status = file ? descriptor_new(file, 0, O_CLOEXEC) : -EMFILE;
	if (status >= 0) {
		const word descriptor = (word)status;

		status = queue_find((const char *)name, (uint32_t)flags, (uint32_t)mode,
				    (const struct mq_attr *)attributes, &queue);
		if (status)
			descriptor_drop(descriptor);
		else
			status = (long)descriptor;
	}
	if (status >= 0) {
		file->queue = queue;
		queue->uses++;
	} else if (file) {
		file->kind = FILE_FREE;
	}
	file_unlock();
	return status;
}

long call_mq_unlink(word name)
{
	struct queue *queue;
	long status;

	file_lock();
	status = name_check((const char *)name);
	queue = status ? NULL : queue_named((const char *)name);
	if (!status && !queue)
		status = -ENOENT;
	if (queue) {
		queue->named = false;
		queue_drop(queue);
	}
	file_unlock();
	return status;
}

/*
 * Returns the open file of a queue, in use until file_put(). Returns NULL if the descriptor is not one of a queue, or
 * is open only for `refused`, O_RDONLY or O_WRONLY.
 */
static struct file *queue_get(word descriptor, uint32_t refused)
{
	struct file *file = file_get(descriptor);

	if (!file)
		return NULL;
	if (file->kind == FILE_QUEUE && (file->flags & O_ACCMODE) != refused)
		return file;
	file_put(file);
	return NULL;
}

/* Stores the deadline of an operation, of the real time, or LIMPET_NEVER without a time. Returns 0 or -EINVAL. */
static long deadline_read(word time, uint64_t *deadline)
{
	const struct timespec *wanted = (const struct timespec *)time;

	*deadline = LIMPET_NEVER;
	if (!wanted)
		return 0;
	if (time_bad(wanted))
		return -EINVAL;
	*deadline = clock_deadline(CLOCK_REALTIME, wanted);
	return 0;
}

/* Waits until a queue changes, or CLOCK_REALTIME is set, which changes the deadline. Requires posix_lock(). */
static long queue_wait(const struct file *file, const uint32_t *address, uint64_t deadline)
{
	long status;

	if (file->flags & O_NONBLOCK)
		return -EAGAIN;
	status = futex_wait(address, deadline, deadline != LIMPET_NEVER);
	return status == -EINTR ? (deadline == LIMPET_NEVER ? -ERESTART : -EINTR) : status;
}

static void notify(struct queue *queue)
{
	const struct signal_info info = { .code = SI_MESGQ, .value = queue->value };

	if (queue->signal)
		signal_post(NULL, queue->signal, &info);
	queue->notified = NULL;
}

static void message_insert(struct queue *queue, struct message *message)
{
	struct message **at = &queue->first;

	while (*at && (*at)->priority >= message->priority)
		at = &(*at)->next;
	message->next = *at;
	*at = message;
	queue->attributes.mq_curmsgs++;
}

static void message_send(struct queue *queue, const void *from, size_t size, uint32_t priority)
{
	struct message *message = queue->unused;

	queue->unused = message->next;
	message->priority = priority;
	message->size = (uint32_t)size;
	memcpy(message->data, from, size);
	message_insert(queue, message);
	if (queue->receivers) {
		futex_wake(&queue->readable);
		return;
	}
	if (queue->notified && queue->attributes.mq_curmsgs == 1)
		notify(queue);
	file_changed(queue, ANY_EVENT);
}

long call_mq_timedsend(word descriptor, word from, word size, word priority, word time)
{
	struct file *file = queue_get(descriptor, O_RDONLY);
	uint64_t deadline;
	long status;

	if (!file)
		return -EBADF;
	status = priority < PRIORITIES ? 0 : -EINVAL;
	if (!status && size > (size_t)file->queue->attributes.mq_msgsize)
		status = -EMSGSIZE;
	posix_lock();
	while (!status && !file->queue->unused) {
		status = deadline_read(time, &deadline);
		if (!status)
			status = queue_wait(file, &file->queue->writable, deadline);
	}
	if (!status)
		message_send(file->queue, (const void *)from, size, (uint32_t)priority);
	posix_unlock();
	file_put(file);
	return status;
}

static long message_receive(struct queue *queue, void *to, uint32_t *priority)
{
	struct message *message = queue->first;

	queue->first = message->next;
	queue->attributes.mq_curmsgs--;
	memcpy(to, message->data, message->size);
	if (priority)
		*priority = message->priority;
	message->next = queue->unused;
	queue->unused = message;
	futex_wake(&queue->writable);
	file_changed(queue, ANY_EVENT);
	return message->size;
}

long call_mq_timedreceive(word descriptor, word to, word size, word priority, word time)
{
	struct file *file = queue_get(descriptor, O_WRONLY);
	struct queue *queue;
	uint64_t deadline;
	long status = 0;

	if (!file)
		return -EBADF;
	queue = file->queue;
	if (size < (size_t)queue->attributes.mq_msgsize)
		status = -EMSGSIZE;
	posix_lock();
	while (!status && !queue->first) {
		status = deadline_read(time, &deadline);
		if (status)
			break;
		queue->receivers++;
		status = queue_wait(file, &queue->readable, deadline);
		queue->receivers--;
	}
	if (!status)
		status = message_receive(queue, (void *)to, (uint32_t *)priority);
	posix_unlock();
	file_put(file);
	return status;
}

uint32_t queue_events(const struct file *file)
{
	const struct queue *queue = file->queue;

	return (queue->first ? POLLIN | POLLRDNORM : 0) |
	       (queue->unused ? POLLOUT | POLLWRNORM : 0);
}

/*
 * Serves mq_notify() with or without a signal. SIGEV_THREAD fails, because the C library needs a netlink socket for it.
 */
long call_mq_notify(word descriptor, word event)
{
	struct file *file = queue_get(descriptor, ~0u);
	const struct sigevent *wanted = (const struct sigevent *)event;
	long status = 0;

	if (wanted && wanted->sigev_notify != SIGEV_SIGNAL && wanted->sigev_notify != SIGEV_NONE)
		status = -EINVAL;
	if (wanted && wanted->sigev_notify == SIGEV_SIGNAL &&
	    (wanted->sigev_signo < 1 || wanted->sigev_signo > 64))
		status = -EINVAL;
	if (!file)
		return status ? status : -EBADF;
	posix_lock();
	if (!status && wanted && file->queue->notified)
		status = -EBUSY;
	if (!status) {
		file->queue->notified = wanted ? posix_self() : NULL;
		file->queue->signal =
			wanted && wanted->sigev_notify == SIGEV_SIGNAL ? wanted->sigev_signo : 0;
		file->queue->value = wanted ? (word)wanted->sigev_value.sival_ptr : 0;
	}
	posix_unlock();
	file_put(file);
	return status;
}

long call_mq_getsetattr(word descriptor, word new, word old)
{
	struct file *file = queue_get(descriptor, ~0u);
	const struct mq_attr *wanted = (const struct mq_attr *)new;
	struct mq_attr *before = (struct mq_attr *)old;
	long status = 0;

	if (!file)
		return -EBADF;
	if (wanted && wanted->mq_flags & ~(long)O_NONBLOCK)
		status = -EINVAL;
	posix_lock();
	if (!status && before) {
		*before = file->queue->attributes;
		before->mq_flags = file->flags & O_NONBLOCK;
	}
	if (!status && wanted)
		file->flags = (file->flags & ~(uint32_t)O_NONBLOCK) | (uint32_t)wanted->mq_flags;
	posix_unlock();
	file_put(file);
	return status;
}
