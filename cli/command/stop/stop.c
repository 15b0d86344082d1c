// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/stop/stop.h>
#include <cli/common/command.h>
#include <cli/common/finish.h>
#include <cli/common/report.h>
#include <cli/common/rings.h>
#include <cli/common/system.h>
#include <cli/common/text.h>
#include <client/device.h>

#define SHOW_AFTER 2.0	/* seconds until a wait is shown */
#define LOOK_NS 5000000 /* interval of checks of components that finish */

static void wake(int signal)
{
	(void)signal;
}

/* Makes a waiting ioctl return with EINTR after this time. */
static void set_alarm(long seconds)
{
	struct sigaction action = { .sa_handler = wake };

	sigaction(SIGALRM, &action, NULL);
	alarm((unsigned int)seconds);
}

/* Waits until the host process has written its last lines and has closed its descriptor. */
static bool wait_empty(int fd, double until)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	struct limpet_ioc_info info;

	/*
	 * Without a selected system, the system has ended if none runs. A selected system has ended
	 * if the call fails.
	 */
	while (!limpet_info(fd, &info)) {
		if (info.state == LIMPET_STATE_EMPTY)
			return true;
		if (seconds_now() > until)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static int report_slow(int fd, long timeout)
{
	struct limpet_ioc_info info;

	if (limpet_info(fd, &info))
		info.host_pid = 0;
	return report("The system has not ended within %ld s. `kill -9 %d` ends its host process.",
		      timeout, info.host_pid);
}

/* Reports success if no system runs, as `systemctl stop` does. */
static int nothing_to_stop(const char *why)
{
	printf("No system runs%s.\n", why);
	return COMMAND_OK;
}

static void finish_say(void *to, const char *line)
{
	(void)to;
	report("%s", line);
}

/* Asks the system's components to finish, and waits for them at most `grace` seconds. */
static void wait_finished(int fd, long grace)
{
	struct finish finish = { .say = finish_say };
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	bool shown = false;

	finish_begin(&finish, fd, grace);
	while (!finish_step(&finish)) {
		if (!shown && finish_seconds(&finish) > SHOW_AFTER)
			fprintf(stderr, "waiting up to %ld s until component '%s' has finished\n",
				grace, finish.owners->name);
		shown = shown || finish_seconds(&finish) > SHOW_AFTER;
		nanosleep(&pause, NULL);
	}
	finish_end(&finish);
}

int stop_system(int fd, const struct stop_times *times)
{
	const long timeout = times->timeout;
	char name[LIMPET_NAME_MAX];
	double until;
	int error;

	system_name(fd, name);
	wait_finished(fd, times->grace);
	until = seconds_now() + (double)timeout;
	set_alarm(timeout);
	error = limpet_stop(fd);
	alarm(0);
	if (error == -ENODEV)
		return nothing_to_stop("");
	if (error == -EINTR)
		return report_slow(fd, timeout);
	if (error < 0)
		return report("LIMPET_IOC_STOP: %s", strerror(-error));
	if (!wait_empty(fd, until))
		return report_slow(fd, timeout);
	printf("stopped %s\n", name);
	return COMMAND_OK;
}

struct stop_all {
	const struct stop_times *times;
	bool any; /* a system ran */
};

static int stop_one(int fd, void *to)
{
	struct stop_all *all = to;

	all->any = true;
	return stop_system(fd, all->times);
}

int stop_no_device(int error)
{
	if (report_is_detached(error))
		return nothing_to_stop(", because Limpet is not attached");
	return system_report(error);
}

int stop_all(const struct stop_times *times)
{
	struct stop_all all = { .times = times };
	int code = systems_each(stop_one, &all);

	if (code < 0)
		return stop_no_device(code);
	return all.any ? code : nothing_to_stop("");
}
