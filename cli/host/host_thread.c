// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <limpet/device.h>

#include "host_thread.h"
#include "lend.h"

/* CLOSE_RANGE_UNSHARE of <linux/close_range.h>, which is not on musl-gcc's path. */
#define FILES_UNSHARE 2

static void thread_reach(struct host_thread *thread, enum host_thread_stage stage)
{
	uint64_t one = 1;
	ssize_t done;

	__atomic_store_n(&thread->stage, stage, __ATOMIC_RELEASE);
	do
		done = write(thread->event, &one, sizeof(one));
	while (done < 0 && errno == EINTR);
}

/* Closes the descriptors from `first` up to the one before `end`. */
static long files_close(unsigned int first, unsigned int end, unsigned int flags)
{
	return first < end ? syscall(SYS_close_range, first, end - 1, flags) : 0;
}

/*
 * Gives the thread a table of its own with the two descriptors that it uses, because Linux looks descriptors up
 * faster in a table that is not shared. A failure costs only time.
 */
static void thread_own_files(const struct host_thread *thread)
{
	unsigned int fd = (unsigned int)thread->fd, event = (unsigned int)thread->event;
	unsigned int low = fd < event ? fd : event, high = fd < event ? event : fd;

	if (files_close(high + 1, ~0u, FILES_UNSHARE))
		return;
	files_close(low + 1, high, 0);
	files_close(0, low, 0);
}

static int thread_pin(struct host_thread *thread)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(thread->linux_cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? errno : 0;
}

static int thread_make_realtime(struct host_thread *thread)
{
	struct sched_param parameters = { .sched_priority = thread->priority };

	return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}

static int thread_enter(struct host_thread *thread)
{
	struct limpet_ioc_enter enter = {
		.cpu = thread->cpu,
	};

	return ioctl(thread->fd, LIMPET_IOC_ENTER, &enter) ? errno : 0;
}

static int thread_lend(struct host_thread *thread)
{
	const long result = host_lend(thread->fd);

	return result < 0 ? (int)-result : 0;
}

static void thread_live(struct host_thread *thread)
{
	thread_own_files(thread);
	thread->failed = "pinning it to its CPU";
	thread->error = thread_pin(thread);
	if (thread->error)
		return;
	thread->failed = "making it SCHED_FIFO";
	thread->error = thread_make_realtime(thread);
	if (thread->error)
		return;
	thread->failed = "LIMPET_IOC_ENTER";
	thread->error = thread_enter(thread);
	if (thread->error)
		return;
	thread_reach(thread, HOST_THREAD_ENTERED);
	thread->failed = "lending it";
	thread->error = thread_lend(thread);
	if (!thread->error)
		thread->failed = NULL;
}

static void *thread_main(void *argument)
{
	struct host_thread *thread = argument;

	thread_live(thread);
	thread_reach(thread, HOST_THREAD_LEFT);
	return NULL;
}

int host_thread_start(struct host_thread *thread)
{
	return pthread_create(&thread->id, NULL, thread_main, thread);
}

enum host_thread_stage host_thread_stage(const struct host_thread *thread)
{
	return __atomic_load_n(&thread->stage, __ATOMIC_ACQUIRE);
}
