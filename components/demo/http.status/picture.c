// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/types.h>

#include "draw.h"
#include "picture.h"

#define WIDTH 960
#define HEIGHT 600
#define EDGE 24
#define SMALL 160 /* maximum length of a formatted line */

static const char style[] =
	"<style>"
	"text{font-family:system-ui,'DejaVu Sans',sans-serif;fill:#e5edf7}"
	".t{font-size:26px;font-weight:700}"
	".v{font-size:30px;font-weight:600}"
	".h,.s,.c,.e{font-size:12.5px}.h,.s,.a,.e{fill:#8ea3bf}"
	".a{font-size:11px}.e,.r{text-anchor:end}.m,.c{text-anchor:middle}"
	".c{font-weight:600}"
	".p{fill:#141f33}.b{fill:#1d2c47;stroke:#34507a}"
	".g{stroke:#253755;stroke-width:1}.w{stroke:#5b7aa8;stroke-width:1.5;fill:none}"
	".f{fill:#5b7aa8}"
	".n{fill:#2dd4bf}.k{fill:#60a5fa}"
	"</style>\n";

/* Returns the next number of the form 1, 2 or 5 followed by zeros. */
static unsigned long round_up(unsigned long value)
{
	unsigned long unit = 1;

	while (value > unit * 10)
		unit *= 10;
	if (value <= unit)
		return unit;
	return value <= unit * 2 ? unit * 2 : value <= unit * 5 ? unit * 5 : unit * 10;
}

static void head(struct text *to, const struct figures *figures)
{
	unsigned long s = figures->seconds;

	text_add(to,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" role=\"img\" "
		 "aria-label=\"What this server does\">\n%s"
		 "<rect width=\"%u\" height=\"%u\" rx=\"14\" fill=\"#0b1322\"/>\n",
		 WIDTH, HEIGHT, style, WIDTH, HEIGHT);
	draw_text(to, EDGE, 48, "t", "Limpet");
	draw_text(to, EDGE + 112, 47, "s", "This picture was drawn, and sent, by components");
	text_add(to, "<text class=\"e\" x=\"%u\" y=\"47\">up %lu:%02lu:%02lu</text>\n",
		 WIDTH - EDGE, s / 3600, s / 60 % 60, s % 60);
}

/* --- figures */

#define TILES 4
#define TILE_WIDTH 216
#define TILE_STEP (TILE_WIDTH + 16)

static void tile(struct text *to, unsigned int number, const char *heading, const char *value,
		 const char *below)
{
	struct box box = { EDGE + number * TILE_STEP, 72, TILE_WIDTH, 100 };

	draw_panel(to, box, heading);
	draw_text(to, box.x + 16, box.y + 62, "v", value);
	draw_text(to, box.x + 16, box.y + 84, "s", below);
}

static unsigned long peak(const struct figures *figures)
{
	unsigned long max = 0;

	for (unsigned int i = 0; i < FIGURES_SECONDS; i++)
		max = figures->per_second[i] > max ? figures->per_second[i] : max;
	return max;
}

static void tile_answers(struct text *to, const struct figures *figures)
{
	char value[SMALL], below[SMALL];
	struct text v = text_in(value, SMALL), b = text_in(below, SMALL);

	text_add_number(&v, figures->answers);
	text_add_size(&b, figures->bytes);
	text_add(&b, ", ");
	text_add_number(&b, figures->of_class[FIGURES_CLIENT_WRONG]);
	text_add(&b, " refused");
	if (figures->of_class[FIGURES_SERVER_WRONG]) {
		text_add(&b, ", ");
		text_add_number(&b, figures->of_class[FIGURES_SERVER_WRONG]);
		text_add(&b, " failed");
	}
	tile(to, 0, "Answers", value, below);
}

static void tile_rate(struct text *to, const struct figures *figures)
{
	char value[SMALL], below[SMALL];
	struct text v = text_in(value, SMALL), b = text_in(below, SMALL);

	text_add_number(&v, figures->per_second[FIGURES_SECONDS - 1]);
	text_add(&b, "at most ");
	text_add_number(&b, peak(figures));
	text_add(&b, " in this minute");
	tile(to, 1, "Answers in the last second", value, below);
}

static void tile_connections(struct text *to, const struct figures *figures)
{
	char value[SMALL], below[SMALL];
	struct text v = text_in(value, SMALL), b = text_in(below, SMALL);

	text_add_number(&v, figures->open);
	text_add_number(&b, figures->connections);
	text_add(&b, " in all, %lu at a time", figures->open_max);
	tile(to, 2, "Connections", value, below);
}

static void tile_time(struct text *to, const struct figures *figures)
{
	char value[SMALL], below[SMALL];
	struct text v = text_in(value, SMALL), b = text_in(below, SMALL);

	text_add_time(&v, figures->median);
	text_add(&b, "99 %%: ");
	text_add_time(&b, figures->p99);
	text_add(&b, ", max ");
	text_add_time(&b, figures->max);
	tile(to, 3, "Time for an answer, median", value, below);
}

/* --- charts */

static void line(struct text *to, unsigned int x, unsigned int y, unsigned int width)
{
	text_add(to, "<path class=\"g\" d=\"M%u %uh%u\"/>", x, y, width);
}

static void chart_rate(struct text *to, const struct figures *figures)
{
	struct box panel = { EDGE, 188, 536, 212 }, plot = { 84, 232, 460, 130 };
	unsigned long values[FIGURES_SECONDS], max = round_up(peak(figures));
	char number[SMALL];

	if (max < 10)
		max = 10;
	draw_panel(to, panel, "Answers per second, in the last minute");
	for (unsigned int i = 0; i <= 2; i++) {
		unsigned int y = plot.y + plot.height * i / 2;
		struct text n = text_in(number, SMALL);

		line(to, plot.x, y, plot.width);
		text_add_number(&n, max * (2 - i) / 2);
		draw_text(to, plot.x - 8, y + 4, "a r", number);
	}
	for (unsigned int i = 0; i < FIGURES_SECONDS; i++)
		values[i] = figures->per_second[i];
	draw_bars(to, plot, values, FIGURES_SECONDS, max, "n");
	draw_text(to, plot.x, plot.y + plot.height + 20, "a", "60 s ago");
	draw_text(to, plot.x + plot.width / 2, plot.y + plot.height + 20, "a m", "30 s");
	draw_text(to, plot.x + plot.width, plot.y + plot.height + 20, "a r", "now");
}

static void chart_times(struct text *to, const struct figures *figures)
{
	/* Labels the ends of buckets 0, 5 and 10. */
	static const char *const labels[] = { "1 \xc2\xb5s", "32 \xc2\xb5s", "1 ms" };
	struct box panel = { 576, 188, 360, 212 }, plot = { 592, 232, 328, 130 };
	unsigned int step = plot.width / FIGURES_TIMES;
	unsigned long values[FIGURES_TIMES], max = 1;

	draw_panel(to, panel, "How long answers took, so far");
	for (unsigned int i = 0; i < FIGURES_TIMES; i++) {
		values[i] = figures->times[i];
		max = values[i] > max ? values[i] : max;
	}
	line(to, plot.x, plot.y + plot.height, plot.width);
	draw_bars(to, plot, values, FIGURES_TIMES, max, "k");
	for (unsigned int i = 0; i < array_size(labels); i++)
		draw_text(to, plot.x + (5 * i + 1) * step, plot.y + plot.height + 20, "a m",
			  labels[i]);
}

/* --- path of a request */

static void station(struct text *to, unsigned int x, unsigned int y, const char *name,
		    const char *below, bool begin)
{
	text_add(to, "<rect class=\"b\" x=\"%u\" y=\"%u\" width=\"128\" height=\"52\" rx=\"8\"/>",
		 x, y);
	draw_text(to, x + 64, y + 22, "c", name);
	draw_text(to, x + 64, y + 40, "a m", below);
	if (!begin)
		text_add(to, "<path class=\"f\" d=\"M%u %ul-8-4v8z\"/>", x - 1, y + 26);
}

static void way(struct text *to, const struct figures *figures)
{
	struct box panel = { EDGE, 416, WIDTH - 2 * EDGE, 160 };
	char count[SMALL];
	struct text c = text_in(count, SMALL);

	draw_panel(to, panel, "The way of a request");
	text_add(
		to,
		"<path class=\"w\" d=\"M168 503h60M356 503h60M544 503h60M732 503h30v-32h30M762 503v32h30\"/>\n");
	station(to, 40, 477, "Linux", "drivers, limpet0", true);
	station(to, 228, 477, "net", "lwIP", false);
	text_add_number(&c, figures->connections);
	text_add(&c, " connections");
	station(to, 416, 477, "http.accept", count, false);
	c = text_in(count, SMALL);
	text_add_number(&c, figures->answers);
	text_add(&c, " requests");
	station(to, 604, 477, "http.parse", count, false);
	station(to, 792, 445, "http.files", "ramdisk", false);
	station(to, 792, 509, "http.status", "this picture", false);
}

void picture_draw(struct text *to, const struct figures *figures)
{
	head(to, figures);
	tile_answers(to, figures);
	tile_rate(to, figures);
	tile_connections(to, figures);
	tile_time(to, figures);
	chart_rate(to, figures);
	chart_times(to, figures);
	way(to, figures);
	text_add(to, "</svg>\n");
}
