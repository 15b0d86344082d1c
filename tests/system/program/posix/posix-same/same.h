/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef POSIX_SAME_H
#define POSIX_SAME_H

/* Prints a result, and the error if it is -1. */
void show(const char *what, long result);
#define SHOW(call) show(#call, (long)(call))

/* files.c */
void files(void);
/* ends.c */
void file_ends(void);
/* special.c */
void special(void);

#endif
