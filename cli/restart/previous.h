/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers and the log of the Linux before this one, which the layer has saved in beneath
 * mode.
 */
#ifndef CLI_RESTART_PREVIOUS_H
#define CLI_RESTART_PREVIOUS_H

#include <stdbool.h>

/*
 * Passes the place of this Linux's log to the layer. A failure only prints a note, because
 * attaching does not depend on it.
 */
void previous_prepare(int fd);
/*
 * Prints the death, the registers and the log of the Linux before this one. Returns enum
 * command_exit.
 */
int previous_print(bool json);

#endif
