// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <cli/common/svg.h>
#include <cli/common/text.h>

#define LINE 1024
#define SCALE_LINES 10

/*
 * librsvg supports neither variables nor media queries. So each rule has its colour, and the light
 * colours are first.
 */
static const char style[] =
	"svg text{font-family:system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:12px;fill:#1f2d3d}\n"
	"svg text.head{font-size:13px;font-weight:600}\n"
	"svg text.pale{fill:#5b6b7d}\n"
	"svg text.small{font-size:10.5px}\n"
	"svg text.end{text-anchor:end}svg text.middle{text-anchor:middle}\n"
	"svg .paper{fill:#ffffff}\n"
	"svg .grid{stroke:#dde3ea;stroke-width:1}\n"
	"svg .axis{stroke:#9aa8b7;stroke-width:1}\n"
	"svg .bar{fill:#3b6fd4}svg .other{fill:#8f9fb3}svg .calm{fill:#e9edf2}\n"
	"svg .linux{fill:#e08a1e}svg .idle{fill:#f1d3a6}\n"
	"svg .band{fill:#3b6fd4;fill-opacity:.22}\n"
	"svg .mean{fill:none;stroke:#3b6fd4;stroke-width:1.6}\n"
	"svg .bad{fill:#c8323c}svg .limit{stroke:#c8323c;stroke-width:1.4;stroke-dasharray:5 3}\n"
	"svg .mark{stroke:#1f2d3d;stroke-width:1.2;stroke-dasharray:2 2}\n"
	"svg .wire{fill:none;stroke:#8494a6;stroke-width:1.3}svg .tip{fill:#8494a6}\n"
	"svg .cpu{fill:#f5f7fa;stroke:#dbe2ea}\n"
	"svg .box{fill:#ffffff;stroke:#7d8fa3;stroke-width:1.3}\n"
	"svg .scheduler{fill:#fff0d6;stroke:#d99a2b}svg .memory{fill:#e3f3e3;stroke:#5a9e5d}\n"
	"svg .console{fill:#e6ecfa;stroke:#5f7fc4}svg .channel{fill:#f3eafa;stroke:#8c6bb1}\n"
	"@media(prefers-color-scheme:dark){\n"
	"svg text{fill:#e3e9f1}svg text.pale{fill:#9fb0c3}\n"
	"svg .paper{fill:#161b22}\n"
	"svg .grid{stroke:#2b3440}svg .axis{stroke:#5d6c7d}\n"
	"svg .bar{fill:#6f9df2}svg .other{fill:#74849a}svg .calm{fill:#232b35}\n"
	"svg .linux{fill:#e79a3a}svg .idle{fill:#5c4523}\n"
	"svg .band{fill:#6f9df2;fill-opacity:.28}svg .mean{stroke:#8db2f7}\n"
	"svg .bad{fill:#f0626b}svg .limit{stroke:#f0626b}svg .mark{stroke:#e3e9f1}\n"
	"svg .wire{stroke:#7788a0}svg .tip{fill:#7788a0}\n"
	"svg .cpu{fill:#1b222b;stroke:#303b48}\n"
	"svg .box{fill:#222b36;stroke:#73859a}\n"
	"svg .scheduler{fill:#3d2f14;stroke:#d99a2b}svg .memory{fill:#1c3520;stroke:#5a9e5d}\n"
	"svg .console{fill:#1e2a47;stroke:#6d8cd0}svg .channel{fill:#322342;stroke:#a184c4}\n"
	"}\n";

static void character_escape(FILE *out, unsigned char c)
{
	if (strchr("<>&\"'", c))
		fprintf(out, "&#%u;", c);
	else if (c > 127)
		fprintf(out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	else
		fputc(c < ' ' || c == 127 ? '?' : c, out);
}

void svg_escape(FILE *out, const char *text)
{
	while (*text) {
		const size_t length = text_utf8_length(text); /* 0: not valid UTF-8 */

		if (length > 1)
			fwrite(text, 1, length, out);
		else
			character_escape(out, (unsigned char)*text);
		text += length ? length : 1;
	}
}

void svg_vprint(FILE *out, const char *format, va_list arguments)
{
	char line[LINE];

	vsnprintf(line, sizeof(line), format, arguments);
	svg_escape(out, line);
}

void svg_print(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	svg_vprint(out, format, arguments);
	va_end(arguments);
}

void svg_style(FILE *out)
{
	fputs(style, out);
}

void svg_begin(FILE *out, double width, double height, const char *title, bool alone)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
		width, height, width, height);
	svg_escape(out, title);
	fputs("\">\n", out);
	if (alone)
		fprintf(out, "<style>\n%s</style>\n", style);
	svg_rect(out, (struct svg_box){ 0, 0, width, height }, "paper", NULL);
}

void svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

void svg_text(FILE *out, double x, double y, const char *class, const char *format, ...)
{
	va_list arguments;

	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	va_start(arguments, format);
	svg_vprint(out, format, arguments);
	va_end(arguments);
	fputs("</text>\n", out);
}

void svg_rect(FILE *out, struct svg_box box, const char *class, const char *tip)
{
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"%s",
		box.x, box.y, box.width, box.height, class,
		!strncmp(class, "box", 3) || !strcmp(class, "cpu") ? " rx=\"6\"" : "");
	if (tip) {
		fputs("><title>", out);
		svg_escape(out, tip);
		fputs("</title></rect>\n", out);
	} else {
		fputs("/>\n", out);
	}
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *class)
{
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1,
		y1, x2, y2, class);
}

double svg_step(double span, unsigned int max)
{
	double ten = span > 0 ? pow(10, floor(log10(span / max))) : 1;

	for (unsigned int tens = 0; tens < 2; tens++, ten *= 10)
		for (unsigned int n = 1; n <= 5; n += n == 1 ? 1 : 3)
			if (span / (ten * n) <= max)
				return ten * n;
	return ten;
}

void svg_scale(FILE *out, struct svg_box box, double from, double to, const char *unit)
{
	const double step = svg_step(to - from, SCALE_LINES);

	for (double n = ceil(from / step); n * step <= to; n++) {
		const double x = box.x + box.width * (n * step - from) / (to - from);

		svg_line(out, x, box.y, x, box.y + box.height + 4, "grid");
		svg_text(out, x, box.y + box.height + 18, "pale middle", "%.10g",
			 n * step + 0.0); /* no -0 */
	}
	svg_text(out, box.x + box.width, box.y + box.height + 34, "pale end", "%s", unit);
}
