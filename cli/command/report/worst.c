// SPDX-License-Identifier: GPL-2.0
/* Draws the use of the CPU around a thread's worst job: a row for the thread, rows for others, and a row for Linux. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cli/command/report/survey.h>
#include <cli/command/trace/trace.h>
#include <cli/common/event.h>
#include <cli/common/svg.h>

#define WIDTH 900
#define LEFT 170
#define RIGHT 20
#define TOP 46
#define ROW 26
#define BAR 16
#define BOTTOM 44
#define ROWS 10	      /* maximum number; the last but one has all other threads */
#define NARROW 0.8    /* pixels: shorter gaps between two bars of a row are not drawn */
#define MARK_SPACE 90 /* minimum distance in pixels between the words of two marks */

struct row {
	unsigned int thread; /* LIMPET_THREADS_MAX: Linux, or with others: all others */
	bool others;
	/* The bar that bar_end() draws, and its class. */
	double x, end;
	const char *class;
};

struct worst {
	FILE *out;
	const struct survey *survey;
	const struct check_thread *checked;
	const struct survey_thread *kept;
	uint64_t from, to;
	struct row row[ROWS];
	unsigned int rows;
	uint64_t ticks[LIMPET_THREADS_MAX]; /* run times of the threads without a row */
};

static double x_of(const struct worst *worst, uint64_t time)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * (double)(time - worst->from) /
			      (double)(worst->to - worst->from);
}

static double y_of(const struct worst *worst, const struct row *row)
{
	return TOP + ROW * (double)(row - worst->row);
}

/* Calls `each` for each span of time in which the user of the CPU is known. */
static void spans_walk(struct worst *worst,
		       void (*each)(struct worst *worst, const struct timeline_holder *holder,
				    uint64_t from, uint64_t to))
{
	const struct survey_thread *kept = worst->kept;
	const uint64_t end = kept->known < worst->to ? kept->known : worst->to;
	struct timeline_holder holder = { 0 };
	uint64_t at = worst->from;

	for (size_t i = 0; i < kept->events; i++) {
		const uint64_t until = kept->event[i].time;

		if (until > at) {
			if (holder.known)
				each(worst, &holder, at, until);
			at = until;
		}
		timeline_follow(&holder, &kept->event[i]);
	}
	if (holder.known && end > at)
		each(worst, &holder, at, end);
}

/* --- Rows */

static void span_sum(struct worst *worst, const struct timeline_holder *holder, uint64_t from,
		     uint64_t to)
{
	if (!holder->linux)
		worst->ticks[holder->thread] += to - from;
}

static unsigned int busiest_find(const struct worst *worst)
{
	unsigned int found = LIMPET_THREADS_MAX;

	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		if (id != worst->checked->id && worst->ticks[id] &&
		    (found == LIMPET_THREADS_MAX || worst->ticks[id] > worst->ticks[found]))
			found = id;
	return found;
}

/* Chooses the rows: the thread, then the others that ran longest, and Linux last. */
static void rows_choose(struct worst *worst)
{
	unsigned int id;

	worst->row[worst->rows++] = (struct row){ .thread = worst->checked->id };
	while (worst->rows < ROWS - 2 && (id = busiest_find(worst)) < LIMPET_THREADS_MAX) {
		worst->row[worst->rows++] = (struct row){ .thread = id };
		worst->ticks[id] = 0;
	}
	if (busiest_find(worst) < LIMPET_THREADS_MAX)
		worst->row[worst->rows++] =
			(struct row){ .thread = LIMPET_THREADS_MAX, .others = true };
	worst->row[worst->rows++] = (struct row){ .thread = LIMPET_THREADS_MAX };
}

static struct row *row_of(struct worst *worst, const struct timeline_holder *holder)
{
	struct row *const linux = &worst->row[worst->rows - 1];

	if (holder->linux)
		return linux;
	for (struct row *row = worst->row; row < linux; row++)
		if (row->thread == holder->thread || row->others)
			return row;
	return linux - 1;
}

/* --- Bars */

static void bar_end(struct worst *worst, struct row *row)
{
	if (row->class)
		svg_rect(worst->out,
			 (struct svg_box){ row->x, y_of(worst, row) + (ROW - BAR) / 2.0,
					   fmax(row->end - row->x, NARROW), BAR },
			 row->class, NULL);
	row->class = NULL;
}

static void span_draw(struct worst *worst, const struct timeline_holder *holder, uint64_t from,
		      uint64_t to)
{
	struct row *row = row_of(worst, holder);
	const double x = x_of(worst, from), end = x_of(worst, to);
	const char *class = row == worst->row		   ? "bar"
			    : !holder->linux		   ? "other"
			    : holder->why == TIMELINE_IDLE ? "idle"
							   : "linux";

	if (row->class == class && x - row->end < NARROW) {
		row->end = end;
		return;
	}
	bar_end(worst, row);
	row->x = x;
	row->end = end;
	row->class = class;
}

static void faults_draw(struct worst *worst)
{
	const struct survey_thread *kept = worst->kept;

	for (size_t i = 0; i < kept->events; i++) {
		const struct limpet_trace_event *event = &kept->event[i];
		const struct timeline_holder holder = { .thread = event_thread(event) };

		if (event_kind(event) != LIMPET_TRACE_FAULT || event->time < worst->from)
			continue;
		svg_rect(worst->out,
			 (struct svg_box){ x_of(worst, event->time) - 1,
					   y_of(worst, row_of(worst, &holder)), 2, ROW },
			 "bad", "a fault");
	}
}

static void labels_draw(const struct worst *worst)
{
	const struct check *check = &worst->survey->check;

	for (const struct row *row = worst->row; row < worst->row + worst->rows; row++) {
		const double y = y_of(worst, row) + ROW / 2.0 + 4;
		char name[SURVEY_TEXT] = "Linux, or idle";

		if (row->others)
			strcpy(name, "other threads");
		else if (row->thread < LIMPET_THREADS_MAX)
			trace_thread_name(&check->snapshot, worst->checked->cpu, row->thread, name,
					  sizeof(name));
		svg_text(worst->out, LEFT - 10, y, row == worst->row ? "head end" : "end", "%.22s",
			 name);
	}
}

/* --- Marks */

static void mark_draw(const struct worst *worst, uint64_t time, const char *class, bool left,
		      const char *word)
{
	const double x = x_of(worst, time);
	const double bottom = TOP + ROW * (double)worst->rows;

	if (time < worst->from || time > worst->to)
		return;
	svg_line(worst->out, x, TOP - 8, x, bottom, class);
	svg_text(worst->out, x, TOP - 14, left ? "end" : "middle", "%s", word);
}

static void marks_draw(const struct worst *worst)
{
	const struct check *check = &worst->survey->check;
	const uint64_t release = worst->kept->release, end = worst->kept->end;
	const uint64_t deadline = release + worst->checked->period;
	const bool late = check_worst(check, worst->checked) == &worst->checked->now.late;
	const bool near = fabs(x_of(worst, end) - x_of(worst, deadline)) < MARK_SPACE;

	mark_draw(worst, release, "mark", false, "release");
	mark_draw(worst, deadline, "limit", near && deadline < end, "deadline");
	mark_draw(worst, end, "mark", near && end <= deadline,
		  check_stuck(check, worst->checked) ? "last event"
		  : late			     ? "start"
						     : "end");
}

static double us_after(const struct worst *worst, uint64_t time)
{
	const struct check *check = &worst->survey->check;
	const uint64_t release = worst->kept->release;

	return time < release ? -check_us(check, release - time) : check_us(check, time - release);
}

static void rows_draw(struct worst *worst, struct svg_box box)
{
	for (struct row *row = worst->row; row < worst->row + worst->rows; row++)
		svg_rect(worst->out,
			 (struct svg_box){ LEFT, y_of(worst, row) + (ROW - BAR) / 2.0,
					   WIDTH - LEFT - RIGHT, BAR },
			 "calm", NULL);
	svg_scale(worst->out, box, us_after(worst, worst->from), us_after(worst, worst->to),
		  "µs after the release");
	spans_walk(worst, span_draw);
	for (struct row *row = worst->row; row < worst->row + worst->rows; row++)
		bar_end(worst, row);
}

void worst_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		bool alone)
{
	const struct survey_thread *kept = &survey->thread[thread];
	struct worst worst = { .out = out,
			       .survey = survey,
			       .checked = &survey->check.thread[thread],
			       .kept = kept,
			       .from = survey_from(kept),
			       .to = survey_to(kept) };
	struct svg_box box = { LEFT, TOP, WIDTH - LEFT - RIGHT, 0 };

	spans_walk(&worst, span_sum);
	rows_choose(&worst);
	box.height = ROW * (double)worst.rows;
	svg_begin(out, WIDTH, TOP + box.height + BOTTOM, title, alone);
	rows_draw(&worst, box);
	faults_draw(&worst);
	labels_draw(&worst);
	marks_draw(&worst);
	svg_end(out);
}
