/* SPDX-License-Identifier: GPL-2.0 */
/* The last words of the Linux before this one, which the layer beneath has saved. */
#ifndef CLI_RESTART_PREVIOUS_H
#define CLI_RESTART_PREVIOUS_H

#include <stdbool.h>

/* Passes the place of this Linux's log to the layer. Attaching does not depend on it. */
void previous_prepare(int fd);
/* Prints how the one before died, its registers and its log. Returns enum command_exit. */
int previous_print(bool json);

#endif
