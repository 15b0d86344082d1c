// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include <cli/command/stop/stop.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>

static int stop_main(const struct command *command, int argc, char **argv)
{
	struct stop_times times = STOP_TIMES;
	bool all = false;
	const struct command_option options[] = {
		OPTION_NUMBER("grace", &times.grace, 0, 86400, " seconds"),
		OPTION_NUMBER("timeout", &times.timeout, 1, 86400, " seconds"),
		OPTION_FLAG("all", &all),
		OPTION_END,
	};
	int code, fd;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (all && system_choice())
		return report_usage(command, "--all and --system exclude each other.");
	if (all)
		return stop_all(&times);
	fd = system_open();
	if (fd < 0)
		return system_choice() ? system_report(fd) : stop_no_device(fd);
	code = stop_system(fd, &times);
	close(fd);
	return code;
}

const struct command stop_command = {
	.name = "stop",
	.summary = "stops the running system",
	.arguments = "[--all] [--grace S] [--timeout S]",
	.help = "\n"
		"First asks components that have a channel stop.NAME to finish, such as RTLinux modules,\n"
		"which then call cleanup_module(). Then stops the system, waits until all threads have left\n"
		"and the memory is free, and prints the system's name.\n"
		"If no system runs, the command prints that and exits with 0. A system that --system names\n"
		"must run, otherwise the exit code is 1.\n\n"
		"  --all         stop all systems\n"
		"  --grace 5     seconds that components have to finish; 0 does not ask them\n"
		"  --timeout 10  seconds until the command gives up, with exit code 1\n",
	.run = stop_main,
};
