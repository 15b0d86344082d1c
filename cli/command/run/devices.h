/* SPDX-License-Identifier: GPL-2.0 */
/* Checks the machine's resources that a system's components need. */
#ifndef CLI_DEVICES_H
#define CLI_DEVICES_H

#include <stdbool.h>

#include <cli/common/image.h>

/*
 * Returns whether the host in `mode` (enum limpet_mode) can provide all resources that the image
 * names, and Linux uses none of them. Otherwise it reports the reason. Linux's files are below
 * `root` ("": the real ones). Linux does not report the users of ports and memory, so these are not
 * checked.
 */
bool devices_possible(const struct image *image, unsigned int mode, const char *root);

#endif
