// SPDX-License-Identifier: GPL-2.0
/* Uses all names of the sets of arguments: each value of a range, and all bits. The calls have no effect. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "traced.h"

#define NONE 1000 /* a descriptor that does not exist */

/* The kernel's struct sigaction. */
struct action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static void trace_values(void)
{
	char buffer[8];

	for (long i = 0; i < 26; i++)
		CALL(madvise, 1, 4096, i);
	for (long i = 0; i < 20; i++)
		CALL(getrlimit, i, NULL);
	for (long i = 0; i < 14; i++)
		CALL(clock_gettime, i, 8);
	for (long i = 0; i < 46; i++)
		CALL(bind, NONE, &(struct sockaddr){ .sa_family = (unsigned short)i }, 3);
	for (long i = 0; i < 76;
	     i += i == 25 ? 2 : 1) /* not SO_ATTACH_FILTER, which has two names */
		CALL(getsockopt, NONE, SOL_SOCKET, i, buffer, NULL);
	for (long i = 0; i < 37; i += i == 14 ? 2 : 1) /* 15 has no name in the kernel */
		CALL(getsockopt, NONE, SOL_TCP, i, buffer, NULL);
	for (long i = 1; i < 51; i++)
		CALL(getsockopt, NONE, IPPROTO_IP, i, buffer, NULL);
	for (long i = 1; i < 81; i += i == 62 ? 8 : 1) /* without the names of netfilter */
		CALL(getsockopt, NONE, IPPROTO_IPV6, i, buffer, NULL);
	for (long i = 0; i < 42; i++)
		CALL(prctl, PR_CAPBSET_READ, i);
	for (long i = 0; i < 66; i++)
		CALL(kill, -5000000, i);
	for (long i = 0; i < 12; i++)
		CALL(fcntl, NONE, i, 0);
	for (long i = 1024; i < 1035; i += i == 1026 ? 2 : 1) /* without F_DUPFD_QUERY */
		CALL(fcntl, NONE, i, 0);
	for (long i = 0; i < 8; i++)
		CALL(lseek, NONE, 0, i);
	for (long i = 0; i < 14; i += i == 4 ? 2 : 1) /* without FUTEX_WAKE_OP */
		CALL(futex, 1, i, 0, NULL, NULL, 0);
	for (long i = 0; i < 4; i++)
		CALL(sched_setscheduler, -1, i, NULL);
}

static void trace_bits(void)
{
	struct action action = { .flags = 0xdc000007 };
	struct epoll_event event = { .events = ~0u };
	struct pollfd descriptor = { NONE, 0x3fff, 0 };

	CALL(mmap, 1, 0, -1, 0x1ff173, NONE, 0);
	CALL(mremap, 1, 0, 0, -1, 0);
	CALL(msync, 1, 0, -1);
	CALL(mlockall, -1);
	CALL(unlinkat, -1, "", -1);
	CALL(newfstatat, -1, "", 8, -1);
	CALL(statx, -1, "", 0x9900, 0x3fff, 8);
	CALL(faccessat2, -1, "", -1, -1);
	CALL(access, "", -1);
	CALL(flock, NONE, -1);
	CALL(sendto, NONE, "", 0, 0x640dffff, NULL, 0);
	CALL(socket, AF_UNIX, -1, 0);
	CALL(accept4, NONE, NULL, NULL, -1);
	CALL(rt_sigaction, SIGKILL, &action, NULL, 8);
	CALL(epoll_ctl, NONE, EPOLL_CTL_ADD, 1, &event);
	CALL(poll, &descriptor, 1, 0);
	CALL(inotify_add_watch, NONE, "", -1);
	CALL(wait4, -5000000, NULL, -1, NULL);
	CALL(fallocate, NONE, -1, 0, 0);
	CALL(splice, NONE, NULL, NONE, NULL, 0, -1);
	CALL(renameat2, -1, "", -1, "", -1);
	CALL(mount, "", "", "", 0xfffee7df, NULL);
	CALL(umount2, "", -1);
	CALL(memfd_create, "", 7);
	CALL(getrandom, NULL, 0, -1);
	CALL(eventfd2, 0, -1);
	CALL(signalfd4, NONE, NULL, 8, -1);
	CALL(timerfd_create, 0, 0x80800);
	CALL(inotify_init1, -1);
	CALL(epoll_create1, -1);
	CALL(pipe2, NULL, -1);
	CALL(dup3, NONE, NONE, -1);
	CALL(close_range, 2000, 1000, -1);
	CALL(unshare, -1);
	CALL(setxattr, "", "", "", 0, -1);
	CALL(clock_nanosleep, 0, -1, 8, NULL);
}

void trace_all_values(void)
{
	trace_values();
	trace_bits();
}
