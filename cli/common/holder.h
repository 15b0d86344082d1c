/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds processes that have files of Limpet open or mapped. The module cannot be unloaded while they do.
 *
 * Each thread is searched, because it can have a table of descriptors of its own, and because the first thread of a
 * process can end before the others. A device node is recognised by its number. So it is also found if another path or
 * another mount namespace has it, as in a container. Its path proves nothing, because users can make mount namespaces.
 *
 * /proc does not show files in messages of sockets that were not received, files that are registered with io_uring,
 * processes of other PID namespaces, and the files of processes that the caller may not trace.
 */
#ifndef CLI_HOLDER_H
#define CLI_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The files of a search. */
struct holder_files {
	const char *root; /* "" unless a test has nodes of its own */
	const char *file; /* the path of this file only; NULL: all nodes of the module */
};

struct holder {
	pid_t pid;
	uid_t user;	  /* its real user */
	char program[32]; /* its name, which it chooses; in printable ASCII */
	char file[64];	  /* the first file that was found, in printable ASCII */
};

/* Calls `visit` for each other process that has such a file open or mapped, until it returns false. */
void holders_visit(const struct holder_files *files,
		   bool (*visit)(const struct holder *holder, void *to), void *to);
/* Puts at most `max` of these processes into `list`, and returns their number. */
size_t holders_find(const struct holder_files *files, struct holder *list, size_t max);
/* Writes "12 (cat) has /dev/limpet/echo, 15 (dd) has ..." into `text`, and truncates it at `size` bytes. */
void holders_name(const struct holder *list, size_t count, char *text, size_t size);
/*
 * Kills a process if it still has such a file open. Returns 0 or a negative errno. -EALREADY: it was killed before, and
 * has not ended.
 */
int holder_kill(const struct holder_files *files, const struct holder *holder);

#endif
