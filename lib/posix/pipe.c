// SPDX-License-Identifier: BSD-2-Clause
/* Pipes between threads of the program. posix_lock() guards their contents. */
#include <runtime/memory.h>

#include <asm/siginfo.h>
#include <asm/signal.h>

#include "call.h"
#include "file.h"
#include "posix.h"
#include "ready.h"
#include "signals.h"

#define PIPES 8
#define PIPE_SIZE 8192
#define PIPE_BUF 4096 /* max. bytes of an atomic write */

struct pipe {
	bool reader, writer; /* open; neither: not in use */
	uint32_t begin, used;
	uint8_t data[PIPE_SIZE];
};

static struct pipe pipes[PIPES];

static void transfer(struct pipe *pipe, uint32_t at, uint8_t *to, const uint8_t *from,
		     uint32_t size)
{
	at %= PIPE_SIZE;
	for (uint32_t part; size; size -= part, at = 0) {
		part = size < PIPE_SIZE - at ? size : PIPE_SIZE - at;
		if (to) {
			memcpy(to, pipe->data + at, part);
			to += part;
		} else {
			memcpy(pipe->data + at, from, part);
			from += part;
		}
	}
}

/* Returns whether poll() must not report space, because PIPE_BUF bytes do not fit. */
static bool is_full(const struct pipe *pipe)
{
	return PIPE_SIZE - pipe->used < PIPE_BUF;
}

static long take(struct pipe *pipe, uint8_t *to, size_t size)
{
	const bool was_full = is_full(pipe);
	uint32_t part = size < pipe->used ? (uint32_t)size : pipe->used;

	transfer(pipe, pipe->begin, to, NULL, part);
	pipe->begin = (pipe->begin + part) % PIPE_SIZE;
	pipe->used -= part;
	file_changed(pipe, was_full ? POLLOUT | POLLWRNORM : 0);
	return part;
}

long pipe_read(struct file *file, uint8_t *to, size_t size)
{
	struct pipe *pipe = file->pipe;
	long status = 0;

	posix_lock();
	while (size && !pipe->used && pipe->writer && !status)
		status = file_wait(file);
	if (!status)
		status = take(pipe, to, size);
	posix_unlock();
	return status;
}

/* Writes one part: all bytes if they are at most PIPE_BUF, otherwise as many as fit. */
static long give(struct pipe *pipe, const uint8_t *from, size_t size)
{
	uint32_t room = PIPE_SIZE - pipe->used, part = size < room ? (uint32_t)size : room;

	transfer(pipe, pipe->begin + pipe->used, NULL, from, part);
	pipe->used += part;
	file_changed(pipe, POLLIN | POLLRDNORM);
	return part;
}

static long room_wait(const struct file *file, size_t size)
{
	const struct pipe *pipe = file->pipe;
	const size_t needed = size <= PIPE_BUF ? size : 1;
	const struct signal_info info = { .code = SI_KERNEL };
	long status = 0;

	while (pipe->reader && PIPE_SIZE - pipe->used < needed && !status)
		status = file_wait(file);
	if (!pipe->reader) {
		signal_post(posix_self(), SIGPIPE, &info);
		return -EPIPE;
	}
	return status;
}

long pipe_write(struct file *file, const uint8_t *from, size_t size)
{
	long status = 0, sum = 0;

	posix_lock();
	while ((size_t)sum < size && !status) {
		status = room_wait(file, size - (size_t)sum);
		if (!status)
			sum += give(file->pipe, from + sum, size - (size_t)sum);
	}
	posix_unlock();
	return sum ? sum : status;
}

void pipe_close(struct file *file)
{
	posix_lock();
	if (file->kind == FILE_PIPE_READ)
		file->pipe->reader = false;
	else
		file->pipe->writer = false;
	file_changed(file->pipe, POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM | POLLERR | POLLHUP);
	posix_unlock();
}

uint32_t pipe_events(const struct file *file)
{
	const struct pipe *pipe = file->pipe;

	if (file->kind == FILE_PIPE_READ)
		return (pipe->used ? POLLIN | POLLRDNORM : 0) | (pipe->writer ? 0 : POLLHUP);
	return (is_full(pipe) ? 0 : POLLOUT | POLLWRNORM) | (pipe->reader ? 0 : POLLERR);
}

struct pipe *pipe_unused(void)
{
	for (unsigned int i = 0; i < PIPES; i++)
		if (!pipes[i].reader && !pipes[i].writer)
			return &pipes[i];
	return NULL;
}

void pipe_open(struct pipe *pipe)
{
	*pipe = (struct pipe){ .reader = true, .writer = true };
}
