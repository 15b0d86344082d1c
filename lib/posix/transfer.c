// SPDX-License-Identifier: BSD-2-Clause
/* System calls that read and write. */
#include <runtime/memory.h>

#include <linux/fcntl.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "parts.h"
#include "posix.h"

#define SEEK_FROM_START 0
#define SEEK_FROM_HERE 1
#define SEEK_FROM_END 2
#define ADVICE_MAX 5	  /* POSIX_FADV_NOREUSE */
#define SENDFILE_PART 512 /* bytes that sendfile() copies at a time */

/* Requires file_lock(). */
static long node_read(const struct node *node, uint64_t at, const struct parts *parts)
{
	size_t size = parts_size(parts);

	switch (node->kind) {
	case NODE_FOLDER:
		return -EISDIR;
	case NODE_NULL:
		return 0;
	case NODE_ZERO:
		for (word i = 0; i < parts->count; i++)
			memset(parts->part[i].iov_base, 0, parts->part[i].iov_len);
		return (long)size;
	case NODE_RANDOM:
		for (word i = 0; i < parts->count; i++)
			random_bytes(parts->part[i].iov_base, parts->part[i].iov_len);
		return (long)size;
	}
	if (at >= node->size)
		return 0;
	if (size > node->size - at)
		size = node->size - at;
	parts_copy(parts, 0, node->data + at, size, true);
	return (long)size;
}

static long node_write(struct node *node, uint64_t at, const struct parts *parts)
{
	const size_t size = parts_size(parts);
	long status = 0;

	if (node->kind != NODE_FILE)
		return (long)size;
	if (at > INT64_MAX / 4 || size > INT64_MAX / 4)
		return -EFBIG;
	if (size && at + size > node->size)
		status = node_resize(node, at + size);
	if (status)
		return status;
	parts_copy(parts, 0, node->data + at, size, false);
	return (long)size;
}

/* Reads from and writes to files of other kinds than nodes. */
static long special_read(struct file *file, const struct parts *parts)
{
	switch (file->kind) {
	case FILE_CONSOLE:
		return 0; /* end of file */
	case FILE_PIPE:
		return pipe_read(file, parts);
	case FILE_EVENT:
		return event_read(file, parts);
	case FILE_TIMER:
		return timer_read(file, parts);
	case FILE_SIGNAL:
		return signal_read(file, parts);
	case FILE_COMM:
		return comm_read(file, parts);
	case FILE_SOCKET:
		return socket_read(file, parts);
	default:
		return file->kind == FILE_QUEUE ? -EBADF : -EINVAL;
	}
}

static long special_write(struct file *file, const struct parts *parts)
{
	switch (file->kind) {
	case FILE_CONSOLE:
		for (word i = 0; i < parts->count; i++)
			console_write(parts->part[i].iov_base, parts->part[i].iov_len);
		return (long)parts_size(parts);
	case FILE_PIPE:
		return pipe_write(file, parts);
	case FILE_EVENT:
		return event_write(file, parts);
	case FILE_SOCKET:
		return socket_write(file, parts);
	case FILE_COMM:
		return comm_write(file, parts);
	default:
		return file->kind == FILE_QUEUE ? -EBADF : -EINVAL;
	}
}

/* If `at` is NULL, uses the file's position and advances it. */
static long file_read(struct file *file, const struct parts *parts, const uint64_t *at)
{
	long status;

	if (file->kind != FILE_NODE)
		return special_read(file, parts);
	file_lock();
	status = node_read(file->node, at ? *at : file->at, parts);
	if (status >= 0)
		file->node->accessed = clock_real_ns();
	if (status > 0 && !at)
		file->at += (uint64_t)status;
	file_unlock();
	return status;
}

/* With O_APPEND, writes at the end of the file, also if `at` is given. Linux does the same, but POSIX uses `at`. */
static long file_write(struct file *file, const struct parts *parts, const uint64_t *at)
{
	uint64_t place;
	long status;

	if (file->kind != FILE_NODE)
		return special_write(file, parts);
	file_lock();
	place = at ? *at : file->at;
	if (file->flags & O_APPEND)
		place = file->node->size;
	status = node_write(file->node, place, parts);
	if (status > 0 && !at)
		file->at = place + (uint64_t)status;
	file_unlock();
	return status;
}

/*
 * Checks whether a file can be read or written, at the offset `at` unless that is NULL. Returns 0 or a negative error.
 */
static long check(const struct file *file, bool write, const word *at)
{
	if (at && (long)*at < 0)
		return -EINVAL;
	if ((file->flags & O_ACCMODE) == (write ? O_RDONLY : O_WRONLY))
		return -EBADF;
	return at && file->kind != FILE_NODE ? -ESPIPE : 0;
}

/*
 * Transfers all parts as one read or write, which waits only for its first bytes. Without parts, only checks the file.
 * If `at` is NULL, uses the file's position and advances it.
 */
static long transfer(word descriptor, const struct parts *parts, bool write, const word *at)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	status = check(file, write, at);
	if (!status && parts->count)
		status = write ? file_write(file, parts, at) : file_read(file, parts, at);
	file_put(file);
	return status;
}

static long transfer_one(word descriptor, word buffer, word size, bool write, const word *at)
{
	const struct iovec part = { (void *)buffer, size };

	return transfer(descriptor, &(struct parts){ &part, 1 }, write, at);
}

long call_read(word descriptor, word to, word size)
{
	return transfer_one(descriptor, to, size, false, NULL);
}

long call_pread64(word descriptor, word to, word size, word at)
{
	return transfer_one(descriptor, to, size, false, &at);
}

long call_write(word descriptor, word from, word size)
{
	return transfer_one(descriptor, from, size, true, NULL);
}

long call_pwrite64(word descriptor, word from, word size, word at)
{
	return transfer_one(descriptor, from, size, true, &at);
}

/* Without bytes, not even an empty datagram is sent or received, as on Linux. */
static long vector(word descriptor, word part, word count, bool write, const word *at)
{
	struct parts parts = { (const struct iovec *)part, count };

	if (!parts_valid(&parts))
		return -EINVAL;
	if (!parts_size(&parts))
		parts.count = 0;
	return transfer(descriptor, &parts, write, at);
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

/* Copies up to `count` bytes from a place in a file, and advances the place by the bytes that were written. */
static long file_copy(word out, struct file *file, word *at, word count)
{
	uint8_t buffer[SENDFILE_PART];
	long sum = 0, got, put;

	while ((word)sum < count) {
		const word left = count - (word)sum;
		const struct iovec part = { buffer, left < sizeof(buffer) ? left : sizeof(buffer) };

		got = file_read(file, &(struct parts){ &part, 1 }, at);
		put = got > 0 ? transfer_one(out, (word)buffer, (word)got, true, NULL) : got;
		if (put <= 0)
			return sum ? sum : put;
		*at += (word)put;
		sum += put;
		if (put < got)
			break;
	}
	return sum;
}

/* Linux's sendfile(2). The file's position advances only by what was written. */
long call_sendfile(word out, word in, word offset, word count)
{
	struct file *file = file_get(in);
	word at;
	long status;

	if (!file)
		return -EBADF;
	at = offset ? *(const word *)offset : file->at;
	status = file->kind == FILE_NODE || offset ? check(file, false, &at) : -EINVAL;
	if (!status)
		status = file_copy(out, file, &at, count);
	file_lock();
	if (status > 0)
		*(offset ? (word *)offset : &file->at) = at;
	file_drop(file);
	file_unlock();
	return status;
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
