// SPDX-License-Identifier: BSD-2-Clause
/* Calls that return or change a file's kind, size, mode and times. */
#include <runtime/memory.h>

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"

#define BLOCK 512
/* The headers of the ABI lack these. */
#define UTIME_NOW 0x3fffffffl
#define UTIME_OMIT 0x3ffffffel

static uint32_t type_of(const struct node *node)
{
	switch (node->kind) {
	case NODE_FOLDER:
		return S_IFDIR;
	case NODE_FILE:
		return S_IFREG;
	case NODE_FIFO:
		return S_IFIFO;
	default:
		return S_IFCHR;
	}
}

uint64_t node_number(const struct node *node)
{
	return (uint64_t)(node - nodes) + 1;
}

static void node_stat(const struct node *node, struct stat *to)
{
	const struct timespec time = time_of_ns(node->changed);
	const struct timespec accessed = time_of_ns(node->accessed);

	*to = (struct stat){
		.st_dev = 1,
		.st_ino = node_number(node),
		.st_nlink = (word)(node->linked || node == nodes) + node->links,
		.st_mode = type_of(node) | node->mode,
		.st_size = (long)node->size,
		.st_blksize = LIMPET_PAGE,
		.st_blocks = (long)((node->size + BLOCK - 1) / BLOCK),
		.st_atime = (word)accessed.tv_sec,
		.st_atime_nsec = (word)accessed.tv_nsec,
		.st_mtime = (word)time.tv_sec,
		.st_mtime_nsec = (word)time.tv_nsec,
		.st_ctime = (word)time.tv_sec,
		.st_ctime_nsec = (word)time.tv_nsec,
	};
}

static uint32_t special_mode(const struct file *file)
{
	if (file->kind == FILE_SOCKET)
		return S_IFSOCK;
	if (file->kind == FILE_COMM)
		return S_IFREG;
	return file->kind == FILE_CONSOLE ? S_IFCHR : S_IFIFO;
}

long call_fstat(word descriptor, word to)
{
	struct file *file = file_get(descriptor);
	struct stat *result = (struct stat *)to;

	if (!file)
		return -EBADF;
	if (file->node)
		node_stat(file->node, result);
	else
		*result = (struct stat){ .st_dev = 1,
					 .st_nlink = 1,
					 .st_blksize = LIMPET_PAGE,
					 .st_mode = 0600 | special_mode(file) };
	file_put(file);
	return 0;
}

/*
 * Finds the node of a path, or of /proc/self/fd/DESCRIPTOR, which musl's fchmodat() uses with AT_SYMLINK_NOFOLLOW. This
 * name can be used for the attributes of an open file only. Requires file_lock(). Returns 0 or the errors of node_at().
 */
static long attributes_at(word at, word text, struct path *path)
{
	static const char prefix[] = "/proc/self/fd/";
	const char *name = (const char *)text;
	const struct file *file;
	word descriptor = 0;

	if (strlen(name) < sizeof(prefix) || memcmp(name, prefix, sizeof(prefix) - 1) != 0)
		return node_at(at, text, path);
	for (name += sizeof(prefix) - 1; *name >= '0' && *name <= '9' && descriptor < FILES_OPEN;
	     name++)
		descriptor = descriptor * 10 + (word)(*name - '0');
	file = *name ? NULL : descriptor_file(descriptor);
	*path = (struct path){ .node = file ? file->node : NULL };
	return path->node ? 0 : -ENOENT;
}

long call_newfstatat(word at, word text, word to, word flags)
{
	struct path path;
	long status;

	if (flags & AT_EMPTY_PATH && !*(const char *)text)
		return call_fstat(at, to);
	file_lock();
	status = attributes_at(at, text, &path);
	if (!status)
		node_stat(path.node, (struct stat *)to);
	file_unlock();
	return status;
}

long call_stat(word text, word to)
{
	return call_newfstatat((word)AT_FDCWD, text, to, 0);
}

long call_lstat(word text, word to)
{
	return call_newfstatat((word)AT_FDCWD, text, to, 0);
}

/* Bits of a mode: 1 is execute, 2 is write. User 0 may execute a file that any user may execute. */
long call_faccessat(word at, word text, word mode)
{
	struct path path;
	long status;

	file_lock();
	status = attributes_at(at, text, &path);
	if (!status && mode & 2 && !path.node->writable && path.node->kind <= NODE_FILE)
		status = -EROFS;
	else if (!status && mode & 1 && path.node->kind != NODE_FOLDER && !(path.node->mode & 0111))
		status = -EACCES;
	file_unlock();
	return status;
}

long call_access(word text, word mode)
{
	return call_faccessat((word)AT_FDCWD, text, mode);
}

/* Fails with -EINVAL for an existing file, because there are no symbolic links. */
long call_readlink(word text, word to, word size)
{
	struct path path;
	long status;

	(void)to;
	(void)size;
	file_lock();
	status = node_at((word)AT_FDCWD, text, &path);
	file_unlock();
	return status ? status : -EINVAL;
}

/* --- modes and times are stored, and the owner is always user 0 */

static long node_mode(struct node *node, word mode)
{
	if (!node->writable)
		return -EROFS;
	node->mode = mode & 07777;
	return 0;
}

long call_fchmodat(word at, word text, word mode)
{
	struct path path;
	long status;

	file_lock();
	status = attributes_at(at, text, &path);
	if (!status)
		status = node_mode(path.node, mode);
	file_unlock();
	return status;
}

long call_chmod(word text, word mode)
{
	return call_fchmodat((word)AT_FDCWD, text, mode);
}

long call_fchmod(word descriptor, word mode)
{
	struct file *file = file_get(descriptor);
	long status = 0;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_NODE)
		status = node_mode(file->node, mode);
	file_put(file);
	return status;
}

/* The value -1 keeps an id. */
static long owner_check(word user, word group)
{
	const bool kept = !user || (uint32_t)user == ~0u;

	return kept && (!group || (uint32_t)group == ~0u) ? 0 : -EPERM;
}

long call_chown(word text, word user, word group)
{
	struct path path;
	long status;

	file_lock();
	status = node_at((word)AT_FDCWD, text, &path);
	file_unlock();
	return status ? status : owner_check(user, group);
}

long call_fchown(word descriptor, word user, word group)
{
	struct file *file = file_get(descriptor);

	if (!file)
		return -EBADF;
	file_put(file);
	return owner_check(user, group);
}

long call_lchown(word text, word user, word group)
{
	return call_chown(text, user, group);
}

/* Returns whether a time of utimensat() has a valid number of nanoseconds. */
static bool time_valid(const struct timespec *time)
{
	return time->tv_nsec == UTIME_NOW || time->tv_nsec == UTIME_OMIT ||
	       (time->tv_nsec >= 0 && time->tv_nsec < (long)NS_PER_S);
}

static uint64_t time_wanted(const struct timespec *time, uint64_t before)
{
	struct timespec now;

	if (time && time->tv_nsec == UTIME_OMIT)
		return before;
	if (time && time->tv_nsec != UTIME_NOW)
		return time_ns(time);
	call_clock_gettime(CLOCK_REALTIME, (word)&now);
	return time_ns(&now);
}

long call_utimensat(word at, word text, word times, word flags)
{
	const struct timespec *time = (const struct timespec *)times;
	struct path path = { .node = NULL };
	long status = 0;

	(void)flags;
	if (time && (!time_valid(&time[0]) || !time_valid(&time[1])))
		return -EINVAL;
	file_lock();
	if (text)
		status = attributes_at(at, text, &path);
	else
		path.node = folder_at(at);
	if (!status && !path.node)
		status = -EBADF;
	if (!status && !path.node->writable)
		status = -EROFS;
	if (!status) {
		path.node->accessed = time_wanted(time, path.node->accessed);
		path.node->changed = time_wanted(time ? &time[1] : NULL, path.node->changed);
	}
	file_unlock();
	return status;
}
