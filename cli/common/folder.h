/* SPDX-License-Identifier: GPL-2.0 */
/* Folders for the output of a command. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <stdbool.h>

/*
 * Creates a folder, or accepts an empty one. Refuses a folder with files, because the user could
 * take files of an earlier run for parts of this one. Returns false after it has reported an error.
 */
bool folder_make(const char *folder);

#endif
