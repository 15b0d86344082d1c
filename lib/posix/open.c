// SPDX-License-Identifier: BSD-2-Clause
/* Calls that create, close and describe descriptors. */
#include <runtime/memory.h>

#include <asm/ioctls.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "call.h"
#include "file.h"
#include "posix.h"

/* The headers of the ABI lack these. */
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

#define FLAGS_CHANGEABLE (O_APPEND | O_NONBLOCK)

static uint32_t mask = 022;

uint16_t mode_new(word mode)
{
	return (uint16_t)(mode & ~mask & 0777);
}

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

/* Makes a file of a node that node_open() allows, in use once. Requires file_lock(), which a FIFO can release meanwhile. */
static long node_file(struct node *node, uint32_t flags, struct file **file)
{
	flags &= ~(uint32_t)(O_CREAT | O_EXCL | O_TRUNC);
	if (node->kind == NODE_FIFO)
		return fifo_open(node, flags, file);
	*file = file_new(FILE_NODE, flags);
	if (!*file)
		return -EMFILE;
	(*file)->node = node;
	node->uses++;
	return 0;
}

/* Opens the name of a thread. Requires file_lock(). */
static long comm_open(word tid, uint32_t flags)
{
	struct file *file;
	long status = file_open_new(FILE_COMM, flags, &file);

	if (status >= 0)
		file->count = tid;
	return status;
}

/* Requires file_lock(). */
static long file_open(word at, const char *text, uint32_t flags, uint32_t mode)
{
	struct node *from = folder_at(at);
	struct path path;
	struct file *file;
	const word tid = comm_thread(text);
	long status;

	/* First, because an open that fails must not make or truncate a file. */
	if (!descriptor_is_free())
		return -EMFILE;
	if (tid)
		return comm_open(tid, flags);
	status = from || *text == '/' ? path_find(from, text, &path) : -EBADF;
	if (status)
		return status;
	if (path.node)
		status = node_open(path.node, flags);
	else if (flags & O_CREAT && path.slash)
		status = -EISDIR;
	else if (flags & O_CREAT)
		status = node_make(&path, NODE_FILE, mode_new(mode), &path.node);
	else
		status = -ENOENT;
	if (status)
		return status;
	status = node_file(path.node, flags, &file);
	if (status)
		return status;
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

static long duplicate(word descriptor, word min, bool exactly, word flags)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	file_lock();
	if (exactly && min < descriptors_limit)
		descriptor_close(min);
	status = exactly && min >= descriptors_limit ? -EBADF : descriptor_new(file, min, flags);
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
 * Grants each valid lock of a part of a file, because such locks only exclude other processes, and there is only one.
 * POSIX.1-2017, fcntl(). Locks of open files, F_OFD_..., are always granted, too. They do not exclude other threads of
 * the program.
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
		return value < descriptors_limit
			       ? duplicate(descriptor, value, false,
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
	else if (command == F_GETOWN_EX) /* no process gets signals of the file */
		*(struct f_owner_ex *)value = (struct f_owner_ex){ .type = F_OWNER_PID };
	else if (command != F_GETOWN)
		status = CALL_REFUSE(EINVAL, "this command is missing");
	file_drop(file);
	file_unlock();
	return status;
}

/* Returns the number of bytes that a read returns now, or -ENOTTY. */
static long readable(const struct file *file)
{
	if (file->kind == FILE_PIPE)
		return pipe_used(file);
	if (file->kind != FILE_NODE || file->node->kind != NODE_FILE)
		return -ENOTTY;
	return file->at < file->node->size ? (long)(file->node->size - file->at) : 0;
}

/*
 * Serves the requests that are the same for all kinds of files. The console reports that it is a terminal, so that the
 * C library writes its output line by line. Requires file_lock().
 */
static long request_serve(word descriptor, struct file *file, word request, word to)
{
	long status;

	switch (request) {
	case TIOCGWINSZ:
		if (file->kind != FILE_CONSOLE || (file->flags & O_ACCMODE) != O_WRONLY)
			return -ENOTTY;
		memset((void *)to, 0, 4 * sizeof(uint16_t));
		return 0;
	case FIOCLEX:
	case FIONCLEX:
		descriptor_flag_set(descriptor, request == FIOCLEX);
		return 0;
	case FIONBIO:
		file->flags &= ~(uint32_t)O_NONBLOCK;
		file->flags |= *(const int *)to ? O_NONBLOCK : 0;
		return 0;
	case FIONREAD:
		status = readable(file);
		if (status >= 0)
			*(int *)to = (int)status;
		return status < 0 ? status : 0;
	default:
		return -ENOTTY;
	}
}

long call_ioctl(word descriptor, word request, word to)
{
	struct file *file = file_get(descriptor);
	long status;

	if (!file)
		return -EBADF;
	file_lock();
	status = request_serve(descriptor, file, (uint32_t)request, to);
	file_drop(file);
	file_unlock();
	return status;
}

/* Makes a file or a FIFO. Devices are refused. POSIX.1-2017, mknod(). */
long call_mknodat(word at, word text, word mode, word device)
{
	const word type = mode & S_IFMT;
	struct path path;
	long status;

	(void)device;
	if (type && type != S_IFREG && type != S_IFIFO)
		return CALL_REFUSE(EPERM, NULL);
	file_lock();
	status = path_at(at, text, &path);
	if (!status && path.node)
		status = -EEXIST;
	if (!status)
		status = node_make(&path, type == S_IFIFO ? NODE_FIFO : NODE_FILE, mode_new(mode),
				   &path.node);
	file_unlock();
	return status;
}

long call_mknod(word text, word mode, word device)
{
	return call_mknodat((word)AT_FDCWD, text, mode, device);
}

long call_umask(word bits)
{
	uint32_t before = mask;

	mask = bits & 0777;
	return before;
}
