// SPDX-License-Identifier: BSD-2-Clause
/* Open files, and the descriptors that name them. */
#include <sync/lock.h>

#include <linux/fcntl.h>

#include "file.h"
#include "posix.h"
#include "queue.h"
#include "ready.h"

static struct lock lock;
static struct file files[FILES_OPEN];
static struct file *descriptors[FILES_OPEN];
static uint64_t close_on_exec; /* bit n: descriptor n has FD_CLOEXEC, which only F_GETFD shows */
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
			files[i] = (struct file){ .kind = (uint8_t)kind,
						  .flags = flags & ~(uint32_t)O_CLOEXEC,
						  .uses = 1 };
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
	posix_lock();
	epoll_forget(file);
	posix_unlock();
	lock_remove(file);
	if (file->node)
		node_put(file->node);
	if (file->pipe)
		pipe_close(file);
	if (file->queue)
		queue_close(file);
	if (file->timer)
		timer_close(file);
	if (file->socket)
		socket_close(file);
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

bool descriptor_flag(word descriptor)
{
	return close_on_exec >> descriptor & 1;
}

void descriptor_flag_set(word descriptor, bool set)
{
	const uint64_t bit = 1ul << descriptor;

	close_on_exec = set ? close_on_exec | bit : close_on_exec & ~bit;
}

long descriptor_new(struct file *file, word min, word flags)
{
	for (word n = min; n < descriptors_limit; n++)
		if (!descriptors[n]) {
			descriptors[n] = file;
			descriptor_flag_set(n, flags & O_CLOEXEC);
			return (long)n;
		}
	return -EMFILE;
}

bool descriptor_is_free(void)
{
	bool record = false;

	for (unsigned int i = 0; i < FILES_OPEN && !record; i++)
		record = files[i].kind == FILE_FREE;
	for (word n = 0; n < descriptors_limit && record; n++)
		if (!descriptors[n])
			return true;
	return false;
}

struct file *descriptor_file(word descriptor)
{
	return descriptor < FILES_OPEN ? descriptors[descriptor] : NULL;
}

bool file_is_excluded(const struct file *file, word kind)
{
	for (unsigned int i = 0; i < FILES_OPEN; i++)
		if (&files[i] != file && files[i].kind != FILE_FREE && files[i].lock &&
		    file->node && files[i].node == file->node &&
		    (kind == LOCK_EX || files[i].lock == LOCK_EX))
			return true;
	return false;
}

long file_open_new(enum file_kind kind, word flags, struct file **file)
{
	struct file *made = file_new(kind, (uint32_t)flags);
	long status = made ? descriptor_new(made, 0, flags) : -EMFILE;

	if (status < 0 && made)
		made->kind = FILE_FREE;
	*file = made;
	return status;
}

void descriptor_drop(word descriptor)
{
	descriptors[descriptor] = NULL;
}
