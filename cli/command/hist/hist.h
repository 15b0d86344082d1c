/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet hist`: histograms that components print (<runtime/figure.h>), as pictures. */
#ifndef CLI_HIST_H
#define CLI_HIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <limpet/job.h>

#define HIST_SERIES 16
#define HIST_WORD 32

/* Values of one case and subject; all reports of it are added up. Buckets ascend. */
struct hist {
	char label[2 * HIST_WORD + 2]; /* "timer limpet": printable */
	char unit[HIST_WORD];
	uint64_t count;
	unsigned int buckets, room, reports;
	uint64_t ticks_per_ms; /* of the machine that printed it; 0: unknown */
	struct hist_bucket {
		uint64_t floor, count;
	} *bucket;
	const char *note; /* what the title says of the values; NULL: their number and quantiles */
	bool closed; /* a bucket reaches to the next one's floor, and the last one has no values */
	uint64_t limit; /* a value that hist_svg() marks; 0: none */
};

struct hists {
	unsigned int count;
	struct hist series[HIST_SERIES];
};

/*
 * read.c. Takes a line that has a histogram in it, whatever stands around that; others are nothing. False: it
 * has one that makes no sense, or is one case too many, or has another rate of the time stamp than a report of the same case.
 */
bool hist_line(struct hists *hists, const char *line);
#define HIST_JOBS (LIMPET_JOB_BUCKETS + 1) /* buckets of hist_jobs() */
/*
 * jobs.c. Fills a series with the times of the jobs between two readings, in ticks. hist->bucket has memory for HIST_JOBS
 * buckets. Bucket 0 begins at half of its end, because an axis of powers has no 0. The last bucket is empty and ends the one
 * before it.
 */
void hist_jobs(struct hist *hist, const struct limpet_job_times *before,
	       const struct limpet_job_times *now);
/*
 * scale.c. Converts series in ticks of the time stamp to nanoseconds. `ticks_per_ms` is for series whose lines have no rate. If it
 * is 0, these stay in ticks.
 */
void hist_scale(struct hists *hists, uint64_t ticks_per_ms);
void hist_release(struct hists *hists);
/* The floor of the bucket in which the value is that `permille` of 1000 are not above. Not of an empty one. */
uint64_t hist_quantile(const struct hist *hist, unsigned int permille);

/*
 * rows.c. Rows, or bars, that grow with the values: 4, 2 or 1 for each doubling, so that there are at most
 * `most` if that can be. hist_row_floor: least value of row number n of all that there are.
 */
struct hist_rows {
	unsigned int steps; /* of a doubling */
	unsigned int first, count;
};
struct hist_rows hist_rows(const struct hist *hist, unsigned int most);
uint64_t hist_row_floor(unsigned int steps, unsigned int row);
/* How many values are in a row. */
uint64_t hist_row_count(const struct hist *hist, unsigned int steps, unsigned int row);

/* draw.c: for a terminal of so many columns; with blocks of an eighth, or in ASCII. */
void hist_draw(FILE *out, const struct hist *hist, unsigned int columns, bool blocks);
/* svg.c. Draws a panel for each series, over one axis of values. `title` and `alone`: as in svg_begin(). */
void hist_svg(FILE *out, const struct hists *hists, const char *title, bool alone);

/*
 * output.c. hist_columns: width of the terminal. hist_blocks: whether the locale has block characters. hist_write: writes a
 * picture to a file, and prints where it is if `say`. Returns enum command_exit, after it has reported an error.
 */
unsigned int hist_columns(void);
bool hist_blocks(void);
int hist_write(const struct hists *hists, const char *name, const char *title, bool say);

#endif
