// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/kernel_log.h>
#include <cli/common/report.h>
#include <cli/common/system.h>

#include "log_file.h"
#include "witness.h"

#define PIPE_FD 3 /* the first after standard error */
#define NO_LOG (-1)
#define IN_ORDER (-2) /* the host process ends in an orderly way */

/* Blocks all signals, as the host process does. Closes its files, and leaves its session. */
static bool witness_detach(int pipe_end)
{
	sigset_t all;

	prctl(PR_SET_NAME, "limpet-witness");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	return dup2(pipe_end, PIPE_FD) == PIPE_FD && !syscall(SYS_close_range, PIPE_FD + 1, ~0u, 0);
}

/* Reads the pipe until the host process has closed it. Returns IN_ORDER, the id of its log, or NO_LOG. */
static int64_t host_watch(void)
{
	int64_t word, last = NO_LOG;
	ssize_t got;

	while ((got = read(PIPE_FD, &word, sizeof(word))) == sizeof(word) ||
	       (got < 0 && errno == EINTR))
		if (got > 0 && last != IN_ORDER)
			last = word;
	return last;
}

static void death_write(int64_t log_id, const struct host_plan *plan, const char *line)
{
	const struct log_names names = log_names_of((uint32_t)log_id);
	struct log_file log;

	if (log_id != NO_LOG && !log_file_open(&log, LOG_FOLDER, names.now, names.old)) {
		log.system = plan->name;
		log_file_note(&log, "%s", line);
	}
	if (plan->foreground)
		report("%s", line);
}

/*
 * Waits until the host process has ended, and copies the reason from Linux's log. The module prints the reason when
 * Linux closes the process's last file. Linux does that before it reports the end of the process.
 */
static void witness_live(pid_t host, const struct host_plan *plan)
{
	int log = kernel_log_open();
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, host, 0), .events = POLLIN };
	char words[64], why[REPORT_LINE / 2], at[40], line[REPORT_LINE];
	int64_t log_id = host_watch();
	time_t now;

	if (log_id == IN_ORDER)
		return;
	while (end.fd >= 0 && poll(&end, 1, -1) < 0 && errno == EINTR)
		;
	now = time(NULL);
	strftime(at, sizeof(at), "%F %T %z", localtime(&now));
	snprintf(words, sizeof(words), "limpet: host process %d ", host);
	if (!kernel_log_find(log, words, why, sizeof(why)))
		snprintf(why, sizeof(why), "died, and Linux's log does not have the reason");
	report_line(line, sizeof(line), "%s: %s: host process %d %s", plan->name, at, host, why);
	death_write(log_id, plan, line);
}

int witness_start(struct witness *witness, const struct host_plan *plan)
{
	const pid_t host = getpid();
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child) {
		if (witness_detach(ends[0]))
			witness_live(host, plan);
		_exit(0);
	}
	close(ends[0]);
	witness->pipe = ends[1];
	return child < 0 ? -errno : 0;
}

static void word_write(const struct witness *witness, int64_t word)
{
	while (write(witness->pipe, &word, sizeof(word)) < 0 && errno == EINTR)
		;
}

void witness_log(const struct witness *witness, uint32_t id)
{
	word_write(witness, id);
}

void witness_end(const struct witness *witness)
{
	word_write(witness, IN_ORDER);
	close(witness->pipe);
}
