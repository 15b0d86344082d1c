// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include <cli/command/guest/guest.h>

static int attach(struct guest_plan *plan, pid_t pid)
{
	int fd = guest_open();
	int error;

	if (fd < 0)
		return COMMAND_REFUSED;
	if (!guest_find(plan)) {
		close(fd);
		return COMMAND_REFUSED;
	}
	error = limpet_guest_attach(fd, pid, plan->system, plan->component, plan->flags,
				    plan->filter);
	close(fd);
	return error < 0 ? guest_report_attach(plan, pid, error) : COMMAND_OK;
}

static int attach_main(const struct command *command, int argc, char **argv)
{
	struct guest_plan plan;
	pid_t pid;
	int code;

	if (!guest_plan_take(&plan, command, argc, argv, (struct command_arguments){ 1, 1, "PID" },
			     &code) ||
	    !guest_pid_take(command, argv[optind], &pid, &code))
		return code;
	return attach(&plan, pid);
}

const struct command guest_attach_command = {
	.name = GUEST_PREFIX "attach",
	.summary = "makes a process a guest",
	.arguments = "PID [--executive NAME] [--calls LIST] [--faults] [--alone] [--open|--closed]",
	.help = "\n"
		"All threads of the process become guests. The options are those of `limpet guest run`.\n\n"
		"  --executive NAME  component that handles the calls (the system's only executive)\n"
		"  --calls LIST      calls that it handles (all)\n"
		"  --faults          it is asked about exceptions before Linux makes signals of them\n"
		"  --alone           only the process: its children, new threads and what it executes are not\n"
		"  --open            calls go to Linux while the executive cannot take them\n"
		"  --closed          they wait; the default is the key `guests` in the system file\n",
	.run = attach_main,
};
