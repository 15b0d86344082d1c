/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_LINUX_BENEATH_GUARD_H
#define HOST_LINUX_BENEATH_GUARD_H

#include <host/bare/bare.h>

/* The returns of the layer's image, as distances from its start. The build makes the list. */
extern const s32 bare_returns[], bare_returns_end[];

/* The loads of page tables in it. The build makes this list, too. */
extern const s32 bare_loads[], bare_loads_end[];

/* Writes this list to the layer, which changes the loads itself (bare/system.c). Returns false if it is too long. */
bool guard_loads(struct bare_layer *layer);

/*
 * Adapts the copy of the image to this processor. Returns whether entries need to do something
 * there.
 */
bool guard_write(u8 *image);

#endif
