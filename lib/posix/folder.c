// SPDX-License-Identifier: BSD-2-Clause
/* What changes names and shows them: folders, stat, modes. */
#include <runtime/memory.h>

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"

#define DT_FOLDER 4
#define DT_FILE 8
#define DT_CHARACTERS 2
#define BLOCK 512
/* Not in the headers of the ABI. */
#define UTIME_NOW 0x3fffffffl
#define UTIME_OMIT 0x3ffffffel

/* As getdents64() writes it; name ends with a 0, the whole with a multiple of 8. */
struct folder_entry {
	uint64_t number;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* Resolves the path of an ...at() call; with file_lock(). */
static long find(word at, word text, struct path *path)
{
	struct node *from = folder_at(at);

	if (!from && *(const char *)text != '/')
		return -EBADF;
	return path_find(from, (const char *)text, path);
}

/* The same for a node that has to be there. */
static long find_node(word at, word text, struct path *path)
{
	long status = find(at, text, path);

	return status ? status : path->node ? 0 : -ENOENT;
}

/* --- stat */

static uint32_t type_of(const struct node *node)
{
	return node->kind == NODE_FOLDER ? S_IFDIR : node->kind == NODE_FILE ? S_IFREG : S_IFCHR;
}

static uint64_t number_of(const struct node *node)
{
	return (uint64_t)(node - nodes) + 1;
}

static void node_stat(const struct node *node, struct stat *to)
{
	const struct timespec time = time_of_ns(node->changed);

	*to = (struct stat){
		.st_dev = 1,
		.st_ino = number_of(node),
		.st_nlink = node->linked || node == nodes,
		.st_mode = type_of(node) | node->mode,
		.st_size = (long)node->size,
		.st_blksize = LIMPET_PAGE,
		.st_blocks = (long)((node->size + BLOCK - 1) / BLOCK),
		.st_atime = (word)time.tv_sec,
		.st_atime_nsec = (word)time.tv_nsec,
		.st_mtime = (word)time.tv_sec,
		.st_mtime_nsec = (word)time.tv_nsec,
		.st_ctime = (word)time.tv_sec,
		.st_ctime_nsec = (word)time.tv_nsec,
	};
}

long call_fstat(word descriptor, word to)
{
	struct file *file = file_get(descriptor);
	struct stat *result = (struct stat *)to;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_NODE)
		node_stat(file->node, result);
	else
		*result = (struct stat){ .st_dev = 1,
					 .st_nlink = 1,
					 .st_blksize = LIMPET_PAGE,
					 .st_mode = 0600 | (file->kind == FILE_CONSOLE ? S_IFCHR
										       : S_IFIFO) };
	file_put(file);
	return 0;
}

long call_newfstatat(word at, word text, word to, word flags)
{
	struct path path;
	long status;

	if (flags & AT_EMPTY_PATH && !*(const char *)text)
		return call_fstat(at, to);
	file_lock();
	status = find_node(at, text, &path);
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

/* Bit 2 of a mode: write. */
long call_faccessat(word at, word text, word mode)
{
	struct path path;
	long status;

	file_lock();
	status = find_node(at, text, &path);
	if (!status && mode & 2 && !path.node->writable && path.node->kind <= NODE_FILE)
		status = -EROFS;
	else if (!status && mode & 1 && path.node->kind != NODE_FOLDER)
		status = -EACCES;
	file_unlock();
	return status;
}

long call_access(word text, word mode)
{
	return call_faccessat((word)AT_FDCWD, text, mode);
}

/* There are no links: what is there is none. */
long call_readlink(word text, word to, word size)
{
	struct path path;
	long status;

	(void)to;
	(void)size;
	file_lock();
	status = find_node((word)AT_FDCWD, text, &path);
	file_unlock();
	return status ? status : -EINVAL;
}

/* --- modes, owners, times: kept, nobody, the last change */

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
	status = find_node(at, text, &path);
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

long call_chown(word text, word user, word group)
{
	struct path path;
	long status;

	file_lock();
	status = find_node((word)AT_FDCWD, text, &path);
	file_unlock();
	return status ? status : user || group ? -EPERM : 0;
}

long call_fchown(word descriptor, word user, word group)
{
	return user || group ? -EPERM : call_fsync(descriptor);
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
	file_lock();
	if (text)
		status = find_node(at, text, &path);
	else
		path.node = folder_at(at);
	if (!status && !path.node)
		status = -EBADF;
	if (!status && !path.node->writable)
		status = -EROFS;
	if (!status)
		path.node->changed = time_wanted(time ? &time[1] : NULL, path.node->changed);
	file_unlock();
	return status;
}

/* --- names */

long call_mkdirat(word at, word text, word mode)
{
	struct path path;
	long status;

	file_lock();
	status = find(at, text, &path);
	if (!status)
		status = path.node ? -EEXIST
				   : node_make(&path, NODE_FOLDER, mode & 0777, &path.node);
	file_unlock();
	return status;
}

long call_mkdir(word text, word mode)
{
	return call_mkdirat((word)AT_FDCWD, text, mode);
}

/* Whether a node's name may be taken: that of a folder (`folder`), or of something else. */
static long removable(const struct node *node, bool folder)
{
	if (!node->linked || !node->parent->writable)
		return node == nodes ? -EBUSY : -EROFS;
	if (folder && node->kind != NODE_FOLDER)
		return -ENOTDIR;
	if (!folder && node->kind == NODE_FOLDER)
		return -EISDIR;
	return folder && !folder_empty(node) ? -ENOTEMPTY : 0;
}

static bool dots(const struct path *path)
{
	return path->name[0] == '.' &&
	       (path->length == 1 || (path->length == 2 && path->name[1] == '.'));
}

long call_unlinkat(word at, word text, word flags)
{
	struct path path;
	long status;

	file_lock();
	status = find_node(at, text, &path);
	if (!status)
		status = dots(&path) ? -EINVAL : removable(path.node, flags & AT_REMOVEDIR);
	if (!status)
		node_unlink(path.node);
	file_unlock();
	return status;
}

long call_unlink(word text)
{
	return call_unlinkat((word)AT_FDCWD, text, 0);
}

long call_rmdir(word text)
{
	return call_unlinkat((word)AT_FDCWD, text, AT_REMOVEDIR);
}

static bool inside(const struct node *folder, const struct node *node)
{
	for (; node != nodes; node = node->parent)
		if (node == folder)
			return true;
	return false;
}

static long rename(const struct path *from, const struct path *to)
{
	const bool folder = from->node->kind == NODE_FOLDER;
	long status = 0;

	if (!from->folder->writable || !to->folder->writable)
		return -EROFS;
	if (dots(from) || dots(to) || (folder && inside(from->node, to->folder)))
		return -EINVAL;
	if (from->node == to->node)
		return 0;
	if (to->length > NODE_NAME_MOST)
		return -ENAMETOOLONG;
	if (to->node)
		status = removable(to->node, folder);
	if (status)
		return status;
	if (to->node)
		node_unlink(to->node);
	from->node->parent = to->folder;
	return node_name(from->node, to->name, to->length);
}

long call_renameat(word from_at, word from_text, word to_at, word to_text)
{
	struct path from, to;
	long status;

	file_lock();
	status = find_node(from_at, from_text, &from);
	if (!status)
		status = find(to_at, to_text, &to);
	if (!status)
		status = rename(&from, &to);
	file_unlock();
	return status;
}

long call_renameat2(word from_at, word from_text, word to_at, word to_text, word flags)
{
	return flags ? -EINVAL : call_renameat(from_at, from_text, to_at, to_text);
}

long call_rename(word from, word to)
{
	return call_renameat((word)AT_FDCWD, from, (word)AT_FDCWD, to);
}

/* --- contents of a folder: position 0 is ., 1 is .., 2 + n is node n if it is in it */

static const struct node *entry_at(const struct node *folder, uint64_t position, const char **name,
				   size_t *length)
{
	const struct node *node = position < 2 ? NULL : &nodes[position - 2];

	*name = "..";
	*length = position + 1;
	if (position == 0)
		return folder;
	if (position == 1)
		return folder->parent;
	*name = node->name;
	*length = node->length;
	return node->kind && node->linked && node->parent == folder ? node : NULL;
}

static uint8_t entry_type(const struct node *node)
{
	return node->kind == NODE_FOLDER ? DT_FOLDER
	       : node->kind == NODE_FILE ? DT_FILE
					 : DT_CHARACTERS;
}

static long entries_write(struct file *file, uint8_t *to, size_t room)
{
	size_t used = 0;

	for (; file->at < nodes_count + 2ul; file->at++) {
		struct folder_entry *entry = (struct folder_entry *)(to + used);
		const char *name;
		size_t length, size;
		const struct node *node = entry_at(file->node, file->at, &name, &length);

		if (!node)
			continue;
		size = (sizeof(*entry) + length + 1 + 7) & ~7ul;
		if (size > room - used)
			return used ? (long)used : -EINVAL;
		*entry = (struct folder_entry){ number_of(node), (long)file->at + 1, (uint16_t)size,
						entry_type(node) };
		memcpy(entry->name, name, length);
		entry->name[length] = 0;
		used += size;
	}
	return (long)used;
}

long call_getdents64(word descriptor, word to, word size)
{
	struct file *file = file_get(descriptor);
	long status = -ENOTDIR;

	if (!file)
		return -EBADF;
	file_lock();
	if (file->kind == FILE_NODE && file->node->kind == NODE_FOLDER)
		status = entries_write(file, (uint8_t *)to, size);
	file_unlock();
	file_put(file);
	return status;
}
