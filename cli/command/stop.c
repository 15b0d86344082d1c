// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/command/stop.h>
#include <cli/common/text.h>
#include <client/device.h>

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

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
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
	printf("no system runs%s\n", why);
	return COMMAND_OK;
}

int stop_system(int fd, long timeout)
{
	double until = seconds_now() + (double)timeout;
	char name[LIMPET_NAME_MAX];
	int error;

	system_name(fd, name);
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
	long timeout;
	bool any; /* a system ran */
};

static int stop_one(int fd, void *to)
{
	struct stop_all *all = to;

	all->any = true;
	return stop_system(fd, all->timeout);
}

static int stop_no_device(int error)
{
	if (report_is_detached(error))
		return nothing_to_stop(": Limpet is not attached");
	return system_report(error);
}

int stop_all(long timeout)
{
	struct stop_all all = { .timeout = timeout };
	int code = systems_each(stop_one, &all);

	if (code < 0)
		return stop_no_device(code);
	return all.any ? code : nothing_to_stop("");
}

static int stop_main(const struct command *command, int argc, char **argv)
{
	long timeout = STOP_TIMEOUT;
	bool all = false;
	const struct command_option options[] = {
		OPTION_NUMBER("timeout", &timeout, 1, 86400, " seconds"),
		OPTION_FLAG("all", &all),
		OPTION_END,
	};
	int code, fd;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (all && system_choice())
		return report_usage(command, "--all and --system exclude each other.");
	if (all)
		return stop_all(timeout);
	fd = system_open();
	if (fd < 0)
		return system_choice() ? system_report(fd) : stop_no_device(fd);
	code = stop_system(fd, timeout);
	close(fd);
	return code;
}

const struct command stop_command = {
	.name = "stop",
	.summary = "stops the running system",
	.arguments = "[--all] [--timeout S]",
	.help = "\n"
		"Waits until all threads have left and the memory is free, and prints the system's name.\n"
		"If no system runs, the command prints that and exits with 0. A system that --system names\n"
		"must run, otherwise the exit code is 1.\n\n"
		"  --all         stop all systems\n"
		"  --timeout 10  seconds until the command gives up, with exit code 1\n",
	.run = stop_main,
};
