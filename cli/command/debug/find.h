/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the channel for debugging a component in a system's image. */
#ifndef CLI_DEBUG_FIND_H
#define CLI_DEBUG_FIND_H

#include <stdbool.h>

#include <limpet/image.h>

#include <cli/common/image.h>

struct debug_place {
	unsigned int component; /* index in the image */
	char channel[64]; /* channel of an instance of `calls` with the supervisor's interface `debug` */
};

/* Finds the component with a name. Returns false after it has reported an error. */
bool debug_find(const struct image *image, const char *name, struct debug_place *place);

#endif
