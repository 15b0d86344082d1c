// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cli/common/holder.h>
#include <cli/common/text.h>

/*
 * Copies the path of a link or map in /proc if it is in `folder`, or is that file. A deleted node is "PATH (deleted)"
 * there.
 */
static bool file_take(const char *folder, const char *path, char *file, size_t size)
{
	const char *end = strstr(path, " (deleted)");
	const size_t prefix = strlen(folder),
		     length = end ? (size_t)(end - path) : strcspn(path, "\n");

	if (strncmp(path, folder, prefix) != 0 || (folder[prefix - 1] != '/' && length != prefix))
		return false;
	snprintf(file, size, "%.*s", (int)length, path);
	return true;
}

static bool descriptors_look(const char *folder, pid_t pid, char *file, size_t size)
{
	char path[320];
	char target[256];
	bool found = false;
	const struct dirent *entry;
	DIR *open_files;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	open_files = opendir(path);
	while (open_files && !found && (entry = readdir(open_files))) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = 0;
		found = file_take(folder, target, file, size);
	}
	if (open_files)
		closedir(open_files);
	return found;
}

/* Looks for mapped files, because a mapping keeps a file open after its descriptor is closed. */
static bool maps_look(const char *folder, pid_t pid, char *file, size_t size)
{
	char path[32];
	char line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		const char *at = strstr(line, folder);

		found = at && file_take(folder, at, file, size);
	}
	if (maps)
		fclose(maps);
	return found;
}

static bool holder_look(const char *folder, struct holder *holder)
{
	char path[32];

	if (!descriptors_look(folder, holder->pid, holder->file, sizeof(holder->file)) &&
	    !maps_look(folder, holder->pid, holder->file, sizeof(holder->file)))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", holder->pid);
	if (!text_read("", path, holder->program, sizeof(holder->program)))
		strcpy(holder->program, "?");
	return true;
}

size_t holders_find(const char *folder, struct holder *list, size_t max)
{
	const struct dirent *entry;
	DIR *processes = opendir("/proc");
	size_t count = 0;

	while (processes && count < max && (entry = readdir(processes))) {
		struct holder *holder = &list[count];

		holder->pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (isdigit((unsigned char)*entry->d_name) && holder->pid != getpid() &&
		    holder_look(folder, holder))
			count++;
	}
	if (processes)
		closedir(processes);
	return count;
}

void holders_name(const struct holder *list, size_t count, char *text, size_t size)
{
	size_t length = 0;

	*text = 0;
	for (size_t i = 0; i < count && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%d (%s) has %s",
					   i ? ", " : "", list[i].pid, list[i].program,
					   list[i].file);
}

int holder_kill(const char *folder, const struct holder *holder)
{
	struct holder now = { .pid = holder->pid };
	int process = (int)syscall(SYS_pidfd_open, holder->pid, 0);
	int error = 0;

	if (process < 0)
		return -errno;
	if (!holder_look(folder, &now))
		error = -ESRCH;
	else if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0))
		error = -errno;
	close(process);
	return error;
}
