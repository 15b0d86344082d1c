// SPDX-License-Identifier: GPL-2.0
/* Makes calls about ready descriptors, signals, and time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "traced.h"

static void trace_poll(const int *fds)
{
	struct pollfd list[] = { { fds[0], POLLIN, 0 }, { fds[1], POLLOUT | POLLIN, 0 } };
	struct timespec time = { 0, 1000 };

	CALL(poll, list, 2, 10);
	CALL(poll, list, 1, 0);
	CALL(poll, NULL, 0, 0);
	CALL(poll, 16, 2, 0);
	CALL(ppoll, list, 1, &time, NULL, 8);
	time = (struct timespec){ 1000, 0 };
	CALL(ppoll, list, 2, &time, NULL, 0);
	CALL(ppoll, list + 1, 1, NULL, NULL, 0);
}

static void trace_select(const int *fds)
{
	struct timespec time = { 0, 0 };
	struct timeval none = { 0, 0 };
	fd_set in, out;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fds[0], &in);
	FD_SET(fds[1], &out);
	FD_SET(fds[0], &out);
	CALL(select, fds[1] + 1, &in, &out, NULL, &none);
	CALL(select, fds[0] + 1, &in, NULL, NULL, &none);
	CALL(select, 0, NULL, NULL, NULL, &none);
	CALL(select, -1, &in, &out, NULL, &none);
	CALL(select, 10, 16, NULL, NULL, NULL);
	CALL(pselect6, fds[1] + 1, NULL, &out, NULL, &time, NULL);
}

static void trace_epoll(const int *fds)
{
	struct epoll_event event = { EPOLLIN | EPOLLET, { .u64 = 0x1234567890 } }, events[4];
	long fd = CALL(epoll_create1, EPOLL_CLOEXEC);

	CALL(epoll_create, 1);
	CALL(epoll_ctl, fd, EPOLL_CTL_ADD, fds[0], &event);
	CALL(epoll_ctl, fd, EPOLL_CTL_DEL, fds[0], &event);
	event.events = EPOLLOUT;
	CALL(epoll_ctl, fd, EPOLL_CTL_ADD, fds[1], &event);
	CALL(epoll_wait, fd, events, 4, 0);
	CALL(epoll_pwait, fd, events, 4, 0, NULL, 8);
	CALL(epoll_wait, -1, events, 4, 0);
}

void trace_ready(void)
{
	int fds[2], other[2];

	CALL(pipe2, fds, O_CLOEXEC | O_NONBLOCK);
	CALL(pipe, other);
	CALL(pipe, NULL);
	trace_poll(fds);
	trace_select(fds);
	trace_epoll(fds);
}

/* The kernel's struct sigaction. */
struct action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

void trace_signals(void)
{
	struct action action = { SIG_IGN, SA_RESTART | SA_SIGINFO, NULL, 1 << 3 }, old;
	sigset_t set;
	stack_t stack;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGRTMIN + 3);
	CALL(rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
	memset(&set, 0xff, sizeof(set));
	CALL(rt_sigprocmask, SIG_UNBLOCK, &set, &set, 8);
	CALL(rt_sigprocmask, SIG_SETMASK, NULL, &set, 8);
	CALL(rt_sigprocmask, 77, NULL, NULL, 8);
	CALL(rt_sigprocmask, SIG_BLOCK, &set, NULL, 7);
	CALL(rt_sigaction, SIGUSR1, &action, &old, 8);
	CALL(rt_sigaction, SIGUSR1, NULL, &old, 8);
	action.handler = (void *)0x1234;
	action.flags = 0x04000000; /* with a restorer */
	CALL(rt_sigaction, 40, &action, NULL, 8);
	CALL(rt_sigaction, 32, &action, NULL, 8);
	CALL(rt_sigaction, 0, NULL, NULL, 8);
	CALL(rt_sigpending, &set, 8);
	CALL(sigaltstack, NULL, &stack);
	CALL(kill, -5000000, SIGTERM);
	CALL(kill, own_id, 0);
	CALL(tgkill, own_id, own_id, 0);
	CALL(tkill, -1, 64);
	CALL(kill, -5000000, 65);
}

void trace_time(void)
{
	struct itimerspec timer = { { 0, 0 }, { 1000, 2 } };
	struct itimerval interval = { { 0, 0 }, { 0, 0 } };
	struct timespec time = { 0, 1000 };
	struct timeval now;
	struct tms ticks;
	long fd = CALL(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC);

	CALL(timerfd_settime, fd, 0, &timer, &timer);
	CALL(timerfd_settime, fd, TFD_TIMER_ABSTIME, &timer, NULL);
	CALL(timerfd_gettime, fd, &timer);
	CALL(setitimer, ITIMER_REAL, &interval, NULL);
	CALL(getitimer, ITIMER_VIRTUAL, &interval);
	CALL(nanosleep, &time, NULL);
	CALL(nanosleep, &time, &time);
	CALL(nanosleep, 8, NULL);
	CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &time, &time);
	time.tv_sec = 1;
	CALL(clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL);
	CALL(clock_gettime, CLOCK_REALTIME, &time);
	CALL(clock_gettime, 100, &time);
	CALL(clock_getres, CLOCK_BOOTTIME, &time);
	CALL(gettimeofday, &now, NULL);
	CALL(times, &ticks);
	CALL(alarm, 0);
}
