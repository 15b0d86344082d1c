// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>

#include <cli/command/ps/print.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/system.h>

struct listing {
	bool json;
	bool printed; /* a system was printed */
};

static int print_next(int fd, void *to)
{
	static struct snapshot snapshot;
	struct listing *listing = to;

	if (snapshot_read_from(&snapshot, fd))
		return COMMAND_OK; /* the system has ended meanwhile */
	if (listing->printed && !listing->json)
		putchar('\n');
	listing->printed = true;
	(listing->json ? ps_print_json : ps_print)(stdout, &snapshot);
	snapshot_release(&snapshot);
	return COMMAND_OK;
}

/* Prints all systems, one after another, if several run and the user has not chosen one. */
static bool print_all(struct listing *listing)
{
	return !system_choice() && !systems_each(print_next, listing) && listing->printed;
}

static int ps_main(const struct command *command, int argc, char **argv)
{
	static struct snapshot snapshot;
	struct listing listing = { 0 };
	const struct command_option options[] = {
		OPTION_FLAG("json", &listing.json),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (print_all(&listing))
		return COMMAND_OK;
	if (!snapshot_take(&snapshot))
		return COMMAND_REFUSED;
	(listing.json ? ps_print_json : ps_print)(stdout, &snapshot);
	snapshot_release(&snapshot);
	return COMMAND_OK;
}

const struct command ps_command = {
	.name = "ps",
	.summary = "lists the components and threads of systems that run",
	.arguments = "[--json]",
	.help = "\n"
		"  FAULTS      faults of the component that were not repaired\n"
		"  INSIDE      invocations of the component that have not returned\n"
		"  THREAD OF   component in which the thread started\n"
		"  IS IN       component in which the thread is now\n"
		"  PRIORITY    priority in the system file; -: chosen by a spare thread's creator\n"
		"  DEPTH       depth of nested invocations\n"
		"  DISPATCHES  number of times that the scheduler dispatched the thread\n"
		"  MISSES      missed deadlines\n"
		"  CPU%        share of the thread's CPU\n\n"
		"The line of a dead thread shows the cause of its death. The line of a component shows\n"
		"whether its own thread is dead, or whether it is stopped and cannot be invoked.\n\n"
		"  --json  one JSON object for each system\n",
	.run = ps_main,
};
