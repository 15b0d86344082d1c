// SPDX-License-Identifier: BSD-2-Clause
/* Calls that create, close and describe descriptors. */
#include <runtime/memory.h>

#include <asm/ioctls.h>
#include <linux/fcntl.h>

#include "call.h"
#include "file.h"
#include "posix.h"

#define FLAGS_CHANGEABLE (O_APPEND | O_NONBLOCK)

static uint32_t mask = 022;

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

/* Requires file_lock(). */
static long file_open(word at, const char *text, uint32_t flags, uint32_t mode)
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
	status = descriptor_new(file, 0, flags);
	if (status < 0)
		file_drop(file);
	return status;
}

long call_openat(word at, word path, word flags, word mode)
{
	long status;

	file_lock();
	status = file_open(at, (const char *)path, (uint32_t)flags, (uint32_t)mode);
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

/* Requires file_lock(). */
static long descriptor_close(word descriptor)
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
	status = descriptor_close(descriptor);
	file_unlock();
	return status;
}

static long duplicate(word descriptor, word least, bool exactly, word flags)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	file_lock();
	if (exactly && least < FILES_OPEN)
		descriptor_close(least);
	status = least < FILES_OPEN ? descriptor_new(file, least, flags) : -EBADF;
	if (status < 0)
		file_drop(file);
	file_unlock();
	return status;
}

long call_dup(word descriptor)
{
	return duplicate(descriptor, 0, false, 0);
}

long call_dup2(word descriptor, word wanted)
{
	struct file *file;

	if (descriptor != wanted)
		return duplicate(descriptor, wanted, true, 0);
	file = file_get(descriptor);
	if (!file)
		return -EBADF;
	file_put(file);
	return (long)wanted;
}

long call_dup3(word descriptor, word wanted, word flags)
{
	if (flags & ~(word)O_CLOEXEC)
		return -EINVAL;
	return descriptor == wanted ? -EINVAL : duplicate(descriptor, wanted, true, flags);
}

static bool is_lock(word command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_GETLK;
}

static bool is_open_file_lock(word command)
{
	return command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

/*
 * Locks of parts of files are those of a process against others, and there is one: each can be had. POSIX.1-2017,
 * fcntl(). Locks of open files, F_OFD_..., are always granted, too. They do not exclude other threads of the program.
 */
static long lock_call(const struct file *file, word command, struct flock *lock)
{
	const word mode = file->flags & O_ACCMODE;

	if (lock->l_type != F_RDLCK && lock->l_type != F_WRLCK && lock->l_type != F_UNLCK)
		return -EINVAL;
	if (is_open_file_lock(command) && lock->l_pid)
		return -EINVAL;
	if (command == F_GETLK || command == F_OFD_GETLK)
		lock->l_type = F_UNLCK;
	else if ((lock->l_type == F_RDLCK && mode == O_WRONLY) ||
		 (lock->l_type == F_WRLCK && mode == O_RDONLY))
		return -EBADF;
	return 0;
}

long call_fcntl(word descriptor, word command, word value)
{
	struct file *file;
	long status = 0;

	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return value < FILES_OPEN ? duplicate(descriptor, value, false,
						      command == F_DUPFD_CLOEXEC ? O_CLOEXEC : 0)
					  : -EINVAL;
	file = file_get(descriptor);
	if (!file)
		return -EBADF;
	file_lock();
	if (is_lock(command) || is_open_file_lock(command))
		status = lock_call(file, command, (struct flock *)value);
	else if (command == F_GETFL)
		status = file->flags;
	else if (command == F_SETFL)
		file->flags = (file->flags & ~(uint32_t)FLAGS_CHANGEABLE) |
			      (value & FLAGS_CHANGEABLE);
	else if (command == F_GETFD)
		status = descriptor_flag(descriptor) ? FD_CLOEXEC : 0;
	else if (command == F_SETFD)
		descriptor_flag_set(descriptor, value & FD_CLOEXEC);
	else
		status = CALL_REFUSE(EINVAL, "this command is missing");
	file_drop(file);
	file_unlock();
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

long call_umask(word bits)
{
	uint32_t before = mask;

	mask = bits & 0777;
	return before;
}
