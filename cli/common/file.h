/* SPDX-License-Identifier: GPL-2.0 */
/* Files that a command writes. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Creates a file, or empties an existing one. Returns NULL after it has reported an error. */
FILE *file_create(const char *path);
/* Closes a file. Returns false after it has reported an error of this or an earlier write. */
bool file_close(FILE *file, const char *path);

#endif
