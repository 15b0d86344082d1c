// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/report.h>

#include "host_life.h"

/* Reports the start through a pipe: "+" for success, or "-" and the line. */
static void report_to_pipe(void *to, const char *line)
{
	int *pipe_end = to;

	dprintf(*pipe_end, "%s%s", line ? "-" : "+", line ? line : "");
	close(*pipe_end);
}

/* Detaches the daemon from the terminal that has started it. */
static void daemon_detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (chdir("/"))
		return;
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
}

static int wait_for_report(int pipe_end, pid_t pid, const char *name)
{
	char text[REPORT_LINE + 1];
	size_t size = 0;
	ssize_t got;

	while (size < sizeof(text) - 1 &&
	       (got = read(pipe_end, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	text[size] = 0;
	if (*text == '-')
		return report("%s", text + 1);
	if (*text != '+')
		return report("%s: The host process %d died at its start. See `dmesg`.", name, pid);
	printf("%s runs, host process %d\n", name, pid);
	return COMMAND_OK;
}

int host_daemon(const struct host_plan *plan)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return report("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return report("fork: %s", strerror(errno));
	if (!pid) {
		daemon_detach();
		_exit(host_live(plan, report_to_pipe, &ends[1]));
	}
	close(ends[1]);
	return wait_for_report(ends[0], pid, plan->name);
}
