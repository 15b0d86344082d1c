/* SPDX-License-Identifier: GPL-2.0 */
/* The file of the running program, and the programs that are installed next to it. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Writes the path of the running program. Returns false if Linux does not know it, for example without /proc. */
bool program_path(char path[PATH_MAX]);
/*
 * Writes the path of NAME in the folder of the running program. Returns false in the same case, or if it is too long.
 */
bool program_next(const char *name, char path[PATH_MAX]);

#endif
