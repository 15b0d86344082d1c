/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures as SVG, and text for XML and HTML. The colours are in classes, which svg_style() defines for a light and for a dark
 * background. Coordinates are in pixels from the top left corner. All functions write to a stream, whose errors the caller
 * finds at its end.
 */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct svg_box {
	double x, y, width, height;
};

/* Writes text with the characters escaped that XML and HTML reserve. Bytes that are no UTF-8 are taken for Latin-1. */
void svg_escape(FILE *out, const char *text);
/* Formats text and writes it escaped. */
void svg_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Starts a picture. `title` describes it for a reader who does not see it. `alone`: the picture is a file of its own, so that
 * it needs the rules of the classes. Otherwise it is part of a page, which has them.
 */
void svg_begin(FILE *out, double width, double height, const char *title, bool alone);
void svg_end(FILE *out);
/* Writes the rules of the classes, for the element <style>. */
void svg_style(FILE *out);

/* Writes a line of text that starts at x on the base line y. The class can contain "end" or "middle" to align it. */
void svg_text(FILE *out, double x, double y, const char *class, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Draws a rectangle. Those of the classes box and cpu have rounded corners. `tip`: text that a browser shows; NULL: none. */
void svg_rect(FILE *out, struct svg_box box, const char *class, const char *tip);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *class);

/* Returns the smallest of the numbers 1, 2 and 5 with zeros that divides a span into at most `most` steps. */
double svg_step(double span, unsigned int most);
/*
 * Draws a scale below a box, with vertical lines through the box, and `unit` at its end. The left side of the box has the
 * value `from`, and the right side has the greater value `to`.
 */
void svg_scale(FILE *out, struct svg_box box, double from, double to, const char *unit);

#endif
