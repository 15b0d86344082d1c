/* SPDX-License-Identifier: GPL-2.0 */
/* What a system's components get of the machine, and whether it is theirs to have. */
#ifndef CLI_DEVICES_H
#define CLI_DEVICES_H

#include <stdbool.h>

#include <cli/common/image.h>

/*
 * Whether the host in this `mode` (enum limpet_mode) can give the components all that the image
 * says, and Linux, whose files are below `root` ("": the real ones), uses none of it. False: a line
 * that says why was reported. Of ports and memory Linux cannot say who uses them.
 */
bool devices_possible(const struct image *image, unsigned int mode, const char *root);

#endif
