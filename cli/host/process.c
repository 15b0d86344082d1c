// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cli/common/holder.h>
#include <limpet/device.h>

#include "process.h"

#define OOM_FILE "/proc/self/oom_score_adj"
#define OOM_NEVER "-1000"
#define NAME "limpet-host"
#define REPLACE_MS 10000
#define HOSTS_MAX 64

static int keep_from_oom(void)
{
	int fd = open(OOM_FILE, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, OOM_NEVER, strlen(OOM_NEVER)) < 0)
		error = errno;
	close(fd);
	return error;
}

int process_prepare(const char **what)
{
	sigset_t all;
	int error;

	prctl(PR_SET_NAME, NAME);
	*what = "protection against the out-of-memory killer";
	error = keep_from_oom();
	if (error)
		return error;
	*what = "blocking signals";
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL))
		return errno;
	*what = "mlockall";
	return mlockall(MCL_CURRENT | MCL_FUTURE) ? errno : 0;
}

int process_signals(void)
{
	sigset_t ours;
	int fd;

	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, PROCESS_REPLACE);
	fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Asks one process to end without its system. The process may have ended meanwhile. */
static int replace_one(pid_t pid)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int error = 0, ready;

	if (end.fd < 0)
		return errno == ESRCH ? 0 : -errno;
	if (syscall(SYS_pidfd_send_signal, end.fd, PROCESS_REPLACE, NULL, 0) && errno != ESRCH)
		error = -errno;
	while (!error && (ready = poll(&end, 1, REPLACE_MS)) <= 0)
		if (!ready)
			error = -ETIMEDOUT;
		else if (errno != EINTR)
			error = -errno;
	close(end.fd);
	return error;
}

int process_replace(pid_t *pid)
{
	static const struct holder_files device = { .root = "", .file = LIMPET_DEVICE };
	static struct holder holders[HOSTS_MAX];
	size_t count = holders_find(&device, holders, HOSTS_MAX);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		if (holders[i].user || strcmp(holders[i].program, NAME))
			continue;
		*pid = holders[i].pid;
		error = replace_one(*pid);
	}
	return error;
}
