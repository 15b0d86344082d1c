/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures as a picture, SVG. */
#ifndef PICTURE_H
#define PICTURE_H

#include <runtime/text.h>

#include "figures.h"

#define PICTURE_ROOM 16384 /* bytes that any picture takes at most */

void picture_draw(struct text *to, const struct figures *figures);

#endif
