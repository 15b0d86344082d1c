// SPDX-License-Identifier: BSD-2-Clause
/* System calls that create, rename, remove and list names of files. */
#include <runtime/memory.h>

#include <linux/fcntl.h>

#include "call.h"
#include "file.h"
#include "posix.h"

#define DT_FOLDER 4
#define DT_FILE 8
#define DT_CHARACTERS 2
#define DT_FIFO 1

/* The record that getdents64() stores. The name ends with a 0, and the size of a record is a multiple of 8. */
struct folder_entry {
	uint64_t number;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

long call_mkdirat(word at, word text, word mode)
{
	struct path path;
	long status;

	file_lock();
	status = path_at(at, text, &path);
	if (!status)
		status = path.node ? -EEXIST
				   : node_make(&path, NODE_FOLDER, mode_new(mode), &path.node);
	file_unlock();
	return status;
}

long call_mkdir(word text, word mode)
{
	return call_mkdirat((word)AT_FDCWD, text, mode);
}

static long shared_name_refuse(void)
{
	return CALL_REFUSE(EACCES, "the name is that of a channel of the system file");
}

/*
 * Returns 0 if the name of a node may be removed, or a negative error. The node must be a folder exactly if `folder` is
 * set.
 */
static long removable(const struct node *node, bool folder)
{
	if (!node->linked || !node->parent->writable)
		return node == nodes ? -EBUSY : -EROFS;
	if (node->shared)
		return shared_name_refuse();
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
	status = node_at(at, text, &path);
	if (!status)
		status = dots(&path) ? -EINVAL : removable(path.entry, flags & AT_REMOVEDIR);
	if (!status)
		node_unlink(path.entry);
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

static long path_rename(const struct path *from, const struct path *to)
{
	const bool folder = from->node->kind == NODE_FOLDER;
	long status = 0;

	if (!from->folder->writable || !to->folder->writable)
		return -EROFS;
	if (dots(from) || dots(to) || (folder && inside(from->node, to->folder)))
		return -EINVAL;
	if (from->node == to->node)
		return 0;
	if (to->length > NODE_NAME_MAX)
		return -ENAMETOOLONG;
	if (from->entry->shared)
		return shared_name_refuse();
	if (to->slash && !folder)
		return -ENOTDIR;
	if (to->node)
		status = removable(to->entry, folder);
	if (status)
		return status;
	if (to->node)
		node_unlink(to->entry);
	from->entry->parent = to->folder;
	return node_name(from->entry, to->name, to->length);
}

long call_renameat(word from_at, word from_text, word to_at, word to_text)
{
	struct path from, to;
	long status;

	file_lock();
	status = node_at(from_at, from_text, &from);
	if (!status)
		status = path_at(to_at, to_text, &to);
	if (!status)
		status = path_rename(&from, &to);
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

/* linkat() of POSIX.1-2017, for files only. */
long call_linkat(word from_at, word from_text, word to_at, word to_text, word flags)
{
	struct path from, to;
	long status;

	(void)flags;
	file_lock();
	status = node_at(from_at, from_text, &from);
	if (!status)
		status = path_at(to_at, to_text, &to);
	if (!status && to.node)
		status = -EEXIST;
	if (!status && from.node->kind == NODE_FOLDER)
		status = -EPERM;
	if (!status)
		status = from.node->writable ? node_link(from.node, &to) : -EROFS;
	file_unlock();
	return status;
}

long call_link(word from, word to)
{
	return call_linkat((word)AT_FDCWD, from, (word)AT_FDCWD, to, 0);
}

/* --- contents of a folder: position 0 is ".", 1 is "..", and 2 + n is node n if the folder contains it */

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
	if (node->kind == NODE_LINK)
		node = node->target;
	return node->kind == NODE_FOLDER ? DT_FOLDER
	       : node->kind == NODE_FILE ? DT_FILE
	       : node->kind == NODE_FIFO ? DT_FIFO
					 : DT_CHARACTERS;
}

static long entries_write(struct file *file, uint8_t *to, size_t space)
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
		if (size > space - used)
			return used ? (long)used : -EINVAL;
		*entry = (struct folder_entry){
			node_number(node->kind == NODE_LINK ? node->target : node),
			(long)file->at + 1, (uint16_t)size, entry_type(node)
		};
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
