/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the parts of the picture. */
#ifndef DRAW_H
#define DRAW_H

#include <runtime/text.h>

struct box {
	unsigned int x, y, width, height;
};

/* Draws a surface with a heading. */
void draw_panel(struct text *to, struct box box, const char *heading);
/* Draws text at a place. `class` is a class of the picture's style. */
void draw_text(struct text *to, unsigned int x, unsigned int y, const char *class,
	       const char *text);
/*
 * Draws bars of `count` values in a box, from its bottom up. A bar of value `max` is as high as
 * the box. `max` must not be 0, or less than a value.
 */
void draw_bars(struct text *to, struct box box, const unsigned long *values, unsigned int count,
	       unsigned long max, const char *class);
/* Writes a time, such as "850 ns" or "1.25 ms". */
void text_add_time(struct text *to, unsigned long ns);
/* Writes a size, such as "12 KiB". */
void text_add_size(struct text *to, unsigned long bytes);

#endif
