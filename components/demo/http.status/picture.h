/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the figures as an SVG picture. */
#ifndef PICTURE_H
#define PICTURE_H

#include <runtime/text.h>

#include "figures.h"

#define PICTURE_SIZE 16384 /* maximum size of a picture in bytes */

void picture_draw(struct text *to, const struct figures *figures);

#endif
