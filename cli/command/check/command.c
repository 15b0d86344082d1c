// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/check/check.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>

#define SECONDS_MAX 1000000.0

bool check_seconds_take(void *to, const char *value)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 0.001 }, { "m", 60 }, { "h", 3600 } };
	double *seconds = to;
	char *end;
	const double number = strtod(value, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (end != value && !strcmp(end, units[i].unit)) {
			*seconds = number * units[i].seconds;
			return *seconds > 0 && *seconds <= SECONDS_MAX;
		}
	return false;
}

/* Reports an error of check_watch(). Returns COMMAND_REFUSED. */
static int error_report(int error)
{
	if (error == -ENOENT)
		return report(
			"This system has no periodic thread. A thread becomes periodic with sched_periodic().");
	if (error == -EBUSY)
		return report("Another command reads this system's trace. Wait until it ends.");
	return report("The system cannot be checked: %s", strerror(-error));
}

int check_measure(struct check *check, int fd, const struct check_options *options)
{
	int error;

	if (options->load && !load_start())
		return COMMAND_REFUSED;
	check->late_ns = (uint64_t)options->late * 1000;
	error = check_watch(check, fd, "", options->seconds);
	if (options->load)
		load_stop();
	return error ? error_report(error) : COMMAND_OK;
}

/* Prints the result. Returns COMMAND_REFUSED if a thread is not real-time, or if the system ended. */
static int check_end(struct check *check, bool json)
{
	int code = check->ended ? COMMAND_REFUSED : COMMAND_OK;

	check_judge(check);
	if (json)
		check_print_json(stdout, check);
	else
		check_print(stdout, check);
	for (unsigned int i = 0; i < check->threads; i++)
		if (check->thread[i].verdict == CHECK_FAILED ||
		    check->thread[i].verdict == CHECK_IDLE)
			code = COMMAND_REFUSED;
	return code;
}

static int check_run(struct check *check, const struct check_options *options)
{
	int fd = system_open(), code;

	if (fd < 0)
		return system_report(fd);
	code = check_measure(check, fd, options);
	if (code == COMMAND_OK)
		code = check_end(check, options->json);
	close(fd);
	return code;
}

static int check_main(const struct command *command, int argc, char **argv)
{
	static struct check check;
	struct check_options chosen = CHECK_OPTIONS_DEFAULT;
	const struct command_option options[] = {
		CHECK_OPTIONS(chosen),
		CHECK_OPTION_LATE(chosen),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ .high = 1 },
			  &code))
		return code;
	if (optind < argc)
		system_choose(argv[optind]);
	if (!snapshot_take(&check.snapshot))
		return COMMAND_REFUSED;
	code = check_run(&check, &chosen);
	check_release(&check);
	snapshot_release(&check.snapshot);
	return code;
}

const struct command check_command = {
	.name = "check",
	.summary = "checks whether periodic threads meet their deadlines, and prints causes",
	.arguments = "[SYSTEM] [--for TIME] [--late US] [--load] [--json]",
	.help = "\n"
		"SYSTEM is the name or number of a system, needed only while several systems run.\n\n"
		"  --for TIME  duration, as 60s, 5m or 500ms. Default: 10s\n"
		"  --late US   a thread also fails if a job starts more than US µs after its release\n"
		"  --load      keep all CPUs of Linux busy during the check: computing, memory, processes, files\n"
		"  --json      one JSON object; times in µs\n\n"
		"A job begins at its release and ends when the thread waits for its next period. Its deadline\n"
		"is its next release. Exit codes: 0 all periodic threads are real-time, 1 one is not, or its\n"
		"jobs do not end, or the system cannot be checked, 2 wrong usage.\n",
	.run = check_main,
};
