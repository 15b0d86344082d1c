/* SPDX-License-Identifier: GPL-2.0 */
/* The last words of the Linux before this one, which the layer beneath has saved. */
#ifndef CLI_RESTART_PREVIOUS_H
#define CLI_RESTART_PREVIOUS_H

#include <stdbool.h>

/* Tells the layer where this Linux's log is; it is none of attach's business if it cannot be found. */
void previous_prepare(int fd);
/* Prints how the one before died, its registers and its log. Returns enum command_exit. */
int previous_print(bool json);

#endif
