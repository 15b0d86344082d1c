/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the picture. */
#ifndef DRAW_H
#define DRAW_H

#include <runtime/text.h>

struct box {
	unsigned int x, y, width, height;
};

/* A surface with a heading. */
void draw_panel(struct text *to, struct box box, const char *heading);
/* Text at a place; `class` is one of the picture's style. */
void draw_text(struct text *to, unsigned int x, unsigned int y, const char *class,
	       const char *text);
/*
 * Bars of `count` values in a box, from its bottom up, as high as the box at value `most`, which is not
 * 0 and not less than any of them.
 */
void draw_bars(struct text *to, struct box box, const unsigned long *values, unsigned int count,
	       unsigned long most, const char *class);
/* A time, "850 ns", "1.25 ms". */
void text_add_time(struct text *to, unsigned long ns);
/* A size, "12 KiB". */
void text_add_size(struct text *to, unsigned long bytes);

#endif
