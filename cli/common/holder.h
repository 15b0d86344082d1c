/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that have a file below /dev/limpet open, or mapped: the module stays as long as there are any. */
#ifndef CLI_HOLDER_H
#define CLI_HOLDER_H

#include <stddef.h>
#include <sys/types.h>

struct holder {
	pid_t pid;
	char program[32];
	char file[64]; /* the first one that was found */
};

/*
 * Looks for processes that have a file open or mapped whose path begins with `folder`, this process left out. Puts
 * at most `most` of them into `list`, and returns how many. Of /proc only what the caller may read is seen.
 */
size_t holders_find(const char *folder, struct holder *list, size_t most);
/* Writes "12 (cat) has /dev/limpet/echo, 15 (dd) has ..." into `text`, cut where that is full. */
void holders_name(const struct holder *list, size_t count, char *text, size_t size);
/* Kills a process if it is still the one that was found. Returns 0 or a negative errno. */
int holder_kill(const char *folder, const struct holder *holder);

#endif
