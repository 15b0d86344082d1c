/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last events of each CPU, and from them who had the CPU during a job. The kernel records no event while a thread
 * simply runs, so the time between two events belongs to the one that the first of them names.
 */
#ifndef CLI_CHECK_TIMELINE_H
#define CLI_CHECK_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/device.h>

/* The kinds of events that a timeline needs. */
#define TIMELINE_KINDS                                                                             \
	(1u << LIMPET_TRACE_DISPATCH | 1u << LIMPET_TRACE_EVENT | 1u << LIMPET_TRACE_FAULT |       \
	 1u << LIMPET_TRACE_RESUME | 1u << LIMPET_TRACE_PAUSE)

#define TIMELINE_EVENTS 65536u /* of a CPU; a power of two */

struct timeline {
	struct limpet_trace_event event[TIMELINE_EVENTS];
	uint64_t first, next; /* counts of events: those from `first` on are there */
};

/* Why Linux had the CPU. */
enum timeline_linux {
	TIMELINE_IDLE,	    /* the kernel had nothing to run, or Linux was late to return the CPU */
	TIMELINE_INTERRUPT, /* an interrupt or an exception of Linux's */
	TIMELINE_SHARE,	    /* Linux's share */
	TIMELINE_SERVICE,   /* a request of the kernel, as a notification of a channel */
	TIMELINE_LINUX
};

/* Who had a CPU in a span of time. Times are in ticks. */
struct timeline_sum {
	bool whole; /* the events of all of the span are there */
	uint64_t linux[TIMELINE_LINUX];
	uint64_t linux_longest; /* the longest time without a component */
	uint32_t interrupts;	/* times that an interrupt took the CPU */
	uint64_t thread[LIMPET_THREADS_MAX];
	uint32_t woken
		[LIMPET_THREADS_MAX]; /* events for the thread, also in an equally long time before */
	uint32_t faults[LIMPET_THREADS_MAX]; /* its faults, with those that were repaired */
};

/* Appends events in their order; `lost` of them were overwritten before the first. */
void timeline_put(struct timeline *timeline, const struct limpet_trace_event *event, size_t count,
		  uint64_t lost);
/* Sums the span from `from` up to `to`, time stamps. Cost: linear in the events of the timeline. */
void timeline_take(struct timeline_sum *sum, const struct timeline *timeline, uint64_t from,
		   uint64_t to);
/* The time stamp of the last event; 0: there is none. */
uint64_t timeline_end(const struct timeline *timeline);
/* All of Linux's time. */
uint64_t timeline_linux(const struct timeline_sum *sum);

#endif
