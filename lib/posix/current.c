// SPDX-License-Identifier: BSD-2-Clause
/* The current folder, at which relative paths begin. */
#include <runtime/memory.h>

#include <linux/fcntl.h>

#include "call.h"
#include "file.h"
#include "posix.h"

static struct node *current;

void folder_setup(void)
{
	current = nodes;
	current->uses++;
}

struct node *folder_at(word descriptor)
{
	const struct file *file;

	if ((int)descriptor == AT_FDCWD)
		return current;
	file = descriptor_file(descriptor);
	return file ? file->node : NULL;
}

long path_at(word at, word text, struct path *path)
{
	struct node *from = folder_at(at);

	if (!from && *(const char *)text != '/')
		return -EBADF;
	return path_find(from, (const char *)text, path);
}

long node_at(word at, word text, struct path *path)
{
	long status = path_at(at, text, path);

	return status ? status : path->node ? 0 : -ENOENT;
}

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

/* Writes the path backwards, because each folder knows only its parent. */
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
