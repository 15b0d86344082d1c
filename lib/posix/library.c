// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions of the C library that Debian's musl refuses with ENOSYS without a system call, because Linux's calls are
 * those of a thread and POSIX's of a process. A program is linked with these functions instead. They act on the first
 * thread, or on the thread with that id. They run in the program. POSIX.1-2017, sched_setscheduler() and others.
 */
#include <asm/unistd.h>

#include "posix.h"

#define EXPORT __attribute__((visibility("default")))

int *__errno_location(void);

static int call_of_program(word number, word a, word b, word c)
{
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(number), "D"(a), "S"(b), "d"(c)
		     : "rcx", "r11", "memory");
	if (result >= 0)
		return (int)result;
	*__errno_location() = (int)-result;
	return -1;
}

EXPORT int sched_setscheduler(int pid, int policy, const void *param);
EXPORT int sched_setscheduler(int pid, int policy, const void *param)
{
	const int before = call_of_program(__NR_sched_getscheduler, (word)pid, 0, 0);

	if (before < 0 ||
	    call_of_program(__NR_sched_setscheduler, (word)pid, (word)policy, (word)param) < 0)
		return -1;
	return before;
}

EXPORT int sched_getscheduler(int pid);
EXPORT int sched_getscheduler(int pid)
{
	return call_of_program(__NR_sched_getscheduler, (word)pid, 0, 0);
}

EXPORT int sched_setparam(int pid, const void *param);
EXPORT int sched_setparam(int pid, const void *param)
{
	return call_of_program(__NR_sched_setparam, (word)pid, (word)param, 0);
}

EXPORT int sched_getparam(int pid, void *param);
EXPORT int sched_getparam(int pid, void *param)
{
	return call_of_program(__NR_sched_getparam, (word)pid, (word)param, 0);
}
