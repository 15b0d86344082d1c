// SPDX-License-Identifier: BSD-2-Clause
/*
 * flock(2): locks of whole files. A lock belongs to an open file, so two threads that have opened the same file
 * separately exclude each other. file_lock() protects the locks.
 */
#include <linux/fcntl.h>

#include "call.h"
#include "file.h"
#include "posix.h"
#include "ready.h"

void lock_remove(struct file *file)
{
	if (!file->lock)
		return;
	file->lock = 0;
	posix_lock();
	file_changed(file->node, 0);
	posix_unlock();
}

/* Waits until any file changes, without file_lock(). Returns 0 or -ERESTART. */
static long lock_wait(void)
{
	long status;

	posix_lock();
	file_unlock();
	status = change_wait(LIMPET_NEVER);
	posix_unlock();
	file_lock();
	return status == -EINTR ? -ERESTART : status;
}

/* Replaces the lock of an open file. As on Linux, it has no lock while it waits, or after a failure. */
static long lock_set(struct file *file, word kind, bool waits)
{
	long status = 0;

	lock_remove(file);
	while (!status && file_is_excluded(file, kind))
		status = waits ? lock_wait() : -EWOULDBLOCK;
	if (!status)
		file->lock = (uint8_t)kind;
	return status;
}

long call_flock(word descriptor, word operation)
{
	struct file *file = file_get(descriptor);
	const word kind = operation & ~(word)LOCK_NB;
	long status = 0;

	if (!file)
		return -EBADF;
	file_lock();
	if (kind == LOCK_UN)
		lock_remove(file);
	else if (kind == LOCK_SH || kind == LOCK_EX)
		status = lock_set(file, kind, !(operation & LOCK_NB));
	else
		status = -EINVAL;
	file_drop(file);
	file_unlock();
	return status;
}
