// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals with a descriptor: Linux's signalfd(2). A read takes pending signals of the calling thread and of the
 * program. So the events of such a file depend on the thread that polls it. posix_lock() guards them. All such files
 * are one object of file_changed().
 */
#include <runtime/memory.h>

#include <linux/fcntl.h>
#include <linux/signalfd.h>

#include "call.h"
#include "parts.h"
#include "posix.h"
#include "ready.h"
#include "signal_state.h"

const struct file signal_files;

long call_signalfd4(word descriptor, word set, word size, word flags)
{
	const uint64_t mask = *(const uint64_t *)set & ~UNBLOCKABLE;
	struct file *file;
	long status = (long)descriptor;

	if (size != sizeof(uint64_t) || flags & ~(word)(SFD_CLOEXEC | SFD_NONBLOCK))
		return -EINVAL;
	file_lock();
	if ((int)descriptor == -1)
		status = file_open_new(FILE_SIGNAL, O_RDWR | flags, &file);
	else
		file = descriptor_file((uint32_t)descriptor);
	if (status >= 0 && (!file || file->kind != FILE_SIGNAL))
		status = file ? -EINVAL : -EBADF;
	if (status >= 0) {
		posix_lock();
		file->count = mask;
		file_changed(&signal_files, POLLIN);
		posix_unlock();
	}
	file_unlock();
	return status;
}

long call_signalfd(word descriptor, word set, word size)
{
	return call_signalfd4(descriptor, set, size, 0);
}

uint32_t signal_events(const struct file *file)
{
	return (posix_self()->pending | signals_of_program) & file->count ? POLLIN : 0;
}

static void record_fill(struct signalfd_siginfo *to, const struct siginfo *info)
{
	const bool timer = info->si_code == SI_TIMER;

	*to = (struct signalfd_siginfo){
		.ssi_signo = (uint32_t)info->si_signo,
		.ssi_code = info->si_code,
		.ssi_pid = timer ? 0 : (uint32_t)info->si_pid,
		.ssi_uid = timer ? 0 : (uint32_t)info->si_uid,
		.ssi_tid = timer ? (uint32_t)info->si_tid : 0,
		.ssi_overrun = timer ? (uint32_t)info->si_overrun : 0,
		.ssi_int = info->si_int,
		.ssi_ptr = (word)info->si_ptr,
	};
}

/* Takes at least one signal, and as many as are pending and fit. */
long signal_read(struct file *file, const struct parts *parts)
{
	const size_t size = parts_size(parts);
	struct signalfd_siginfo record;
	struct siginfo info;
	long status = 0, sum = 0;

	if (size < sizeof(record))
		return -EINVAL;
	posix_lock();
	while (!status && size - (size_t)sum >= sizeof(record)) {
		if (signal_take(posix_self(), file->count, &info)) {
			record_fill(&record, &info);
			parts_copy(parts, (size_t)sum, &record, sizeof(record), true);
			sum += (long)sizeof(record);
		} else if (sum) {
			break;
		} else {
			status = file_wait(file);
		}
	}
	posix_unlock();
	return sum ? sum : status;
}
