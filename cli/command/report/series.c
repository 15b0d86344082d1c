// SPDX-License-Identifier: GPL-2.0
/* Draws the times of a thread's jobs in the course of the check. */
#include <inttypes.h>
#include <math.h>

#include <cli/command/report/survey.h>
#include <cli/common/svg.h>

#define WIDTH 900
#define LEFT 80
#define RIGHT 20
#define TOP 34
#define HEIGHT 90
#define GAP 40
#define BOTTOM 44
#define LINES 4 /* maximum number of lines of a vertical scale */
#define STRIP(n) (TOP + (n) * (HEIGHT + GAP))

/* One strip, with its vertical scale from 0. */
struct strip {
	const struct check *check;
	const struct survey_thread *kept;
	enum survey_time which;
	double y, max; /* max: µs at the upper edge */
};

static double x_of(const struct strip *strip, double seconds)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * fmin(seconds / strip->check->seconds, 1);
}

static double y_of(const struct strip *strip, uint64_t ticks)
{
	return strip->y + HEIGHT * (1 - check_us(strip->check, ticks) / strip->max);
}

static double x_before(const struct strip *strip, unsigned int sample)
{
	return sample ? x_of(strip, strip->kept->sample[sample - 1].seconds) : LEFT;
}

static void scale_draw(FILE *out, const struct strip *strip)
{
	const double step = svg_step(strip->max, LINES);

	for (double value = 0; value <= strip->max; value += step) {
		const double y = strip->y + HEIGHT * (1 - value / strip->max);

		svg_line(out, LEFT, y, WIDTH - RIGHT, y, value > 0 ? "grid" : "axis");
		svg_text(out, LEFT - 6, y + 4, "pale end", "%.10g", value);
	}
}

/* Draws an area from the shortest to the longest job of each sample, and a line for the mean. */
static void samples_draw(FILE *out, const struct strip *strip)
{
	const struct survey_sample *sample = strip->kept->sample;
	bool open = false;

	fputs("<path class=\"band\" d=\"", out);
	for (unsigned int i = 0; i < strip->kept->samples; i++)
		if (sample[i].jobs)
			fprintf(out, "M%.1f %.1fH%.1fV%.1fH%.1fZ", x_before(strip, i),
				y_of(strip, sample[i].time[strip->which].high),
				x_of(strip, sample[i].seconds),
				y_of(strip, sample[i].time[strip->which].low), x_before(strip, i));
	fputs("\"/>\n<path class=\"mean\" d=\"", out);
	for (unsigned int i = 0; i < strip->kept->samples; i++) {
		if (sample[i].jobs)
			fprintf(out, "%c%.1f %.1fH%.1f", open ? 'L' : 'M', x_before(strip, i),
				y_of(strip, sample[i].time[strip->which].mean),
				x_of(strip, sample[i].seconds));
		open = sample[i].jobs;
	}
	fputs("\"/>\n", out);
}

static void misses_draw(FILE *out, const struct strip *strip)
{
	const struct survey_sample *sample = strip->kept->sample;
	char tip[SURVEY_TEXT];

	for (unsigned int i = 0; i < strip->kept->samples; i++) {
		const double x = x_before(strip, i);

		if (!sample[i].missed)
			continue;
		snprintf(tip, sizeof(tip), "%" PRIu64 " of %" PRIu64 " jobs missed their deadline",
			 sample[i].missed, sample[i].jobs);
		svg_rect(out,
			 (struct svg_box){ x, strip->y - 6,
					   fmax(x_of(strip, sample[i].seconds) - x, 2), 6 },
			 "bad", tip);
	}
}

static double max_of(const struct strip *strip, uint64_t limit)
{
	uint64_t max = 1;

	for (unsigned int i = 0; i < strip->kept->samples; i++) {
		const uint64_t high = strip->kept->sample[i].time[strip->which].high;

		max = high > max ? high : max;
	}
	if (limit && limit < 2 * max && limit > max)
		max = limit;
	return check_us(strip->check, max) * 1.05;
}

static void strip_draw(FILE *out, struct strip *strip, const char *label, uint64_t limit)
{
	strip->y = STRIP(strip->which);
	strip->max = max_of(strip, limit);
	svg_text(out, LEFT, strip->y - 12, "head", "%s in µs", label);
	scale_draw(out, strip);
	samples_draw(out, strip);
	if (limit && check_us(strip->check, limit) < strip->max)
		svg_line(out, LEFT, y_of(strip, limit), WIDTH - RIGHT, y_of(strip, limit), "limit");
	if (strip->which == SURVEY_RESPONSE)
		misses_draw(out, strip);
}

void series_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		 bool alone)
{
	static const char *const labels[SURVEY_TIMES] = { "Lateness", "Run time", "Response time" };
	const struct check *check = &survey->check;
	struct strip strip = { .check = check, .kept = &survey->thread[thread] };
	const struct svg_box all = { LEFT, TOP, WIDTH - LEFT - RIGHT,
				     STRIP(SURVEY_TIMES) - TOP - GAP };

	svg_begin(out, WIDTH, all.y + all.height + BOTTOM, title, alone);
	svg_scale(out, all, 0, check->seconds, "seconds since the start of the check");
	for (unsigned int i = 0; i < SURVEY_TIMES; i++) {
		strip.which = i;
		strip_draw(out, &strip, labels[i],
			   i == SURVEY_RESPONSE ? check->thread[thread].period : 0);
	}
	svg_end(out);
}
