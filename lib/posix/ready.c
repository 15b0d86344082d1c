// SPDX-License-Identifier: BSD-2-Clause
/* See ready.h. All waiters wait at one address, because a thread can wait for several files. */
#include <linux/fcntl.h>

#include "call.h"
#include "posix.h"
#include "queue.h"
#include "ready.h"
#include "waiter.h"

#define ALWAYS                                                                                     \
	(POLLIN | POLLRDNORM | POLLOUT |                                                           \
	 POLLWRNORM) /* events of files that never make a thread wait */

static uint32_t change; /* only its address is used */
static unsigned int waiters;

uint32_t file_events(const struct file *file)
{
	switch (file->kind) {
	case FILE_PIPE:
		return (uint32_t)pipe_events(file);
	case FILE_QUEUE:
		return queue_events(file);
	case FILE_EVENT:
		return event_events(file);
	case FILE_TIMER:
		return timer_events(file);
	case FILE_SOCKET:
		return socket_events(file);
	case FILE_SIGNAL:
		return signal_events(file);
	case FILE_EPOLL:
		return epoll_is_ready(file) ? POLLIN | POLLRDNORM : 0;
	default:
		return ALWAYS;
	}
}

const void *file_object(const struct file *file)
{
	if (file->pipe)
		return file->pipe;
	if (file->socket)
		return file->socket;
	if (file->kind == FILE_SIGNAL)
		return &signal_files;
	return file->queue ? (const void *)file->queue : file;
}

void file_changed(const void *object, uint32_t events)
{
	epoll_note(object, events);
	if (waiters)
		futex_wake_all(&change);
}

bool change_awaited(void)
{
	return waiters;
}

long change_wait(uint64_t deadline)
{
	long status;

	waiters++;
	status = futex_wait(&change, deadline, false);
	waiters--;
	return status;
}

long file_wait(const struct file *file)
{
	long status;

	if (file->flags & O_NONBLOCK)
		return -EAGAIN;
	status = change_wait(LIMPET_NEVER);
	return status == -EINTR ? -ERESTART : status;
}
