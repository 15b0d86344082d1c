// SPDX-License-Identifier: GPL-2.0
/* Draws a panel for each histogram. All panels have the same axis of values. Both axes are logarithmic. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cli/command/hist/hist.h>
#include <cli/common/svg.h>

#define WIDTH 900
#define LEFT 80
#define RIGHT 20
#define PANEL 200 /* height of a panel with its title and axis */
#define TOP 34
#define BOTTOM 44
#define STEPS 4
#define HEIGHT (PANEL - TOP - BOTTOM)
#define TENS_FEW 3 /* an axis with more powers of ten has lines at the powers only */

static unsigned int first, last; /* rows of all series, from the first to before the last */

static double x_of(double value)
{
	const double row = value > 1 ? STEPS * log2(value) : 0;

	return LEFT + (double)(WIDTH - LEFT - RIGHT) * (row - first) / (last - first);
}

/* Returns 0 for a count of 0, and a positive height for a count of 1. */
static double height_of(uint64_t count, double tens)
{
	return count ? HEIGHT * (log10((double)count) + 0.3) / (tens + 0.3) : 0;
}

static void range_widen(struct hist_rows rows)
{
	first = rows.first < first ? rows.first : first;
	last = rows.first + rows.count > last ? rows.first + rows.count : last;
}

static void range_take(const struct hists *hists)
{
	first = ~0u;
	last = 0;
	for (unsigned int i = 0; i < hists->count; i++) {
		struct hist_bucket bucket = { .floor = hists->series[i].limit };
		const struct hist limit = { .buckets = 1, .bucket = &bucket };

		if (hists->series[i].count)
			range_widen(hist_rows(&hists->series[i], ~0u));
		if (hists->series[i].count && bucket.floor)
			range_widen(hist_rows(&limit, ~0u));
	}
	first -= first < last ? first % STEPS : 0;
	last += (STEPS - last % STEPS) % STEPS;
}

static double tens_of(const struct hist *hist)
{
	uint64_t max = 1;

	for (unsigned int row = first; row < last; row++) {
		uint64_t count = hist_row_count(hist, STEPS, row);

		max = count > max ? count : max;
	}
	return fmax(ceil(log10((double)max)), 1);
}

/* Draws the axis of values. Values in ns have lines and figures in µs. */
static void values_draw(FILE *out, double base, const char *unit)
{
	const double scale = strcmp(unit, "ns") ? 1 : 1000;
	const double low = exp2((double)first / STEPS), high = exp2((double)last / STEPS);
	const bool few = log10(high / low) <= TENS_FEW;

	for (double ten = pow(10, floor(log10(low / scale))); ten * scale <= high; ten *= 10)
		for (unsigned int n = 1; n <= (few ? 5 : 1); n += n == 1 ? 1 : 3) {
			const double value = ten * n * scale;

			if (value < low * 0.999 || value > high * 1.001)
				continue;
			svg_line(out, x_of(value), base - HEIGHT, x_of(value), base + 4, "grid");
			svg_text(out, x_of(value), base + 18, "pale middle", "%.10g", ten * n);
		}
	svg_text(out, WIDTH - RIGHT, base + 34, "pale end", "%s", scale > 1 ? "µs" : unit);
}

static void counts_draw(FILE *out, double base, double tens)
{
	for (double ten = 0; ten <= tens; ten++) {
		double y = base - height_of((uint64_t)pow(10, ten), tens);

		svg_line(out, LEFT, y, WIDTH - RIGHT, y, "grid");
		svg_text(out, LEFT - 6, y + 4, "pale end", "%.0f", pow(10, ten));
	}
	svg_line(out, LEFT, base, WIDTH - RIGHT, base, "axis");
}

static void bar_draw(FILE *out, double low, double high, double base, double height)
{
	if (height > 0)
		svg_rect(out,
			 (struct svg_box){ x_of(low), base - height, x_of(high) - x_of(low) - 1,
					   height },
			 "bar", NULL);
}

static void bars_draw(FILE *out, const struct hist *hist, double base, double tens)
{
	const struct hist_bucket *bucket = hist->bucket;

	for (unsigned int i = 0; hist->closed && i + 1 < hist->buckets; i++)
		bar_draw(out, (double)bucket[i].floor, (double)bucket[i + 1].floor, base,
			 height_of(bucket[i].count, tens));
	for (unsigned int row = first; !hist->closed && row < last; row++)
		bar_draw(out, exp2((double)row / STEPS), exp2((double)(row + 1) / STEPS), base,
			 height_of(hist_row_count(hist, STEPS, row), tens));
}

static void title_draw(FILE *out, const struct hist *hist, double y)
{
	if (hist->note)
		svg_text(out, LEFT, y, "head", "%s: %s", hist->label, hist->note);
	else if (hist->count)
		svg_text(out, LEFT, y, "head",
			 "%s: %" PRIu64 " values; median from %" PRIu64 ", 99 %% from %" PRIu64
			 ", maximum from %" PRIu64 " %s",
			 hist->label, hist->count, hist_quantile(hist, 500),
			 hist_quantile(hist, 990), hist->bucket[hist->buckets - 1].floor,
			 hist->unit);
	else
		svg_text(out, LEFT, y, "head", "%s: no values", hist->label);
}

static void panel_draw(FILE *out, const struct hist *hist, double top)
{
	const double base = top + TOP + HEIGHT;
	double tens;

	title_draw(out, hist, top + 20);
	if (!hist->count)
		return;
	tens = tens_of(hist);
	values_draw(out, base, hist->unit);
	counts_draw(out, base, tens);
	bars_draw(out, hist, base, tens);
	if (hist->limit)
		svg_line(out, x_of((double)hist->limit), base - HEIGHT, x_of((double)hist->limit),
			 base, "limit");
}

void hist_svg(FILE *out, const struct hists *hists, const char *title, bool alone)
{
	range_take(hists);
	svg_begin(out, WIDTH, (double)PANEL * hists->count, title, alone);
	for (unsigned int i = 0; i < hists->count; i++)
		panel_draw(out, &hists->series[i], (double)PANEL * i);
	svg_end(out);
}
