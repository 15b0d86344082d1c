// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cli/common/holder.h>
#include <cli/common/node.h>
#include <cli/common/text.h>

/* From headers of Linux that are not on musl-gcc's path. */
#define STAT_KNOWN 0x4000 /* AT_STATX_DONT_SYNC */
#define KCMP_TABLES 2	  /* KCMP_FILES */

struct search {
	const struct holder_files *files;
	dev_t number;	      /* of files->file, if it is a device node */
	struct holder holder; /* the process that is searched */
};

static struct search search_begin(const struct holder_files *files)
{
	struct search search = { .files = files };
	struct stat status;

	if (files->file && !stat(files->file, &status) && S_ISCHR(status.st_mode))
		search.number = status.st_rdev;
	return search;
}

/* Removes the word that /proc appends to the path of a removed file. */
static void path_clean(char *path)
{
	static const char removed[] = " (deleted)";
	const size_t length = strlen(path), word = sizeof(removed) - 1;

	if (length > word && !strcmp(path + length - word, removed))
		path[length - word] = 0;
}

/* Replaces all bytes that are not printable ASCII, for a terminal. Ends the text at `size` bytes. */
static void text_take(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%.*s", (int)size - 1, text);
	for (; *to; to++)
		if (*to < ' ' || *to > '~')
			*to = '?';
}

static bool memory_fits(const struct search *search, const char *name)
{
	return !search->files->file && node_has_name(name);
}

/* `link` is a link of /proc to an open file. Does not wait for the server of a file system. */
static bool number_fits(const struct search *search, const char *link)
{
	struct stat status;

	if (fstatat(AT_FDCWD, link, &status, STAT_KNOWN) || !S_ISCHR(status.st_mode))
		return false;
	return search->files->file ? search->number && status.st_rdev == search->number
				   : node_has_number(search->files->root, status.st_rdev);
}

static bool file_take(struct search *search, const char *path)
{
	text_take(search->holder.file, sizeof(search->holder.file), path);
	return true;
}

/* Returns whether a descriptor is from O_PATH, which needs no permission and does not open the file. */
static bool is_reference(pid_t thread, const char *descriptor)
{
	char path[320], text[256];
	const char *flags;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", thread, descriptor);
	if (!text_read("", path, text, sizeof(text)))
		return false;
	flags = strstr(text, "flags:");
	return flags && strtoul(flags + strlen("flags:"), NULL, 8) & O_PATH;
}

static bool descriptor_look(struct search *search, pid_t thread, const char *descriptor)
{
	char link[320], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/fd/%s", thread, descriptor);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = 0;
	path_clean(path);
	if (!memory_fits(search, path) &&
	    (!number_fits(search, link) || is_reference(thread, descriptor)))
		return false;
	return file_take(search, path);
}

static bool descriptors_look(struct search *search, pid_t thread)
{
	char path[32];
	bool found = false;
	const struct dirent *entry;
	DIR *open_files;

	snprintf(path, sizeof(path), "/proc/%d/fd", thread);
	open_files = opendir(path);
	while (open_files && !found && (entry = readdir(open_files)))
		found = descriptor_look(search, thread, entry->d_name);
	if (open_files)
		closedir(open_files);
	return found;
}

/* The file of a mapping. Neighbours often have the same file. */
struct map_file {
	unsigned int major, minor; /* of its file system */
	unsigned long inode;	   /* 0: the mapping has no file */
};

static bool map_look(struct search *search, pid_t thread, char *line, struct map_file *before)
{
	unsigned long start, end;
	struct map_file file;
	char link[96];
	int path = 0;
	bool same;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%lx-%lx %*s %*s %x:%x %lu %n", &start, &end, &file.major, &file.minor,
		   &file.inode, &path) < 5 ||
	    !path || !file.inode)
		return false;
	same = file.major == before->major && file.minor == before->minor &&
	       file.inode == before->inode;
	*before = file;
	path_clean(line + path);
	snprintf(link, sizeof(link), "/proc/%d/map_files/%lx-%lx", thread, start, end);
	return (memory_fits(search, line + path) || (!same && number_fits(search, link))) &&
	       file_take(search, line + path);
}

/* Looks for mapped files, because a mapping keeps a file open after its descriptor is closed. Sets *alive if any is. */
static bool maps_look(struct search *search, pid_t thread, bool *alive)
{
	struct map_file before = { 0 };
	char path[32], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", thread);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0) {
		*alive = true;
		found = map_look(search, thread, line, &before);
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

/* Returns the number that is the name of an entry of /proc, or 0. */
static pid_t entry_number(const struct dirent *entry)
{
	return isdigit((unsigned char)*entry->d_name) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;
}

/* Searches the descriptors of all threads, except of one that has the table of the thread before. */
static bool threads_look(struct search *search, DIR *threads)
{
	const struct dirent *entry;
	bool mapped = false; /* the memory was searched, which is that of all threads */
	bool found = false;
	pid_t before = 0;

	while (!found && (entry = readdir(threads))) {
		const pid_t thread = entry_number(entry);

		if (!thread)
			continue;
		if (!before || syscall(SYS_kcmp, before, thread, KCMP_TABLES, 0, 0))
			found = descriptors_look(search, thread);
		if (!found && !mapped)
			found = maps_look(search, thread, &mapped);
		before = thread;
	}
	return found;
}

/* Reads the process's name and user. */
static void process_read(struct holder *holder)
{
	static const char key[] = "\nUid:";
	char path[32], text[4096] = "";
	const char *user;

	snprintf(path, sizeof(path), "/proc/%d/comm", holder->pid);
	text_read("", path, text, sizeof(text));
	text_take(holder->program, sizeof(holder->program), *text ? text : "?");
	snprintf(path, sizeof(path), "/proc/%d/status", holder->pid);
	text_read("", path, text, sizeof(text));
	user = strstr(text, key);
	holder->user = user ? (uid_t)strtoul(user + strlen(key), NULL, 10) : (uid_t)-1;
}

static bool process_look(struct search *search, pid_t pid)
{
	struct holder *holder = &search->holder;
	char path[32];
	DIR *threads;
	bool found;

	holder->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	if (!threads)
		return false;
	found = threads_look(search, threads);
	closedir(threads);
	if (found)
		process_read(holder);
	return found;
}

void holders_visit(const struct holder_files *files,
		   bool (*visit)(const struct holder *holder, void *to), void *to)
{
	struct search search = search_begin(files);
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	bool go_on = true;

	while (processes && go_on && (entry = readdir(processes))) {
		const pid_t pid = entry_number(entry);

		if (pid && pid != getpid() && process_look(&search, pid))
			go_on = visit(&search.holder, to);
	}
	if (processes)
		closedir(processes);
}

struct listing {
	struct holder *list;
	size_t count, max;
};

static bool holder_list(const struct holder *holder, void *to)
{
	struct listing *listing = to;

	listing->list[listing->count++] = *holder;
	return listing->count < listing->max;
}

size_t holders_find(const struct holder_files *files, struct holder *list, size_t max)
{
	struct listing listing = { .list = list, .max = max };

	holders_visit(files, holder_list, &listing);
	return listing.count;
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

/* Returns whether a SIGKILL is pending: the process ends when its system call permits. */
static bool is_killed(pid_t pid)
{
	static const char key[] = "\nShdPnd:";
	char path[32], text[4096];
	const char *pending;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (!text_read("", path, text, sizeof(text)))
		return false;
	pending = strstr(text, key);
	return pending && strtoull(pending + strlen(key), NULL, 16) & 1ull << (SIGKILL - 1);
}

int holder_kill(const struct holder_files *files, const struct holder *holder)
{
	struct search search = search_begin(files);
	int process = (int)syscall(SYS_pidfd_open, holder->pid, 0);
	int error = 0;

	if (process < 0)
		return -errno;
	if (!process_look(&search, holder->pid))
		error = -ESRCH;
	else if (is_killed(holder->pid))
		error = -EALREADY;
	else if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0))
		error = -errno;
	close(process);
	return error;
}
