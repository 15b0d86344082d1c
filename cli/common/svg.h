/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes pictures as SVG, and text for XML and HTML. Classes have the colours. svg_style() defines them for a light and
 * for a dark background. Coordinates are in pixels from the top left corner. All functions write to a stream. The
 * caller checks it for errors when it closes it.
 */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct svg_box {
	double x, y, width, height;
};

/*
 * Writes text and escapes the reserved characters of XML and HTML. Bytes that are not valid UTF-8 are read as Latin-1.
 */
void svg_escape(FILE *out, const char *text);
/* Formats text of up to 1023 bytes and writes it escaped. */
void svg_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void svg_vprint(FILE *out, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/*
 * Starts a picture. `title` describes it for a screen reader. `alone`: the picture is a separate file and gets the
 * rules of the classes. Otherwise it is part of a page, which has them.
 */
void svg_begin(FILE *out, double width, double height, const char *title, bool alone);
void svg_end(FILE *out);
/* Writes the rules of the classes, for the element <style>. */
void svg_style(FILE *out);

/* Writes a line of text that starts at x on the base line y. The class can contain "end" or "middle" to align it. */
void svg_text(FILE *out, double x, double y, const char *class, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/*
 * Draws a rectangle, with rounded corners in the classes box and cpu. `tip`: text that a browser shows as a tooltip, or
 * NULL.
 */
void svg_rect(FILE *out, struct svg_box box, const char *class, const char *tip);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *class);

/* Returns the smallest step that divides a span into at most `max` parts: 1, 2 or 5 times a power of ten. */
double svg_step(double span, unsigned int max);
/*
 * Draws a scale below a box, with vertical lines through the box, and `unit` at its right end. The left side of the box
 * has the value `from`. The right side has the value `to`, which must be greater.
 */
void svg_scale(FILE *out, struct svg_box box, double from, double to, const char *unit);

#endif
