// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures the loop's wake-up error: its first time stamp after the wait, less the time at which it
 * was due. A report covers the periods since the previous report. The interface stats covers all
 * periods.
 */
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <export/stats.h>
#include <import/sched.h>

#define WINDOW_MAX 10000 /* periods of a report */

static struct histogram total, recent;
static uint32_t errors[WINDOW_MAX]; /* errors of the periods since the last report */
static uint64_t overruns;

static uint64_t arg_between(const struct limpet_info *info, const char *name, int64_t otherwise,
			    int64_t min, int64_t max)
{
	int64_t value = limpet_arg_number(info, name, otherwise);

	return (uint64_t)(value < min ? min : value > max ? max : value);
}

static void report(const struct limpet_info *info, uint64_t n)
{
	const char *subject = limpet_arg_text(info, "subject", "limpet");
	struct figure figure = figure_of_values(errors, n);

	figure_print(&figure, "table1", "timer", subject);
	limpet_print(
		"{\"overruns\": {\"suite\": \"table1\", \"case\": \"timer\", \"subject\": \"%s\", "
		"\"count\": %lu}}\n",
		subject, overruns);
	if (overruns)
		limpet_print("timer of %s: %lu periods missed\n", subject, overruns);
	if (!limpet_arg_number(info, "histogram", 0))
		return;
	histogram_clear(&recent);
	for (uint64_t i = 0; i < n; i++)
		histogram_add(&recent, errors[i]);
	figure_print_histogram(&recent, "table1", "timer", subject);
}

/* Waits for the next period. Returns the wake-up error. */
static uint32_t period_wait(void)
{
	word due = 0;
	long missed = sched_periodic_wait(&due);
	uint64_t error = limpet_time() - due;

	overruns += missed > 0 ? (uint64_t)missed : 0;
	histogram_add(&total, error);
	return error < UINT32_MAX ? (uint32_t)error : UINT32_MAX;
}

/* A report takes time that is not part of the loop, so the loop restarts its periods afterwards. */
void component_main(const struct limpet_info *info)
{
	uint64_t period = limpet_us_to_ticks(arg_between(info, "period-us", 1000, 20, 10000000));
	uint64_t every = arg_between(info, "report-every", 1000, 0, WINDOW_MAX);
	uint64_t count = arg_between(info, "count", 0, 0, INT64_MAX);
	uint64_t window = every ? every : WINDOW_MAX;

	limpet_print("a period of %lu.%lu µs\n", LIMPET_US(period));
	for (uint64_t done = 0; !count || done < count; done += window) {
		overruns = 0;
		sched_periodic(period, 0);
		if (count && count - done < window)
			window = count - done;
		for (uint64_t i = 0; i < window; i++)
			errors[i] = period_wait();
		if (every)
			report(info, window);
	}
	limpet_print("done\n");
}

long component_init(const struct limpet_info *info)
{
	(void)info;
	histogram_clear(&total);
	return LIMPET_OK;
}

/*
 * The interface stats. Other threads read while the loop writes, so a value may be one period old.
 */

long stats_serve_get(word badge, struct stats_get_results *out)
{
	(void)badge;
	out->min = total.count ? total.min : 0;
	out->max = total.max;
	out->sum = total.sum;
	return (long)total.count;
}

long stats_serve_bucket(word badge, word index, struct stats_bucket_results *out)
{
	(void)badge;
	if (index >= HISTOGRAM_BUCKETS)
		return LIMPET_ENOENT;
	out->floor = histogram_floor((unsigned int)index);
	out->ceiling = index + 1 < HISTOGRAM_BUCKETS ? histogram_floor((unsigned int)index + 1)
						     : LIMPET_NEVER;
	return (long)total.bucket[index];
}

long stats_serve_quantile(word badge, word part, struct stats_quantile_results *out)
{
	(void)badge;
	if (part > 1000)
		return LIMPET_ERANGE;
	if (!total.count)
		return LIMPET_EEMPTY;
	out->value = histogram_quantile(&total, (unsigned int)part);
	return LIMPET_OK;
}
