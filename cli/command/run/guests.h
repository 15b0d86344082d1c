/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether a system's executives can have guests. */
#ifndef CLI_RUN_GUESTS_H
#define CLI_RUN_GUESTS_H

#include <stdbool.h>

#include <cli/common/image.h>

/*
 * Returns whether the host in `mode` (enum limpet_mode) can provide guests, or the image has no executive. Otherwise it
 * reports the first executive and the remedy.
 */
bool guests_possible(const struct image *image, unsigned int mode);

#endif
