// SPDX-License-Identifier: BSD-2-Clause
/* Measures how late the executive's own thread starts at a periodic event, while the executive serves guests. */
#include "probe.h"

#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#define PERIOD_US 1000

static uint32_t errors[EVENTS_MAX];
static struct histogram histogram;

static uint32_t event_await(void)
{
	word due = 0;
	uint64_t error;

	sched_periodic_wait(&due);
	error = limpet_time() - due;
	return error < UINT32_MAX ? (uint32_t)error : UINT32_MAX;
}

void events_measure(word count)
{
	struct figure figure;

	histogram_clear(&histogram);
	sched_periodic(limpet_us_to_ticks(PERIOD_US), 0);
	for (word i = 0; i < count; i++)
		errors[i] = event_await();
	for (word i = 0; i < count; i++)
		histogram_add(&histogram, errors[i]);
	figure = figure_of_values(errors, count);
	figure_print(&figure, "exec", "event", "limpet");
	figure_print_histogram(&histogram, "exec", "event", "limpet");
	limpet_print("events measured\n");
}
