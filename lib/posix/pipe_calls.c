// SPDX-License-Identifier: BSD-2-Clause
/* System calls that create pipes. */
#include <linux/fcntl.h>

#include "call.h"
#include "file.h"
#include "posix.h"

/* Opens both ends of a pipe as descriptors. Requires file_lock(). */
static long ends_open(struct pipe *pipe, uint32_t flags, int *descriptors)
{
	struct file *reader = file_new(FILE_PIPE, O_RDONLY | flags);
	struct file *writer = file_new(FILE_PIPE, O_WRONLY | flags);
	long first = -EMFILE, second = -EMFILE;

	if (reader && writer) {
		first = descriptor_new(reader, 0, flags);
		second = first < 0 ? first : descriptor_new(writer, (word)first + 1, flags);
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
	long status = -EMFILE;

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
