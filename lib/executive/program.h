/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs by name, for executives whose rules differ from program to program. A name is the last part of the path that
 * a guest executes. Each has a number: 1 and up, in the order in which they were added. 0 stands for all others, and *
 * is its name.
 */
#ifndef EXECUTIVE_PROGRAM_H
#define EXECUTIVE_PROGRAM_H

#include <executive/rules.h>
#include <runtime/types.h>

#define PROGRAMS_MAX 64
#define PROGRAM_OTHERS 0

/* Forgets all names but *. */
void programs_clear(void);
/* Adds a name. Returns NULL and its number, or what is wrong with it: it is too long, or was added before. */
const char *program_add(const struct span *name, unsigned int *number);
/* Returns the number for a path of `length` bytes. */
unsigned int program_of(const char *path, size_t length);

/*
 * To be called with each call of a guest that is execve or execveat, and with EXEC: returns the number of the program
 * that the guest has executed then, or PROGRAM_OTHERS if it made the call before it was a guest, or with a path of more
 * than 255 bytes. Context: executive_event().
 */
void program_called(unsigned int id, word path);
unsigned int program_executed(unsigned int id);

#endif
