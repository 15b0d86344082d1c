/* SPDX-License-Identifier: GPL-2.0 */
/* Files that a command writes. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Creates a file, or empties an existing one. Returns NULL after it has reported an error. */
FILE *file_create(const char *path);
/*
 * Opens a file for output that follows long after, so that a wrong path fails early. Creates the file, or keeps the content
 * of an existing one until file_empty(). Returns NULL after it has reported an error.
 */
FILE *file_prepare(const char *path);
/* Removes the content of a prepared file before the output. Returns false after it has reported an error. */
bool file_empty(FILE *file, const char *path);
/* Closes a prepared file without output. Deletes it if it is an empty regular file. */
void file_discard(FILE *file, const char *path);
/* Closes a file. Returns false after it has reported an error of this or an earlier write. */
bool file_close(FILE *file, const char *path);

#endif
