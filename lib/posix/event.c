// SPDX-License-Identifier: BSD-2-Clause
/* Counters with a descriptor: Linux's eventfd(2). posix_lock() guards them. */
#include <linux/fcntl.h>

#include "call.h"
#include "parts.h"
#include "posix.h"
#include "ready.h"

#define EFD_SEMAPHORE 1 /* the headers of the ABI have these only since Linux 6.5 */
#define EFD_CLOEXEC O_CLOEXEC
#define EFD_NONBLOCK O_NONBLOCK
#define COUNT_MAX (UINT64_MAX - 1)

long call_eventfd2(word count, word flags)
{
	struct file *file;
	long status;

	if (flags & ~(word)(EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK))
		return -EINVAL;
	file_lock();
	status = file_open_new(FILE_EVENT, O_RDWR | (flags & ~(word)EFD_SEMAPHORE), &file);
	if (status >= 0) {
		file->count = (uint32_t)count;
		file->semaphore = flags & EFD_SEMAPHORE;
	}
	file_unlock();
	return status;
}

long call_eventfd(word count)
{
	return call_eventfd2(count, 0);
}

uint32_t event_events(const struct file *file)
{
	return (file->count ? POLLIN : 0) | (file->count == UINT64_MAX ? POLLERR : 0) |
	       (file->count < COUNT_MAX ? POLLOUT : 0);
}

long event_read(struct file *file, const struct parts *parts)
{
	uint64_t value;
	long status = 0;

	if (parts_size(parts) < sizeof(value))
		return -EINVAL;
	posix_lock();
	while (!status && !file->count)
		status = file_wait(file);
	if (!status) {
		value = file->semaphore ? 1 : file->count;
		file->count -= value;
		parts_copy(parts, 0, &value, sizeof(value), true);
		status = sizeof(value);
		file_changed(file, POLLOUT);
	}
	posix_unlock();
	return status;
}

long event_write(struct file *file, const struct parts *parts)
{
	uint64_t value;
	long status = 0;

	if (parts_size(parts) < sizeof(value))
		return -EINVAL;
	parts_copy(parts, 0, &value, sizeof(value), false);
	if (value == UINT64_MAX)
		return -EINVAL;
	posix_lock();
	while (!status && value > COUNT_MAX - file->count)
		status = file_wait(file);
	if (!status) {
		file->count += value;
		status = sizeof(value);
		file_changed(file, POLLIN);
	}
	posix_unlock();
	return status;
}
