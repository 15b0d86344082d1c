// SPDX-License-Identifier: GPL-2.0
/* Unloads the module, and ends the processes that prevent it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/holder.h>
#include <cli/common/module.h>
#include <cli/common/report.h>
#include <cli/common/rings.h>

#define HOLDERS 64    /* maximum number of processes that a refusal names */
#define FORCE_TIME 10 /* seconds in which processes are killed */

static bool is_busy(int error)
{
	return error == EAGAIN || error == EBUSY;
}

/* Asks Linux to unload the module. Returns 0 or errno. */
static int unload_try(void)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int error = 0;

	/* A host process that is exiting may keep the device open for a moment. */
	for (int i = 0; i < 200; i++) {
		if (!syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK))
			return 0;
		error = errno;
		if (!is_busy(error))
			break;
		nanosleep(&pause, NULL);
	}
	return error;
}

struct force {
	const struct holder_files *files;
	double until; /* seconds_now() */
	bool found;
};

static bool holder_end(const struct holder *holder, void *to)
{
	struct force *force = to;

	force->found = true;
	if (!holder_kill(force->files, holder))
		printf("killed process %d (%s), which had %s open\n", holder->pid, holder->program,
		       holder->file);
	return seconds_now() < force->until;
}

/*
 * Kills processes until Linux unloads the module. Several searches can be necessary, because a child that was born
 * during a search can be missed.
 */
static int unload_force(const struct holder_files *files)
{
	struct force force = { .files = files, .until = seconds_now() + FORCE_TIME };
	int error = unload_try();

	while (is_busy(error) && seconds_now() < force.until) {
		force.found = false;
		holders_visit(files, holder_end, &force);
		if (!force.found)
			break;
		error = unload_try();
	}
	return error;
}

static int report_holders(const struct holder_files *files, bool killed)
{
	struct holder list[HOLDERS];
	char text[REPORT_LINE - 128];
	size_t count = holders_find(files, list, HOLDERS);
	const char *which = count == 1 ? "that process" : "these processes";

	if (!count)
		return report(
			"A file of Limpet is open, but /proc shows no process that has it. It can be in a message "
			"of a socket, registered with io_uring, or open in another PID namespace. End the process "
			"that has it there.");
	holders_name(list, count, text, sizeof(text));
	if (killed)
		return report("%s open. Killing %s has not helped within %d s.", text, which,
			      FORCE_TIME);
	return report("%s open. End %s first, or run `limpet detach --force`.", text, which);
}

int module_unload(const char *root, bool force)
{
	const struct holder_files files = { .root = root };
	int error = force ? unload_force(&files) : unload_try();

	if (!error)
		return COMMAND_OK;
	if (error == ENOENT)
		return report("Limpet is not attached.");
	if (is_busy(error))
		return report_holders(&files, force);
	if (error == EPERM)
		return report("Unloading modules is not permitted. Run the command as root.");
	return report("delete_module: %s", strerror(error));
}
