// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <cli/common/report.h>

/* Exit codes of a shell. The caller cannot distinguish them from the program's own. */
#define NOT_EXECUTABLE 126
#define NOT_FOUND 127

/* Executes the program in this process. Returns only if that failed. */
static int program_run(char **words)
{
	int error;

	execvp(words[0], words);
	error = errno;
	if (error == ENOENT) {
		report("%s: The program does not exist, or its interpreter is missing. Correct its path, or "
		       "PATH.",
		       words[0]);
		return NOT_FOUND;
	}
	if (error == EACCES)
		report("%s: The file is not executable. Check its permissions.", words[0]);
	else if (error == ENOEXEC)
		report("%s: The file is neither a program of this machine nor a script with #!.",
		       words[0]);
	else
		report("%s: The program cannot be executed: %s", words[0], strerror(error));
	return NOT_EXECUTABLE;
}

static int run_main(const struct command *command, int argc, char **argv)
{
	const struct command_arguments arguments = { 1, ARGUMENTS_PROGRAM, "PROGRAM" };
	struct guest_plan plan;
	int code, fd, error;

	if (!guest_plan_take(&plan, command, argc, argv, arguments, &code))
		return code;
	fd = guest_open();
	if (fd < 0 || !guest_find(&plan) || (plan.slice && !guest_slice_set(plan.slice)))
		return COMMAND_REFUSED;
	error = limpet_guest_enter(fd, plan.system, plan.component, plan.flags, plan.filter);
	if (error < 0)
		return guest_report_enter(&plan, error);
	return program_run(argv + optind);
}

const struct command guest_run_command = {
	.name = GUEST_PREFIX "run",
	.summary = "runs a program as a guest",
	.arguments =
		"[--executive NAME] [--calls LIST] [--faults] [--alone] [--open|--closed] [--slice US] [--] "
		"PROGRAM [ARG...]",
	.help = "\n"
		"The program runs in this process: its terminal, signals and exit status are its own.\n"
		"Its children and threads are guests, too. Words after PROGRAM are not options of this\n"
		"command. Exit codes 126 and 127: the program cannot be executed, or does not exist.\n\n"
		"  --executive NAME  component that handles the calls (the system's only executive,\n"
		"                    or the only one that is not behind another one);\n"
		"                    needs root\n"
		"  --calls LIST      calls that it handles, with commas between (all): names as in\n"
		"                    syscalls(2), numbers, rest, all or none; with a ! before the list\n"
		"                    all others. The rest are 32-bit calls and numbers from 511 on\n"
		"  --faults          the executive is asked about exceptions of the processor before Linux\n"
		"                    makes signals of them: invalid instructions, addresses, divisions\n"
		"  --alone           only PROGRAM: its children, its threads and what it executes are not\n"
		"  --open            calls go to Linux while the executive restarts and after the system\n"
		"                    has ended\n"
		"  --closed          they wait, and the program is killed when the system ends\n"
		"  --slice US        Linux 6.12 and later: time slice of the program's threads in\n"
		"                    microseconds, 100 to 100000. A thread that wakes up preempts threads\n"
		"                    with longer time slices\n\n"
		"The default is the executives' key `guests` in the system file; --closed without root.\n",
	.run = run_main,
};
