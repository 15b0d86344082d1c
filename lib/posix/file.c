// SPDX-License-Identifier: BSD-2-Clause
/* Descriptors and open files; reading and writing. */
#include <runtime/lock.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <asm/ioctls.h>
#include <linux/fcntl.h>
#include <linux/uio.h>

#include "call.h"
#include "file.h"
#include "posix.h"

#define SEEK_FROM_START 0
#define SEEK_FROM_HERE 1
#define SEEK_FROM_END 2
#define FLAGS_CHANGEABLE (O_APPEND | O_NONBLOCK)

static struct lock lock;
static struct file files[FILES_OPEN];
static struct file *descriptors[FILES_OPEN];
static uint32_t mask = 022;
static struct node *current;
static bool line_begun;

void file_lock(void)
{
	lock_take(&lock);
}

void file_unlock(void)
{
	lock_drop(&lock);
}

void console_write(const char *text, size_t size)
{
	if (!size)
		return;
	limpet_write(text, size);
	line_begun = text[size - 1] != '\n';
}

void console_end_line(void)
{
	if (line_begun)
		console_write("\n", 1);
}

struct file *file_new(enum file_kind kind, uint32_t flags)
{
	for (unsigned int i = 0; i < FILES_OPEN; i++)
		if (files[i].kind == FILE_FREE) {
			files[i] =
				(struct file){ .kind = (uint8_t)kind, .flags = flags, .uses = 1 };
			return &files[i];
		}
	return NULL;
}

bool files_setup(const struct limpet_info *info)
{
	if (!nodes_setup((const uint8_t *)info->ramdisk, info->ramdisk ? info->ramdisk_size : 0))
		return false;
	current = nodes;
	current->uses++;
	for (unsigned int i = 0; i < 3; i++)
		descriptors[i] = file_new(FILE_CONSOLE, i ? O_WRONLY : O_RDONLY);
	return true;
}

static void file_drop(struct file *file)
{
	if (--file->uses)
		return;
	if (file->node)
		node_put(file->node);
	if (file->pipe)
		pipe_close(file);
	file->kind = FILE_FREE;
}

struct file *file_get(word descriptor)
{
	struct file *file;

	file_lock();
	file = descriptor_file(descriptor);
	if (file)
		file->uses++;
	file_unlock();
	return file;
}

void file_put(struct file *file)
{
	file_lock();
	file_drop(file);
	file_unlock();
}

long descriptor_new(struct file *file, word least)
{
	for (word n = least; n < FILES_OPEN; n++)
		if (!descriptors[n]) {
			descriptors[n] = file;
			return (long)n;
		}
	return -EMFILE;
}

struct file *descriptor_file(word descriptor)
{
	return descriptor < FILES_OPEN ? descriptors[descriptor] : NULL;
}

void descriptor_drop(word descriptor)
{
	descriptors[descriptor] = NULL;
}

struct node *folder_at(word descriptor)
{
	const struct file *file;

	if ((int)descriptor == AT_FDCWD)
		return current;
	file = descriptor_file(descriptor);
	return file ? file->node : NULL;
}

/* --- open and close */

static long node_open(struct node *node, uint32_t flags)
{
	const bool write = (flags & O_ACCMODE) != O_RDONLY;

	if (flags & O_CREAT && flags & O_EXCL)
		return -EEXIST;
	if (node->kind == NODE_FOLDER && (write || flags & O_CREAT))
		return -EISDIR;
	if (node->kind != NODE_FOLDER && flags & O_DIRECTORY)
		return -ENOTDIR;
	if (node->kind == NODE_FILE && !node->writable && write)
		return -EROFS;
	return flags & O_TRUNC && write && node->kind == NODE_FILE ? node_resize(node, 0) : 0;
}

/* With the lock. */
static long open(word at, const char *text, uint32_t flags, uint32_t mode)
{
	struct node *from = folder_at(at);
	struct path path;
	struct file *file;
	long status = from || *text == '/' ? path_find(from, text, &path) : -EBADF;

	if (status)
		return status;
	if (path.node)
		status = node_open(path.node, flags);
	else if (flags & O_CREAT)
		status = node_make(&path, NODE_FILE, mode & ~mask & 0777, &path.node);
	else
		status = -ENOENT;
	if (status)
		return status;
	file = file_new(FILE_NODE, flags & ~(uint32_t)(O_CREAT | O_EXCL | O_TRUNC));
	if (!file)
		return -ENFILE;
	file->node = path.node;
	file->node->uses++;
	status = descriptor_new(file, 0);
	if (status < 0)
		file_drop(file);
	return status;
}

long call_openat(word at, word path, word flags, word mode)
{
	long status;

	file_lock();
	status = open(at, (const char *)path, (uint32_t)flags, (uint32_t)mode);
	file_unlock();
	return status;
}

long call_open(word path, word flags, word mode)
{
	return call_openat((word)AT_FDCWD, path, flags, mode);
}

long call_creat(word path, word mode)
{
	return call_open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* With the lock. */
static long close(word descriptor)
{
	struct file *file = descriptor_file(descriptor);

	if (!file)
		return -EBADF;
	descriptor_drop(descriptor);
	file_drop(file);
	return 0;
}

long call_close(word descriptor)
{
	long status;

	file_lock();
	status = close(descriptor);
	file_unlock();
	return status;
}

static long duplicate(word descriptor, word least, bool exactly)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	file_lock();
	if (exactly && least < FILES_OPEN)
		close(least);
	status = least < FILES_OPEN ? descriptor_new(file, least) : -EBADF;
	if (status < 0)
		file_drop(file);
	file_unlock();
	return status;
}

long call_dup(word descriptor)
{
	return duplicate(descriptor, 0, false);
}

long call_dup2(word descriptor, word wanted)
{
	struct file *file;

	if (descriptor != wanted)
		return duplicate(descriptor, wanted, true);
	file = file_get(descriptor);
	if (!file)
		return -EBADF;
	file_put(file);
	return (long)wanted;
}

long call_dup3(word descriptor, word wanted, word flags)
{
	(void)flags;
	return descriptor == wanted ? -EINVAL : duplicate(descriptor, wanted, true);
}

/* --- reading and writing */

/* With the lock. */
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

/* `at` NULL: where the file is, which moves on. */
static long file_read(struct file *file, uint8_t *to, size_t size, const uint64_t *at)
{
	long status;

	if ((file->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	if (file->kind == FILE_CONSOLE)
		return 0; /* nobody types */
	if (file->kind != FILE_NODE)
		return at ? -ESPIPE : pipe_read(file, to, size);
	file_lock();
	status = node_read(file->node, at ? *at : file->at, to, size);
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
	if (file->kind == FILE_CONSOLE) {
		console_write((const char *)from, size);
		return (long)size;
	}
	if (file->kind != FILE_NODE)
		return at ? -ESPIPE : pipe_write(file, from, size);
	file_lock();
	if (file->flags & O_APPEND)
		file->at = file->node->size;
	status = node_write(file->node, at ? *at : file->at, from, size);
	if (status > 0 && !at)
		file->at += (uint64_t)status;
	file_unlock();
	return status;
}

long call_read(word descriptor, word to, word size)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	status = file_read(file, (uint8_t *)to, size, NULL);
	file_put(file);
	return status;
}

long call_pread64(word descriptor, word to, word size, word at)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	status = (long)at < 0 ? -EINVAL : file_read(file, (uint8_t *)to, size, &at);
	file_put(file);
	return status;
}

long call_write(word descriptor, word from, word size)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	status = file_write(file, (const uint8_t *)from, size, NULL);
	file_put(file);
	return status;
}

long call_pwrite64(word descriptor, word from, word size, word at)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	status = (long)at < 0 ? -EINVAL : file_write(file, (const uint8_t *)from, size, &at);
	file_put(file);
	return status;
}

/* Part after part, to the first one that is not whole. */
static long vector(word descriptor, word parts, word count, bool write)
{
	const struct iovec *part = (const struct iovec *)parts;
	long sum = 0, status;

	for (word i = 0; i < count; i++) {
		word base = (word)part[i].iov_base;

		if (!part[i].iov_len)
			continue;
		status = write ? call_write(descriptor, base, part[i].iov_len)
			       : call_read(descriptor, base, part[i].iov_len);
		if (status < 0)
			return sum ? sum : status;
		sum += status;
		if ((word)status < part[i].iov_len)
			break;
	}
	return sum;
}

long call_readv(word descriptor, word parts, word count)
{
	return vector(descriptor, parts, count, false);
}

long call_writev(word descriptor, word parts, word count)
{
	return vector(descriptor, parts, count, true);
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

long call_fcntl(word descriptor, word command, word value)
{
	struct file *file;
	long status = 0;

	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return value < FILES_OPEN ? duplicate(descriptor, value, false) : -EINVAL;
	file = file_get(descriptor);
	if (!file)
		return -EBADF;
	if (command == F_GETFL)
		status = file->flags;
	else if (command == F_SETFL)
		file->flags = (file->flags & ~(uint32_t)FLAGS_CHANGEABLE) |
			      (value & FLAGS_CHANGEABLE);
	else if (command != F_GETFD && command != F_SETFD) /* there is no exec */
		status = -EINVAL;
	file_put(file);
	return status;
}

/* The console says that it is a terminal, so that what is printed comes out line by line. */
long call_ioctl(word descriptor, word request, word to)
{
	struct file *file = file_get(descriptor);
	long status = -ENOTTY;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_CONSOLE && request == TIOCGWINSZ &&
	    (file->flags & O_ACCMODE) == O_WRONLY) {
		memset((void *)to, 0, 4 * sizeof(uint16_t));
		status = 0;
	}
	file_put(file);
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
	status = path_find(current, (const char *)text, &path);
	if (!status)
		status = path.node ? resize(path.node, size) : -ENOENT;
	file_unlock();
	return status;
}

/* What was written is in memory, and nowhere else. */
long call_fsync(word descriptor)
{
	struct file *file = file_get(descriptor);

	if (!file)
		return -EBADF;
	file_put(file);
	return 0;
}

long call_fdatasync(word descriptor)
{
	return call_fsync(descriptor);
}

long call_umask(word bits)
{
	uint32_t before = mask;

	mask = bits & 0777;
	return before;
}

/* --- the current folder */

static long current_set(struct node *node)
{
	if (!node)
		return -ENOENT;
	if (node->kind != NODE_FOLDER)
		return -ENOTDIR;
	node->uses++;
	node_put(current);
	current = node;
	return 0;
}

long call_chdir(word text)
{
	struct path path;
	long status;

	file_lock();
	status = path_find(current, (const char *)text, &path);
	if (!status)
		status = current_set(path.node);
	file_unlock();
	return status;
}

long call_fchdir(word descriptor)
{
	long status;

	file_lock();
	status = folder_at(descriptor) ? current_set(folder_at(descriptor)) : -EBADF;
	file_unlock();
	return status;
}

/* Written from its end, as names are found on the way up. */
static long path_write(char *to, size_t size)
{
	char *at = to + size;

	*--at = 0;
	for (const struct node *node = current; node != nodes; node = node->parent) {
		if ((size_t)(at - to) < node->length + 1)
			return -ERANGE;
		at -= node->length;
		memcpy(at, node->name, node->length);
		*--at = '/';
	}
	if (current == nodes)
		*--at = '/';
	size = (size_t)(to + size - at);
	memmove(to, at, size);
	return (long)size;
}

long call_getcwd(word to, word size)
{
	long status = -ERANGE;

	file_lock();
	if (size >= 2)
		status = path_write((char *)to, size);
	file_unlock();
	return status;
}
