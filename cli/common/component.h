/* SPDX-License-Identifier: GPL-2.0 */
/* Finds a component that a user has named. */
#ifndef CLI_COMPONENT_H
#define CLI_COMPONENT_H

#include <cli/common/image.h>

/*
 * Returns the index of the component of a running system with this name, or -1 after it has
 * reported an error. The image must not be empty.
 */
int component_find(const struct image *image, const char *name);

#endif
