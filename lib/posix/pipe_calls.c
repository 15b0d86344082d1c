// SPDX-License-Identifier: BSD-2-Clause
/* The system calls that make pipes, and those that poll descriptors. */
#include <asm/poll.h>
#include <linux/fcntl.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"
#include "signals.h"

/* Opens both ends of a pipe as descriptors. With file_lock(). */
static long ends_open(struct pipe *pipe, uint32_t flags, int *descriptors)
{
	struct file *reader = file_new(FILE_PIPE_READ, O_RDONLY | flags);
	struct file *writer = file_new(FILE_PIPE_WRITE, O_WRONLY | flags);
	long first = -ENFILE, second = -ENFILE;

	if (reader && writer) {
		first = descriptor_new(reader, 0);
		second = first < 0 ? first : descriptor_new(writer, (word)first + 1);
	}
	if (second < 0) {
		if (first >= 0)
			descriptor_drop((word)first);
		if (reader)
			reader->kind = FILE_FREE;
		if (writer)
			writer->kind = FILE_FREE;
		return second;
	}
	pipe_open(pipe);
	reader->pipe = writer->pipe = pipe;
	descriptors[0] = (int)first;
	descriptors[1] = (int)second;
	return 0;
}

long call_pipe2(word descriptors, word flags)
{
	struct pipe *pipe;
	long status = -ENFILE;

	if (flags & ~(word)(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	file_lock();
	pipe = pipe_unused();
	if (pipe)
		status = ends_open(pipe, (uint32_t)flags, (int *)descriptors);
	file_unlock();
	return status;
}

long call_pipe(word descriptors)
{
	return call_pipe2(descriptors, 0);
}

/* Returns the events of a descriptor. With both locks, the file's first. */
static short events_of(word descriptor)
{
	const struct file *file = descriptor_file(descriptor);

	if (!file)
		return POLLNVAL;
	if (file->pipe)
		return pipe_events(file);
	return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
}

/* Stores the events of each polled descriptor. Returns the number of descriptors that have events. */
static long look(struct pollfd *polled, word count)
{
	long found = 0;

	for (word i = 0; i < count; i++) {
		short events = polled[i].fd < 0 ? 0 : events_of((word)polled[i].fd);

		polled[i].revents = events & (polled[i].events | POLLERR | POLLHUP | POLLNVAL);
		found += polled[i].revents != 0;
	}
	return found;
}

static long descriptors_poll(struct pollfd *polled, word count, uint64_t deadline)
{
	long status = 0, found;

	for (;;) {
		file_lock();
		posix_lock();
		found = look(polled, count);
		file_unlock();
		if (!found && !status)
			status = futex_wait(&pipe_change, deadline);
		posix_unlock();
		if (found || status)
			return found ? found : status == -ETIMEDOUT ? 0 : status;
	}
}

long call_poll(word polled, word count, word ms)
{
	const struct timespec time = time_of_ns((uint64_t)(uint32_t)ms * 1000000);

	return descriptors_poll((struct pollfd *)polled, count,
				(int)ms < 0 ? LIMPET_NEVER : clock_after(&time));
}

long call_ppoll(word polled, word count, word time, word set, word size)
{
	struct posix_thread *thread = posix_self();
	const struct timespec *wanted = (const struct timespec *)time;
	long status;

	if ((set && size != sizeof(uint64_t)) || (wanted && time_bad(wanted)))
		return -EINVAL;
	if (set)
		mask_replace(thread, *(const uint64_t *)set);
	status = descriptors_poll((struct pollfd *)polled, count,
				  wanted ? clock_after(wanted) : LIMPET_NEVER);
	return status;
}
