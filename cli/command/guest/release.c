// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include <cli/command/guest/guest.h>

static int release(pid_t pid)
{
	int fd = guest_open();
	int error;

	if (fd < 0)
		return COMMAND_REFUSED;
	error = limpet_guest_release(fd, pid);
	close(fd);
	return error < 0 ? guest_report_process("be released", pid, error) : COMMAND_OK;
}

static int release_main(const struct command *command, int argc, char **argv)
{
	const struct command_option options[] = { OPTION_END };
	pid_t pid;
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 1, 1, "PID" },
			  &code) ||
	    !guest_pid_take(command, argv[optind], &pid, &code))
		return code;
	return release(pid);
}

const struct command guest_release_command = {
	.name = GUEST_PREFIX "release",
	.summary = "makes a guest an ordinary process",
	.arguments = "PID",
	.help = "\nThe process continues, and all its calls go to Linux.\n",
	.run = release_main,
};
