// SPDX-License-Identifier: GPL-2.0
/*
 * Tests interrupted calls that wait for children, which Linux restarts, and for several files, which it never
 * restarts after a handler. After a stop only calls of epoll end with EINTR. Argument: the probe's mode, or `plain`
 * for a process that is not a guest.
 */
#include "interrupted.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* --- children */

/* Starts a process that ends after finish(), or with its parent. */
static pid_t grandchild(void)
{
	const pid_t pid = fork();
	char byte;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(read(gate[0], &byte, 1) != 1);
	}
	return pid;
}

static long call_wait4(void)
{
	const pid_t pid = grandchild();

	child_ready();
	const long got = raw6(SYS_wait4, pid, 0, 0, 0, 0, 0);

	return got == pid ? 1 : got;
}

static long call_waitpid_any(void)
{
	const pid_t pid = grandchild();

	child_ready();
	const long got = raw6(SYS_wait4, -1, 0, 0, 0, 0, 0);

	return got == pid ? 1 : got;
}

static long call_waitid(void)
{
	const pid_t pid = grandchild();
	siginfo_t info;

	child_ready();
	return raw6(SYS_waitid, P_PID, pid, (long)&info, WEXITED, 0, 0);
}

/* --- files. Calls with a mask unblock the signal for their time only */

struct mask {
	const sigset_t *set;
	size_t bytes;
};

static struct pollfd *poll_of_gate(void)
{
	static struct pollfd ready;

	ready = (struct pollfd){ gate[0], POLLIN, 0 };
	return &ready;
}

static fd_set *set_of_gate(void)
{
	static fd_set set;

	FD_ZERO(&set);
	FD_SET(gate[0], &set);
	return &set;
}

static long call_poll(void)
{
	child_ready();
	return raw(SYS_poll, (long)poll_of_gate(), 1, LONG_S * 1000);
}

static long call_poll_endless(void)
{
	child_ready();
	return raw(SYS_poll, (long)poll_of_gate(), 1, -1);
}

static long call_poll_short(void)
{
	child_ready();
	return raw(SYS_poll, (long)poll_of_gate(), 1, SHORT_MS);
}

static long ppoll_until(const struct timespec *limit)
{
	struct timespec time = *limit;

	signal_block(SIGUSR1);
	child_ready();
	return raw6(SYS_ppoll, (long)poll_of_gate(), 1, (long)&time, (long)&no_signals, MASK_BYTES,
		    0);
}

static long call_ppoll(void)
{
	return ppoll_until(&long_time);
}

static long call_ppoll_short(void)
{
	return ppoll_until(&short_time);
}

static long call_select(void)
{
	struct timeval time = { LONG_S, 0 };

	child_ready();
	return raw6(SYS_select, gate[0] + 1, (long)set_of_gate(), 0, 0, (long)&time, 0);
}

static long pselect_until(const struct timespec *limit)
{
	struct timespec time = *limit;
	struct mask mask = { &no_signals, MASK_BYTES };

	signal_block(SIGUSR1);
	child_ready();
	return raw6(SYS_pselect6, gate[0] + 1, (long)set_of_gate(), 0, 0, (long)&time, (long)&mask);
}

static long call_pselect(void)
{
	return pselect_until(&long_time);
}

static long call_pselect_short(void)
{
	return pselect_until(&short_time);
}

static int epoll_of_gate(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	const int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, gate[0], &event);
	return fd;
}

static long call_epoll_wait(void)
{
	struct epoll_event event;
	const int fd = epoll_of_gate();

	child_ready();
	return raw6(SYS_epoll_wait, fd, (long)&event, 1, -1, 0, 0);
}

static long call_epoll_wait_limit(void)
{
	struct epoll_event event;
	const int fd = epoll_of_gate();

	child_ready();
	return raw6(SYS_epoll_wait, fd, (long)&event, 1, LONG_S * 1000, 0, 0);
}

static long call_epoll_pwait(void)
{
	struct epoll_event event;
	const int fd = epoll_of_gate();

	signal_block(SIGUSR1);
	child_ready();
	return raw6(SYS_epoll_pwait, fd, (long)&event, 1, -1, (long)&no_signals, MASK_BYTES);
}

static long call_epoll_pwait2(void)
{
	struct epoll_event event;
	const int fd = epoll_of_gate();

	signal_block(SIGUSR1);
	child_ready();
	return raw6(SYS_epoll_pwait2, fd, (long)&event, 1, (long)&long_time, (long)&no_signals,
		    MASK_BYTES);
}

static const struct interrupted tests[] = {
	{ "wait4", NULL, call_wait4, gate_open, 1, true, false, NULL },
	{ "waitpid of any child", NULL, call_waitpid_any, gate_open, 1, true, false, NULL },
	{ "waitid", NULL, call_waitid, gate_open, 0, true, false, NULL },
	{ "poll", NULL, call_poll, gate_open, 1, false, false, NULL },
	{ "poll without a limit", NULL, call_poll_endless, gate_open, 1, false, false, NULL },
	{ "poll to its limit", NULL, call_poll_short, NULL, 0, false, false, NULL },
	{ "ppoll", NULL, call_ppoll, gate_open, 1, false, false, NULL },
	{ "ppoll to its limit", NULL, call_ppoll_short, NULL, 0, false, false, NULL },
	{ "select", NULL, call_select, gate_open, 1, false, false, NULL },
	{ "pselect", NULL, call_pselect, gate_open, 1, false, false, NULL },
	{ "pselect to its limit", NULL, call_pselect_short, NULL, 0, false, false, NULL },
	{ "epoll_wait", NULL, call_epoll_wait, gate_open, 1, false, true, NULL },
	{ "epoll_wait with a limit", NULL, call_epoll_wait_limit, gate_open, 1, false, true, NULL },
	{ "epoll_pwait", NULL, call_epoll_pwait, gate_open, 1, false, true, NULL },
	{ "epoll_pwait2", NULL, call_epoll_pwait2, gate_open, 1, false, true, NULL },
};

int main(int argc, char **argv)
{
	interrupted_init(argc, argv);
	interrupted_all(tests, sizeof(tests) / sizeof(*tests));
	return interrupted_finish();
}
