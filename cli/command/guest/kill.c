// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <cli/common/report.h>

static int report_process(pid_t pid, int error)
{
	if (error == ESRCH)
		return report("Process %d does not exist. `limpet guest ps` lists the guests.",
			      pid);
	if (error == EINVAL || error == ENOENT)
		return report(
			"Process %d is a thread. Name its process, the PID of `limpet guest ps`.",
			pid);
	if (error == EPERM)
		return report("Process %d belongs to another user. Run the command as root.", pid);
	return report("Process %d: %s", pid, strerror(error));
}

/* Sends the signal if the process is a guest. */
static int guest_signal(pid_t pid, int process, int signal)
{
	struct guest_list list;
	int code = guest_list_get(&list);
	bool found;

	if (code != COMMAND_OK)
		return code;
	found = guest_list_has(&list, pid);
	guest_list_free(&list);
	if (!found)
		return report(
			"Process %d is not a guest. `limpet guest ps` lists the guests, and kill(1) ends other "
			"processes.",
			pid);
	if (syscall(SYS_pidfd_send_signal, process, signal, NULL, 0))
		return report_process(pid, errno);
	return COMMAND_OK;
}

/*
 * Opens the process before checking it, so that another process with the same id does not get the
 * signal.
 */
static int guest_kill(pid_t pid, int signal)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int code;

	if (process < 0)
		return report_process(pid, errno);
	code = guest_signal(pid, process, signal);
	close(process);
	return code;
}

static int kill_main(const struct command *command, int argc, char **argv)
{
	int signal = SIGKILL;
	const struct command_option options[] = {
		OPTION_TAKE("signal", guest_signal_take, &signal,
			    "a number from 1 to 64 or a name such as TERM"),
		OPTION_END,
	};
	pid_t pid;
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 1, 1, "PID" },
			  &code) ||
	    !guest_pid_take(command, argv[optind], &pid, &code))
		return code;
	return guest_kill(pid, signal);
}

const struct command guest_kill_command = {
	.name = GUEST_PREFIX "kill",
	.summary = "ends a guest with a signal",
	.arguments = "PID [--signal N|NAME]",
	.help = "\n"
		"Refuses a process that is not a guest.\n\n"
		"  --signal KILL  name or number of the signal\n",
	.run = kill_main,
};
