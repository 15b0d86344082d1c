// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "process.h"

#define OOM_FILE "/proc/self/oom_score_adj"
#define OOM_NEVER "-1000"

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

	prctl(PR_SET_NAME, "limpet-host");
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
	fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}
