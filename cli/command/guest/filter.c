// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <cli/common/report.h>

static int filter_set(pid_t pid, const uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	int fd = guest_open();
	int error;

	if (fd < 0)
		return COMMAND_REFUSED;
	error = limpet_guest_filter(fd, pid, filter);
	close(fd);
	return error < 0 ? guest_report_process("get the filter", pid, error) : COMMAND_OK;
}

static int filter_main(const struct command *command, int argc, char **argv)
{
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS];
	const char *calls = NULL;
	bool faults = false;
	const struct command_option options[] = {
		OPTION_TEXT("calls", &calls),
		OPTION_FLAG("faults", &faults),
		OPTION_END,
	};
	pid_t pid;
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 1, 1, "PID" },
			  &code) ||
	    !guest_pid_take(command, argv[optind], &pid, &code))
		return code;
	if (!calls)
		return report_usage(command, "--calls LIST is missing.");
	if (!guest_calls_take(command, calls, filter))
		return COMMAND_USAGE;
	guest_faults_take(faults, filter);
	return filter_set(pid, filter);
}

const struct command guest_filter_command = {
	.name = GUEST_PREFIX "filter",
	.summary = "changes which calls and faults of a guest go to its executive",
	.arguments = "PID --calls LIST [--faults]",
	.help = "\n"
		"For all threads of the process. The executive is not asked.\n\n"
		"  --calls LIST  as for `limpet guest run`\n"
		"  --faults      the same; without it no exceptions go to the executive\n",
	.run = filter_main,
};
