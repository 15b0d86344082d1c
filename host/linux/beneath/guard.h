/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_LINUX_BENEATH_GUARD_H
#define HOST_LINUX_BENEATH_GUARD_H

#include <host/bare/bare.h>

/* The returns of the layer's image, as distances from its start. The build makes the list. */
extern const s32 bare_returns[], bare_returns_end[];

/* Makes the copy of the image fit for this processor. Returns whether entries have something to do there. */
bool guard_write(u8 *image);

#endif
