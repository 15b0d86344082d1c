// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <limpet/node.h>

#include <cli/command/debug/find.h>
#include <cli/command/debug/loop.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/program.h>
#include <cli/common/report.h>
#include <cli/common/snapshot.h>
#include <cli/common/system.h>
#include <client/call.h>

#define CALL_MS 2000	/* time limit for the supervisor's answer */
#define SETTLE_MS 10	/* time between two polls after an attach */
#define GDB_ARGUMENTS 6 /* arguments of gdb in addition to the user's */

static int report_channel(const char *name, int error)
{
	if (error == -EBUSY)
		return report("%s%s is open in another process. End that debugger first.",
			      LIMPET_NODES, name);
	return report("%s%s: %s", LIMPET_NODES, name, strerror(-error));
}

static int report_attach(const char *name, long status)
{
	if (status == LIMPET_EBUSY)
		return report(
			"Another debugger uses the supervisor of component '%s', or a crash or an update of the "
			"component is being handled. End the other debugger, or try again.",
			name);
	if (status == LIMPET_ESTATE)
		return report(
			"Component '%s' cannot be debugged. It is stopped, or it is a scheduler, a memory "
			"manager, the log or a program that handles its own faults.",
			name);
	return report("Component '%s': %s", name, limpet_call_text(status));
}

/* Waits a short time for the first stopped thread. If no thread executes in the component, no thread stops. */
static void settle(struct remote *remote)
{
	const struct timespec pause = { .tv_nsec = SETTLE_MS * 1000000l };

	for (int polls = 0; polls < REMOTE_PATIENCE && !remote_settled(remote); polls++)
		nanosleep(&pause, NULL);
}

/* Serves gdb on the standard input and output. */
static int serve(const char *name, const struct debug_place *place)
{
	struct limpet_caller caller;
	struct remote *remote = calloc(1, sizeof(*remote));
	int error = limpet_caller_open(&caller, place->channel, CALL_MS);
	long status;

	if (error || !remote) {
		free(remote);
		return error ? report_channel(place->channel, error)
			     : report("There is not enough memory.");
	}
	loop_signals();
	remote->target = target_of(&caller);
	status = target_attach(&caller, place->component);
	if (!status) {
		settle(remote);
		status = loop_run(remote, STDIN_FILENO, STDOUT_FILENO);
		if (status)
			report("Component '%s': The session is lost: %s", name,
			       limpet_call_text(status));
	} else {
		report_attach(name, status);
	}
	limpet_caller_close(&caller);
	free(remote);
	return status ? COMMAND_REFUSED : COMMAND_OK;
}

/* Finds the component's ELF file: `symbols` itself, or NAME.elf in that folder. Returns false after an error. */
static bool symbols_find(const char *symbols, const char *name, char path[PATH_MAX])
{
	struct stat file;

	snprintf(path, PATH_MAX, "%s", symbols);
	if (!stat(path, &file) && S_ISDIR(file.st_mode))
		snprintf(path, PATH_MAX, "%s/%s.elf", symbols, name);
	if (!access(path, R_OK))
		return true;
	report("%s: %s. Give --symbols the folder that `limpet-compose --debug` wrote.", path,
	       strerror(errno));
	return false;
}

/* Starts gdb, which starts this program again as the other end of its pipe. Returns only after an error. */
static int gdb_run(const char *symbols, char **argv)
{
	char self[PATH_MAX], file[PATH_MAX], target[PATH_MAX + 256];
	const char *arguments[64] = { "gdb", "-q", "-ex", target };
	unsigned int count = 4;

	if (symbols) {
		if (!symbols_find(symbols, argv[0], file))
			return COMMAND_REFUSED;
		arguments[count++] = file;
	}
	if (!program_path(self) || strchr(self, '\''))
		return report("The path of this program cannot be passed to gdb.");
	snprintf(target, sizeof(target), "target remote | exec '%s' debug --stdio %s", self,
		 argv[0]);
	for (argv++; *argv; argv++) {
		if (count == sizeof(arguments) / sizeof(arguments[0]) - 1)
			return report("gdb gets at most %zu arguments.",
				      sizeof(arguments) / sizeof(arguments[0]) - 1 - GDB_ARGUMENTS);
		arguments[count++] = *argv;
	}
	system_choice_export();
	execvp("gdb", (char **)arguments);
	return report("gdb: %s. Install gdb, or run it on another machine. See limpet-debug(1).",
		      strerror(errno));
}

static int debug_main(const struct command *command, int argc, char **argv)
{
	const char *symbols = NULL;
	bool stdio = false;
	const struct command_option options[] = {
		OPTION_TEXT("symbols", &symbols),
		OPTION_FLAG("stdio", &stdio),
		OPTION_END,
	};
	const struct command_arguments arguments = { 1, ARGUMENTS_PROGRAM, "The component" };
	struct snapshot snapshot;
	struct debug_place place;
	bool found;
	int code;

	if (!options_take(command, argc, argv, options, arguments, &code))
		return code;
	if (!snapshot_take(&snapshot))
		return COMMAND_REFUSED;
	found = debug_find(&snapshot.image, argv[optind], &place);
	snapshot_release(&snapshot);
	if (!found)
		return COMMAND_REFUSED;
	return stdio ? serve(argv[optind], &place) : gdb_run(symbols, argv + optind);
}

const struct command debug_command = {
	.name = "debug",
	.summary = "debugs a component with gdb while the system runs",
	.arguments = "[--symbols PATH] [--stdio] COMPONENT [GDB-ARGUMENT...]",
	.help = "\n"
		"Stops the threads of a component and starts gdb for it. All other components continue.\n"
		"When gdb ends or detaches, the component continues, without breakpoints.\n\n"
		"  --symbols PATH  the component's ELF file, or the folder that limpet-compose --debug wrote\n"
		"  --stdio         serve gdb's remote protocol on the standard input and output, for\n"
		"                  gdb's command `target remote | limpet debug --stdio COMPONENT`\n",
	.run = debug_main,
};
