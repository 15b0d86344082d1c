/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs by name, for executives with different rules for each program. A name is the last part of the path that a
 * guest executes. Names have numbers from 1 in the order in which they were added. Number 0 with the name * means all
 * other programs.
 */
#ifndef EXECUTIVE_PROGRAM_H
#define EXECUTIVE_PROGRAM_H

#include <executive/rules.h>
#include <runtime/types.h>

#define PROGRAMS_MAX 64
#define PROGRAM_OTHERS 0

/* Removes all names except *. */
void programs_clear(void);
/* Adds a name and sets its number. Returns NULL, or the reason why the name is invalid: too long, or added before. */
const char *program_add(const struct span *name, unsigned int *number);
/* Returns the number for a path of `length` bytes. */
unsigned int program_of(const char *path, size_t length);

/*
 * These functions track the program that each guest executes. Context: executive_event().
 *
 * program_called() reads the path of execve or execveat. At EXEC program_executed() returns the number of that program,
 * or PROGRAM_OTHERS if the path has more than 255 bytes or the filter lacks the call. At BEGIN program_started()
 * returns the number of the parent's program. `maker` is word 2 of the event.
 */
void program_called(unsigned int id, word path);
unsigned int program_executed(unsigned int id);
unsigned int program_started(unsigned int id, word maker);

#endif
