// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include <cli/command/hist/hist.h>

#define ROWS_MAX 24
#define BESIDE 48 /* columns of the numbers */
#define EIGHTHS 8

/* Draws at least an eighth of a column for a part that is not 0. */
static void draw_bar(FILE *out, double part, unsigned int columns, bool blocks)
{
	static const char *const rest[EIGHTHS] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned int eighths = (unsigned int)(part * columns * EIGHTHS + 0.5);

	if (!eighths && part > 0)
		eighths = 1;
	if (!blocks)
		eighths = (eighths + EIGHTHS - 1) / EIGHTHS * EIGHTHS;
	for (unsigned int i = 0; i < eighths / EIGHTHS; i++)
		fputs(blocks ? "█" : "#", out);
	fputs(rest[eighths % EIGHTHS], out);
}

static void draw_row(FILE *out, const struct hist *hist, unsigned int steps, unsigned int row,
		     uint64_t max, unsigned int columns, bool blocks)
{
	uint64_t count = hist_row_count(hist, steps, row);
	double part = (double)count / (double)hist->count;

	fprintf(out, "%12" PRIu64 " - %-12" PRIu64 " %8" PRIu64 " ", hist_row_floor(steps, row),
		hist_row_floor(steps, row + 1), count);
	if (!count)
		fprintf(out, "%8s", "");
	else if (part < 0.001)
		fprintf(out, "%7s ", "<0.1%");
	else
		fprintf(out, "%6.1f%% ", 100 * part);
	draw_bar(out, (double)count / (double)max, columns, blocks);
	fputc('\n', out);
}

static void title_print(FILE *out, const struct hist *hist)
{
	if (hist->note) {
		fprintf(out, "%s: %s\n", hist->label, hist->note);
		return;
	}
	fprintf(out, "%s: %" PRIu64 " value%s in %u report%s", hist->label, hist->count,
		hist->count == 1 ? "" : "s", hist->reports, hist->reports == 1 ? "" : "s");
	if (hist->count)
		fprintf(out,
			"; median from %" PRIu64 ", 99 %% from %" PRIu64 ", maximum from %" PRIu64
			" %s",
			hist_quantile(hist, 500), hist_quantile(hist, 990),
			hist->bucket[hist->buckets - 1].floor, hist->unit);
	fputc('\n', out);
}

void hist_draw(FILE *out, const struct hist *hist, unsigned int columns, bool blocks)
{
	struct hist_rows rows;
	uint64_t max = 1;

	title_print(out, hist);
	if (!hist->count)
		return;
	rows = hist_rows(hist, ROWS_MAX);
	for (unsigned int i = 0; i < rows.count; i++) {
		uint64_t count = hist_row_count(hist, rows.steps, rows.first + i);

		max = count > max ? count : max;
	}
	for (unsigned int i = 0; i < rows.count; i++)
		draw_row(out, hist, rows.steps, rows.first + i, max,
			 columns > BESIDE + 10 ? columns - BESIDE : 10, blocks);
}
