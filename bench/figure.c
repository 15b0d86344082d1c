// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "figure.h"

void figure_die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t figure_ticks_per_ms(void)
{
	const struct timespec wait = { .tv_nsec = 100000000 };
	struct timespec begin, end;
	uint64_t ticks = figure_time();

	clock_gettime(CLOCK_MONOTONIC, &begin);
	nanosleep(&wait, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	ticks = figure_time() - ticks;
	return (uint64_t)((double)ticks * 1e6 /
			  ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
			   (double)(end.tv_nsec - begin.tv_nsec)));
}

void figure_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		figure_die("sched_setaffinity");
}

/* musl's sched_setscheduler() refuses, because threads have priorities, too. */
void figure_realtime(int priority)
{
	struct sched_param parameter = { .sched_priority = priority };

	if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &parameter))
		figure_die("sched_setscheduler");
}

void figure_usage(const char *how)
{
	fprintf(stderr, "usage: %s\n", how);
	exit(2);
}

unsigned long figure_number(const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*end || !number) {
		fprintf(stderr, "'%s' is not a number above 0\n", text);
		exit(2);
	}
	return number;
}

uint64_t *figure_samples(unsigned long count)
{
	uint64_t *samples = malloc(count * sizeof(*samples));

	if (!samples)
		figure_die("malloc");
	memset(samples, 1, count * sizeof(*samples));
	return samples;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void figure_print_unit(const struct figure *figure, const char *unit, uint64_t *samples,
		       unsigned long count)
{
	double squares = 0;
	double mean = 0;

	qsort(samples, count, sizeof(*samples), compare);
	for (unsigned long i = 0; i < count; i++)
		mean += (double)samples[i] / (double)count;
	for (unsigned long i = 0; i < count; i++)
		squares += ((double)samples[i] - mean) * ((double)samples[i] - mean);
	printf("{\"figure\": {\"suite\": \"%s\", \"case\": \"%s\", \"subject\": \"%s\", "
	       "\"unit\": \"%s\", \"n\": %lu, \"min\": %lu, \"median\": %lu, \"p99\": %lu, "
	       "\"max\": %lu, \"mean\": %.1f, \"stddev\": %.1f}}\n",
	       figure->suite, figure->name, figure->subject, unit, count, samples[0],
	       samples[(count - 1) / 2], samples[(count * 99 + 99) / 100 - 1], samples[count - 1],
	       mean, sqrt(squares / (double)count));
	fflush(stdout);
}

void figure_print(const struct figure *figure, uint64_t *samples, unsigned long count)
{
	figure_print_unit(figure, "ticks", samples, count);
}
