/* SPDX-License-Identifier: GPL-2.0 */
/* Recognises the module's device nodes: those in /dev/limpet, and FIFOs /dev/rtfN. `root` is "" unless in a test. */
#ifndef CLI_NODE_H
#define CLI_NODE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Returns whether an open file in /proc is the memory of guests, which is no device. A user cannot make another file
 * with its name, because the paths of files begin with a slash.
 */
bool node_has_name(const char *name);
/*
 * Returns whether a character device is one of the module's, under any path, also if its system has ended. Linux knows
 * the miscellaneous devices by name. The other nodes have a major number of the module's own.
 */
bool node_has_number(const char *root, dev_t number);

#endif
