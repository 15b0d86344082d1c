/* SPDX-License-Identifier: GPL-2.0 */
/* Finds processes that have files of /dev/limpet open or mapped. The module cannot be unloaded while they do. */
#ifndef CLI_HOLDER_H
#define CLI_HOLDER_H

#include <stddef.h>
#include <sys/types.h>

struct holder {
	pid_t pid;
	char program[32];
	char file[64]; /* the first file that was found */
};

/*
 * Finds other processes that have a file of `folder` open or mapped. `folder` ends with a slash, or is the path of one
 * file. Puts at most `max` of them
 * into `list`, and returns their number. Misses processes whose files in /proc the caller may not read.
 */
size_t holders_find(const char *folder, struct holder *list, size_t max);
/* Writes "12 (cat) has /dev/limpet/echo, 15 (dd) has ..." into `text`, and truncates it at `size` bytes. */
void holders_name(const struct holder *list, size_t count, char *text, size_t size);
/* Kills a process if it still has such a file open. Returns 0 or a negative errno. */
int holder_kill(const char *folder, const struct holder *holder);

#endif
