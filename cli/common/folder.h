/* SPDX-License-Identifier: GPL-2.0 */
/* Folders in which a command puts several files. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <stdbool.h>

/*
 * Makes a folder that does not exist or is empty, because files of an earlier run would be taken for parts of this one. Returns
 * false after it has reported an error.
 */
bool folder_make(const char *folder);

#endif
