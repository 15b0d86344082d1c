// SPDX-License-Identifier: BSD-2-Clause
/* System calls that read and write. */
#include <runtime/memory.h>

#include <linux/fcntl.h>
#include <linux/uio.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"

#define SEEK_FROM_START 0
#define SEEK_FROM_HERE 1
#define SEEK_FROM_END 2
#define ADVICE_MAX 5	  /* POSIX_FADV_NOREUSE */
#define SENDFILE_PART 512 /* bytes that sendfile() copies at a time */

/* Requires file_lock(). */
static long node_read(const struct node *node, uint64_t at, uint8_t *to, size_t size)
{
	switch (node->kind) {
	case NODE_FOLDER:
		return -EISDIR;
	case NODE_NULL:
		return 0;
	case NODE_ZERO:
		memset(to, 0, size);
		return (long)size;
	case NODE_RANDOM:
		random_bytes(to, size);
		return (long)size;
	}
	if (at >= node->size)
		return 0;
	if (size > node->size - at)
		size = node->size - at;
	memcpy(to, node->data + at, size);
	return (long)size;
}

static long node_write(struct node *node, uint64_t at, const uint8_t *from, size_t size)
{
	long status = 0;

	if (node->kind != NODE_FILE)
		return (long)size;
	if (at > INT64_MAX / 4 || size > INT64_MAX / 4)
		return -EFBIG;
	if (size && at + size > node->size)
		status = node_resize(node, at + size);
	if (status)
		return status;
	memcpy(node->data + at, from, size);
	return (long)size;
}

/* Reads from and writes to files of other kinds than nodes. */
static long special_read(struct file *file, uint8_t *to, size_t size)
{
	switch (file->kind) {
	case FILE_CONSOLE:
		return 0; /* end of file */
	case FILE_PIPE:
		return pipe_read(file, to, size);
	case FILE_EVENT:
		return event_read(file, to, size);
	case FILE_TIMER:
		return timer_read(file, to, size);
	case FILE_SIGNAL:
		return signal_read(file, to, size);
	case FILE_COMM:
		return comm_read(file, to, size);
	case FILE_SOCKET:
		return socket_read(file, to, size);
	default:
		return file->kind == FILE_QUEUE ? -EBADF : -EINVAL;
	}
}

static long special_write(struct file *file, const uint8_t *from, size_t size)
{
	switch (file->kind) {
	case FILE_CONSOLE:
		console_write((const char *)from, size);
		return (long)size;
	case FILE_PIPE:
		return pipe_write(file, from, size);
	case FILE_EVENT:
		return event_write(file, from, size);
	case FILE_SOCKET:
		return socket_write(file, from, size);
	case FILE_COMM:
		return comm_write(file, from, size);
	default:
		return file->kind == FILE_QUEUE ? -EBADF : -EINVAL;
	}
}

/* If `at` is NULL, uses the file's position and advances it. */
static long file_read(struct file *file, uint8_t *to, size_t size, const uint64_t *at)
{
	long status;

	if ((file->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	if (file->kind != FILE_NODE)
		return at ? -ESPIPE : special_read(file, to, size);
	file_lock();
	status = node_read(file->node, at ? *at : file->at, to, size);
	if (status >= 0)
		file->node->accessed = clock_real_ns();
	if (status > 0 && !at)
		file->at += (uint64_t)status;
	file_unlock();
	return status;
}

static long file_write(struct file *file, const uint8_t *from, size_t size, const uint64_t *at)
{
	long status;

	if ((file->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (file->kind != FILE_NODE)
		return at ? -ESPIPE : special_write(file, from, size);
	file_lock();
	if (file->flags & O_APPEND)
		file->at = file->node->size;
	status = node_write(file->node, at ? *at : file->at, from, size);
	if (status > 0 && !at)
		file->at += (uint64_t)status;
	file_unlock();
	return status;
}

/* If `at` is NULL, uses the file's position and advances it. */
static long transfer(word descriptor, word buffer, word size, bool write, const word *at)
{
	struct file *file = file_get(descriptor);
	long status = -EINVAL;

	if (!file)
		return -EBADF;
	if (!at || (long)*at >= 0)
		status = write ? file_write(file, (const uint8_t *)buffer, size, at)
			       : file_read(file, (uint8_t *)buffer, size, at);
	file_put(file);
	return status;
}

long call_read(word descriptor, word to, word size)
{
	return transfer(descriptor, to, size, false, NULL);
}

long call_pread64(word descriptor, word to, word size, word at)
{
	return transfer(descriptor, to, size, false, &at);
}

long call_write(word descriptor, word from, word size)
{
	return transfer(descriptor, from, size, true, NULL);
}

long call_pwrite64(word descriptor, word from, word size, word at)
{
	return transfer(descriptor, from, size, true, &at);
}

#define PARTS_MAX 1024 /* IOV_MAX */

/*
 * Transfers one part after another, up to the first incomplete one. If `at` is NULL, uses the file's position and
 * advances it.
 */
static long vector(word descriptor, word parts, word count, bool write, const word *at)
{
	const struct iovec *part = (const struct iovec *)parts;
	word place = at ? *at : 0;
	long sum = 0, status;

	if (count > PARTS_MAX || (long)place < 0)
		return -EINVAL;
	if (!count)
		return transfer(descriptor, 0, 0, write, at);
	for (word i = 0; i < count; i++) {
		word base = (word)part[i].iov_base;

		if (!part[i].iov_len)
			continue;
		status = transfer(descriptor, base, part[i].iov_len, write, at ? &place : NULL);
		if (status < 0)
			return sum ? sum : status;
		sum += status;
		place += (word)status;
		if ((word)status < part[i].iov_len)
			break;
	}
	return sum;
}

long call_readv(word descriptor, word parts, word count)
{
	return vector(descriptor, parts, count, false, NULL);
}

long call_writev(word descriptor, word parts, word count)
{
	return vector(descriptor, parts, count, true, NULL);
}

long call_preadv(word descriptor, word parts, word count, word at)
{
	return vector(descriptor, parts, count, false, &at);
}

long call_pwritev(word descriptor, word parts, word count, word at)
{
	return vector(descriptor, parts, count, true, &at);
}

/* Copies bytes from a file to another descriptor. Linux's sendfile(2). */
long call_sendfile(word out, word in, word offset, word count)
{
	uint8_t part[SENDFILE_PART];
	word at = offset ? *(const word *)offset : 0;
	long sum = 0, got, put;

	while ((word)sum < count) {
		const word left = count - (word)sum;

		got = transfer(in, (word)part, left < sizeof(part) ? left : sizeof(part), false,
			       offset ? &at : NULL);
		put = got > 0 ? transfer(out, (word)part, (word)got, true, NULL) : got;
		if (put <= 0)
			return sum ? sum : put;
		at += (word)put;
		sum += put;
		if (offset)
			*(word *)offset = at;
		if (put < got)
			break;
	}
	return sum;
}

static long seek(struct file *file, int64_t to, word from)
{
	if (from == SEEK_FROM_HERE)
		to += (int64_t)file->at;
	else if (from == SEEK_FROM_END)
		to += (int64_t)file->node->size;
	else if (from != SEEK_FROM_START)
		return -EINVAL;
	if (to < 0)
		return -EINVAL;
	file->at = (uint64_t)to;
	return to;
}

long call_lseek(word descriptor, word to, word from)
{
	struct file *file = file_get(descriptor);
	long status = -ESPIPE;

	if (!file)
		return -EBADF;
	file_lock();
	if (file->kind == FILE_NODE)
		status = seek(file, (int64_t)to, from);
	file_drop(file);
	file_unlock();
	return status;
}

static long resize(struct node *node, word size)
{
	if (node->kind != NODE_FILE)
		return -EINVAL;
	if (!node->writable)
		return -EROFS;
	return (long)size < 0 ? -EINVAL : node_resize(node, size);
}

long call_ftruncate(word descriptor, word size)
{
	struct file *file = file_get(descriptor);
	long status = -EINVAL;

	if (!file)
		return -EBADF;
	file_lock();
	if (file->kind == FILE_NODE && (file->flags & O_ACCMODE) != O_RDONLY)
		status = resize(file->node, size);
	file_drop(file);
	file_unlock();
	return status;
}

long call_truncate(word text, word size)
{
	struct path path;
	long status;

	file_lock();
	status = path_find(folder_at((word)AT_FDCWD), (const char *)text, &path);
	if (!status)
		status = path.node ? resize(path.node, size) : -ENOENT;
	file_unlock();
	return status;
}

/* Makes a file at least as large as the end of a part. POSIX.1-2017, posix_fallocate(). */
long call_fallocate(word descriptor, word mode, word at, word size)
{
	struct file *file;
	long status = -ENODEV;

	if (mode)
		return CALL_REFUSE(EOPNOTSUPP, "only mode 0 can be had");
	if ((long)at < 0 || (long)size <= 0)
		return -EINVAL;
	file = file_get(descriptor);
	if (!file)
		return -EBADF;
	file_lock();
	if ((file->flags & O_ACCMODE) == O_RDONLY)
		status = -EBADF;
	else if (file->kind == FILE_NODE && at + size > INT64_MAX / 4)
		status = -EFBIG;
	else if (file->kind == FILE_NODE)
		status = at + size > file->node->size ? resize(file->node, at + size) : 0;
	file_drop(file);
	file_unlock();
	return status;
}

/* Ignores advice, because all files are in memory. */
long call_fadvise64(word descriptor, word at, word size, word advice)
{
	struct file *file = file_get(descriptor);
	long status = 0;

	(void)at;
	if (!file)
		return -EBADF;
	if (file->kind == FILE_PIPE)
		status = -ESPIPE;
	else if ((long)size < 0 || advice > ADVICE_MAX)
		status = -EINVAL;
	file_put(file);
	return status;
}

long call_sync(void)
{
	return 0;
}

/*
 * Only checks the descriptor, because the memory of a file is its only copy. Linux refuses devices, pipes and sockets
 * with EINVAL, too.
 */
long call_fsync(word descriptor)
{
	struct file *file = file_get(descriptor);
	long status = 0;

	if (!file)
		return -EBADF;
	if (file->kind != FILE_NODE || file->node->kind > NODE_FILE)
		status = -EINVAL;
	file_put(file);
	return status;
}

long call_fdatasync(word descriptor)
{
	return call_fsync(descriptor);
}
