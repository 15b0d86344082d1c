/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet hist` draws histograms that components print (<runtime/figure.h>). */
#ifndef CLI_HIST_H
#define CLI_HIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <limpet/job.h>

#define HIST_SERIES 16
#define HIST_WORD 32

/* The sum of all reports of one case and subject. Buckets ascend. */
struct hist {
	char label[2 * HIST_WORD + 2]; /* "timer limpet": printable */
	char unit[HIST_WORD];
	uint64_t count;
	unsigned int buckets, capacity, reports;
	uint64_t ticks_per_ms; /* rate of the clock of the machine that printed it; 0: unknown */
	struct hist_bucket {
		uint64_t floor, count;
	} *bucket;
	const char *note; /* text after the label; NULL: number and quantiles of the values */
	bool closed; /* a bucket extends to the floor of the next one, and the last one is empty */
	uint64_t limit; /* a value that hist_svg() marks; 0: unset */
};

struct hists {
	unsigned int count;
	struct hist series[HIST_SERIES];
	const char *why; /* reason of the last refusal, without a period */
};

/*
 * read.c. Adds the histogram in a line, which can contain other text, too. Ignores a line without a histogram. Returns
 * false and sets `why` if the histogram is invalid, if there are too many cases, or if a report of the same case has
 * another rate of the time stamp.
 */
bool hist_line(struct hists *hists, const char *line);
#define HIST_JOBS (LIMPET_JOB_BUCKETS + 1) /* buckets of hist_jobs() */
/*
 * jobs.c. Fills a series with the times of the jobs between two readings, in ticks. hist->bucket has memory for HIST_JOBS
 * buckets. Bucket 0 starts at half of its end, because a logarithmic axis has no 0. The last bucket is empty: its floor is the end
 * of the one before it.
 */
void hist_jobs(struct hist *hist, const struct limpet_job_times *before,
	       const struct limpet_job_times *now);
/*
 * scale.c. Converts series in ticks of the time stamp to nanoseconds. `ticks_per_ms` is for series whose lines have no rate. If it
 * is 0, they stay in ticks.
 */
void hist_scale(struct hists *hists, uint64_t ticks_per_ms);
void hist_release(struct hists *hists);
/* Returns the floor of the bucket that has the quantile `permille` of 1000. The series must have a value. */
uint64_t hist_quantile(const struct hist *hist, unsigned int permille);

/*
 * rows.c. Rows, or bars, whose width grows with the values: 4, 2 or 1 for each doubling. hist_rows: returns the finest
 * rows of which there are at most `max`, or one for each doubling. hist_row_floor: returns the smallest value of a row.
 * Row 0 starts at 1.
 */
struct hist_rows {
	unsigned int steps; /* rows for each doubling */
	unsigned int first, count;
};
struct hist_rows hist_rows(const struct hist *hist, unsigned int max);
uint64_t hist_row_floor(unsigned int steps, unsigned int row);
/* Returns the number of values in a row. */
uint64_t hist_row_count(const struct hist *hist, unsigned int steps, unsigned int row);

/* draw.c. Draws a histogram for a terminal with this number of columns, with blocks of an eighth or in ASCII. */
void hist_draw(FILE *out, const struct hist *hist, unsigned int columns, bool blocks);
/* svg.c. Draws a panel for each series, over one axis of values. `title` and `alone`: as in svg_begin(). */
void hist_svg(FILE *out, const struct hists *hists, const char *title, bool alone);

/*
 * output.c. hist_print_json: prints a histogram as one JSON object on a line. hist_columns: returns the width of the terminal.
 * hist_blocks: returns true if the locale has block characters. hist_write: writes a picture to a file of file_prepare(),
 * closes it, and prints its name if `say`. Returns enum command_exit after it has reported an error.
 */
void hist_print_json(FILE *out, const struct hist *hist);
unsigned int hist_columns(void);
bool hist_blocks(void);
int hist_write(FILE *file, const struct hists *hists, const char *name, const char *title,
	       bool say);

#endif
