// SPDX-License-Identifier: BSD-2-Clause
/* Open files, and the descriptors that name them. */
#include <sync/lock.h>

#include <linux/fcntl.h>

#include "file.h"
#include "posix.h"
#include "queue.h"

static struct lock lock;
static struct file files[FILES_OPEN];
static struct file *descriptors[FILES_OPEN];
word descriptors_limit = FILES_OPEN;

void file_lock(void)
{
	lock_take(&lock);
}

void file_unlock(void)
{
	lock_drop(&lock);
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

void descriptors_setup(void)
{
	for (unsigned int i = 0; i < 3; i++)
		descriptors[i] = file_new(FILE_CONSOLE, i ? O_WRONLY : O_RDONLY);
}

void file_drop(struct file *file)
{
	if (--file->uses)
		return;
	if (file->node)
		node_put(file->node);
	if (file->pipe)
		pipe_close(file);
	if (file->queue)
		queue_close(file);
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
	for (word n = least; n < descriptors_limit; n++)
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
