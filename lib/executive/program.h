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
 * Which program each guest executes. Context: executive_event().
 *
 * program_called() reads the path of execve or execveat. At EXEC program_executed() returns the number of that program, or
 * PROGRAM_OTHERS if the path has more than 255 bytes or the filter lacks the call. At BEGIN program_begun() returns the
 * number of the parent's program; `maker` is word 2 of the event.
 */
void program_called(unsigned int id, word path);
unsigned int program_executed(unsigned int id);
unsigned int program_begun(unsigned int id, word maker);

#endif
