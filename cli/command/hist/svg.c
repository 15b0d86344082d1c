// SPDX-License-Identifier: GPL-2.0
/* A picture that needs no other program: values to the right by doublings, how many of them upwards by tens. */
#include <inttypes.h>
#include <math.h>

#include <cli/command/hist/hist.h>

#define WIDTH 900
#define LEFT 80
#define RIGHT 20
#define PANEL 240 /* height of one, with its title and axis */
#define TOP 34
#define BOTTOM 44
#define STEPS 4
#define HEIGHT (PANEL - TOP - BOTTOM)

static unsigned int first, last; /* rows of all series, from the first to before the last */

static double x_of(unsigned int row)
{
	return LEFT + (double)(WIDTH - LEFT - RIGHT) * (row - first) / (last - first);
}

/* 0: nothing; one value is seen, too. */
static double height_of(uint64_t count, double tens)
{
	return count ? HEIGHT * (log10((double)count) + 0.3) / (tens + 0.3) : 0;
}

static void range_take(const struct hists *hists)
{
	first = ~0u;
	last = 0;
	for (unsigned int i = 0; i < hists->count; i++) {
		struct hist_rows rows;

		if (!hists->series[i].count)
			continue;
		rows = hist_rows(&hists->series[i], ~0u);
		first = rows.first < first ? rows.first : first;
		last = rows.first + rows.count > last ? rows.first + rows.count : last;
	}
	first -= first < last ? first % STEPS : 0;
	last += (STEPS - last % STEPS) % STEPS;
}

static double tens_of(const struct hist *hist)
{
	uint64_t most = 1;

	for (unsigned int row = first; row < last; row++) {
		uint64_t count = hist_row_count(hist, STEPS, row);

		most = count > most ? count : most;
	}
	return fmax(ceil(log10((double)most)), 1);
}

static void text(FILE *out, double x, double y, const char *anchor)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
}

static void escaped(FILE *out, const char *words)
{
	for (; *words; words++)
		if (*words == '<' || *words == '&')
			fprintf(out, "&#%d;", *words);
		else
			fputc(*words, out);
}

static void axes(FILE *out, double base, double tens)
{
	for (unsigned int row = first; row <= last; row += STEPS) {
		fprintf(out,
			"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/>\n",
			x_of(row), base - HEIGHT, x_of(row), base + 4);
		text(out, x_of(row), base + 18, "middle");
		fprintf(out, "%" PRIu64 "</text>\n", hist_row_floor(STEPS, row));
	}
	for (double ten = 0; ten <= tens; ten++) {
		double y = base - height_of((uint64_t)pow(10, ten), tens);

		fprintf(out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ccc\"/>\n",
			LEFT, y, WIDTH - RIGHT, y);
		text(out, LEFT - 6, y + 4, "end");
		fprintf(out, "%.0f</text>\n", pow(10, ten));
	}
}

static void panel(FILE *out, const struct hist *hist, double top)
{
	double base = top + TOP + HEIGHT, tens;

	text(out, LEFT, top + 20, "start");
	escaped(out, hist->label);
	fprintf(out, ": %" PRIu64 " values", hist->count);
	if (hist->count)
		fprintf(out,
			"; median from %" PRIu64 ", 99 %% from %" PRIu64 ", greatest from %" PRIu64,
			hist_quantile(hist, 500), hist_quantile(hist, 990),
			hist->bucket[hist->buckets - 1].floor);
	fprintf(out, "</text>\n");
	if (!hist->count)
		return;
	tens = tens_of(hist);
	axes(out, base, tens);
	for (unsigned int row = first; row < last; row++) {
		double height = height_of(hist_row_count(hist, STEPS, row), tens);

		if (height > 0)
			fprintf(out,
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#36c\"/>\n",
				x_of(row), base - height, x_of(row + 1) - x_of(row), height);
	}
	text(out, WIDTH - RIGHT, base + 34, "end");
	escaped(out, hist->unit);
	fprintf(out, "</text>\n");
}

void hist_svg(FILE *out, const struct hists *hists)
{
	unsigned int height = PANEL * hists->count;

	range_take(hists);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		WIDTH, height, WIDTH, height);
	for (unsigned int i = 0; i < hists->count; i++)
		panel(out, &hists->series[i], (double)PANEL * i);
	fprintf(out, "</svg>\n");
}
