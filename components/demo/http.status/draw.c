// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/types.h>

#include "draw.h"

void draw_panel(struct text *to, struct box box, const char *heading)
{
	text_add(to, "<rect class=\"p\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"10\"/>",
		 box.x, box.y, box.width, box.height);
	draw_text(to, box.x + 16, box.y + 26, "h", heading);
}

void draw_text(struct text *to, unsigned int x, unsigned int y, const char *class, const char *text)
{
	text_add(to, "<text class=\"%s\" x=\"%u\" y=\"%u\">%s</text>\n", class, x, y, text);
}

/* A bar of a value above 0 is at least 2 high, so that it is visible. */
static unsigned int height_of(unsigned long value, unsigned long max, unsigned int full)
{
	unsigned long height = value * full / max;

	return value && height < 2 ? 2 : (unsigned int)height;
}

void draw_bars(struct text *to, struct box box, const unsigned long *values, unsigned int count,
	       unsigned long max, const char *class)
{
	/* In tenths: a quarter of the width of each bar stays free. */
	unsigned int step = box.width * 10 / count, wide = step * 3 / 4;

	text_add(to, "<path class=\"%s\" d=\"", class);
	for (unsigned int i = 0; i < count; i++) {
		unsigned int height = height_of(values[i], max, box.height);
		unsigned int x = box.x * 10 + i * step + (step - wide) / 2;

		if (height)
			text_add(to, "M%u.%u %uv-%uh%u.%uv%uz", x / 10, x % 10, box.y + box.height,
				 height, wide / 10, wide % 10, height);
	}
	text_add(to, "\"/>\n");
}

/* Writes three digits of a value in a unit of `per`. */
static void add_rounded(struct text *to, unsigned long value, unsigned long per, const char *unit)
{
	unsigned long whole = value / per;

	if (per == 1 || whole >= 100)
		text_add(to, "%lu %s", whole, unit);
	else if (whole >= 10)
		text_add(to, "%lu.%lu %s", whole, value % per * 10 / per, unit);
	else
		text_add(to, "%lu.%02lu %s", whole, value % per * 100 / per, unit);
}

void text_add_time(struct text *to, unsigned long ns)
{
	if (ns < 1000)
		add_rounded(to, ns, 1, "ns");
	else if (ns < 1000000)
		add_rounded(to, ns, 1000, "\xc2\xb5s");
	else if (ns < 1000000000)
		add_rounded(to, ns, 1000000, "ms");
	else
		add_rounded(to, ns, 1000000000, "s");
}

void text_add_size(struct text *to, unsigned long bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	unsigned int unit = 0;

	while (unit < array_size(units) - 1 && bytes >> (10 * (unit + 1)))
		unit++;
	add_rounded(to, bytes, 1ul << (10 * unit), units[unit]);
}
