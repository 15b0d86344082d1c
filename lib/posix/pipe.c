// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pipes between threads of the program. posix_lock() guards their contents. A FIFO, which mkfifo() makes, has a pipe while it is
 * open. The file of a reader that has opened a FIFO without a writer stores 1 plus the number of writers until then, because
 * POLLHUP needs a writer after that.
 */
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <linux/fcntl.h>

#include "call.h"
#include "file.h"
#include "parts.h"
#include "posix.h"
#include "ready.h"
#include "signals.h"

#define PIPES 8
#define PIPE_SIZE 8192
#define PIPE_BUF 4096 /* max. bytes of an atomic write */

struct pipe {
	uint32_t readers, writers;	      /* open files; neither: not in use */
	uint32_t reads_opened, writes_opened; /* all files so far */
	struct node *node;		      /* of a FIFO */
	uint32_t begin, used;
	uint8_t data[PIPE_SIZE];
};

static struct pipe pipes[PIPES];

/* Return whether a file is a reader, or a writer. A FIFO opened with O_RDWR is both. */
static bool is_reader(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_WRONLY;
}

static bool is_writer(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_RDONLY;
}

/* Copies bytes between the pipe, starting at `at`, and the parts, starting at byte `done`. `fill`: from the pipe. */
static void transfer(struct pipe *pipe, uint32_t at, const struct parts *parts, size_t done,
		     uint32_t size, bool fill)
{
	at %= PIPE_SIZE;
	for (uint32_t piece; size; size -= piece, done += piece, at = 0) {
		piece = size < PIPE_SIZE - at ? size : PIPE_SIZE - at;
		parts_copy(parts, done, pipe->data + at, piece, fill);
	}
}

/* Returns whether poll() must not report space, because PIPE_BUF bytes do not fit. */
static bool is_full(const struct pipe *pipe)
{
	return PIPE_SIZE - pipe->used < PIPE_BUF;
}

static long take(struct pipe *pipe, const struct parts *parts, size_t size)
{
	const bool was_full = is_full(pipe);
	uint32_t part = size < pipe->used ? (uint32_t)size : pipe->used;

	transfer(pipe, pipe->begin, parts, 0, part, true);
	pipe->begin = (pipe->begin + part) % PIPE_SIZE;
	pipe->used -= part;
	file_changed(pipe, was_full ? POLLOUT | POLLWRNORM : 0);
	return part;
}

long pipe_read(struct file *file, const struct parts *parts)
{
	const size_t size = parts_size(parts);
	struct pipe *pipe = file->pipe;
	long status = 0;

	posix_lock();
	while (size && !pipe->used && pipe->writers && !status)
		status = file_wait(file);
	if (!status)
		status = take(pipe, parts, size);
	posix_unlock();
	return status;
}

/* Writes `size` bytes, starting at byte `done` of the parts. Writes fewer only if they are more than PIPE_BUF. */
static long give(struct pipe *pipe, const struct parts *parts, size_t done, size_t size)
{
	uint32_t space = PIPE_SIZE - pipe->used, part = size < space ? (uint32_t)size : space;

	transfer(pipe, pipe->begin + pipe->used, parts, done, part, false);
	pipe->used += part;
	file_changed(pipe, POLLIN | POLLRDNORM);
	return part;
}

static long space_wait(const struct file *file, size_t size)
{
	const struct pipe *pipe = file->pipe;
	const size_t needed = size <= PIPE_BUF ? size : 1;
	const struct signal_info info = { .code = SI_KERNEL };
	long status = 0;

	while (pipe->readers && PIPE_SIZE - pipe->used < needed && !status)
		status = file_wait(file);
	if (!pipe->readers) {
		signal_post(posix_self(), SIGPIPE, &info);
		return -EPIPE;
	}
	return status;
}

long pipe_write(struct file *file, const struct parts *parts)
{
	const size_t size = parts_size(parts);
	long status = 0, sum = 0;

	posix_lock();
	while ((size_t)sum < size && !status) {
		status = space_wait(file, size - (size_t)sum);
		if (!status)
			sum += give(file->pipe, parts, (size_t)sum, size - (size_t)sum);
	}
	posix_unlock();
	return sum ? sum : status;
}

void pipe_close(struct file *file)
{
	struct pipe *pipe = file->pipe;

	posix_lock();
	pipe->readers -= is_reader(file);
	pipe->writers -= is_writer(file);
	if (pipe->node && !pipe->readers && !pipe->writers)
		pipe->node->pipe = NULL;
	file_changed(file->pipe, POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM | POLLERR | POLLHUP);
	posix_unlock();
}

long pipe_used(const struct file *file)
{
	return file->pipe->used;
}

uint32_t pipe_events(const struct file *file)
{
	const struct pipe *pipe = file->pipe;
	const bool hung = !pipe->writers && file->count != pipe->writes_opened + 1ul;
	uint32_t events = 0;

	if (is_reader(file))
		events |= (pipe->used ? POLLIN | POLLRDNORM : 0) | (hung ? POLLHUP : 0);
	if (is_writer(file))
		events |= (is_full(pipe) ? 0 : POLLOUT | POLLWRNORM) |
			  (pipe->readers ? 0 : POLLERR);
	return events;
}

struct pipe *pipe_unused(void)
{
	for (unsigned int i = 0; i < PIPES; i++)
		if (!pipes[i].readers && !pipes[i].writers)
			return &pipes[i];
	return NULL;
}

void pipe_open(struct pipe *pipe)
{
	*pipe = (struct pipe){ .readers = 1, .writers = 1 };
}

/* --- FIFOs */

/* Waits until the other end of a FIFO is opened, if it is not open. Requires posix_lock(). */
static long partner_wait(const struct file *file)
{
	const struct pipe *pipe = file->pipe;
	const uint32_t *count = is_reader(file) ? &pipe->writers : &pipe->readers;
	const uint32_t *opened = is_reader(file) ? &pipe->writes_opened : &pipe->reads_opened;
	const uint32_t before = *opened;
	long status = 0;

	while (!*count && *opened == before && !status)
		status = file_wait(file);
	return status;
}

/* Counts the ends that a file opens. Requires posix_lock(). */
static void end_open(struct file *file)
{
	struct pipe *pipe = file->pipe;

	pipe->readers += is_reader(file);
	pipe->reads_opened += is_reader(file);
	pipe->writers += is_writer(file);
	pipe->writes_opened += is_writer(file);
	if (file->flags & O_NONBLOCK && !pipe->writers)
		file->count = pipe->writes_opened + 1ul;
	file_changed(pipe, 0);
}

long fifo_open(struct node *node, uint32_t flags, struct file **file)
{
	const uint32_t mode = flags & O_ACCMODE;
	struct pipe *pipe = node->pipe ? node->pipe : pipe_unused();
	long status = 0;

	if (mode == O_ACCMODE)
		return -EINVAL;
	if (mode == O_WRONLY && flags & O_NONBLOCK && !(node->pipe && pipe->readers))
		return -ENXIO;
	*file = pipe ? file_new(FILE_PIPE, flags) : NULL;
	if (!*file)
		return -ENFILE;
	if (!node->pipe)
		*pipe = (struct pipe){ .node = node };
	node->pipe = (*file)->pipe = pipe;
	node->uses++;
	(*file)->node = node;
	posix_lock();
	end_open(*file);
	file_unlock();
	if (!(flags & O_NONBLOCK))
		status = partner_wait(*file);
	posix_unlock();
	file_lock();
	if (status)
		file_drop(*file);
	return status;
}
