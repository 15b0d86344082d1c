/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the last events of a CPU, and computes from them how the CPU was used during a job. The kernel records no event
 * while a thread runs without interruption, so the time between two events counts for the thread, or for Linux, that
 * the first event names.
 */
#ifndef CLI_CHECK_TIMELINE_H
#define CLI_CHECK_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/device.h>

/* Kinds of events that switch the user of the CPU, and all kinds that a timeline uses. */
#define TIMELINE_SWITCHES                                                                          \
	(1u << LIMPET_TRACE_DISPATCH | 1u << LIMPET_TRACE_RESUME | 1u << LIMPET_TRACE_PAUSE)
#define TIMELINE_KINDS (TIMELINE_SWITCHES | 1u << LIMPET_TRACE_EVENT | 1u << LIMPET_TRACE_FAULT)

#define TIMELINE_EVENTS 65536u /* capacity; a power of two */

struct timeline {
	struct limpet_trace_event event[TIMELINE_EVENTS];
	uint64_t first, next; /* numbers of the oldest event that is kept, and of the next event */
};

/* Reasons for Linux to have the CPU. */
enum timeline_linux {
	TIMELINE_IDLE,	    /* the kernel had nothing to run, or Linux was late to return the CPU */
	TIMELINE_INTERRUPT, /* an interrupt or an exception of Linux's */
	TIMELINE_SHARE,	    /* Linux's share */
	TIMELINE_SERVICE,   /* a request of the kernel, such as the notification of a channel */
	TIMELINE_LINUX
};

/* Use of a CPU in a span of time. Times are in ticks. */
struct timeline_sum {
	bool whole; /* the timeline has all events of the span */
	uint64_t linux[TIMELINE_LINUX];
	uint64_t linux_longest; /* longest time that Linux had the CPU without interruption */
	uint64_t linux_from; /* start of that time, which can be before the span; 0: Linux never had the CPU */
	uint64_t linux_until; /* its end, at most the end of the span */
	uint32_t interrupts;  /* number of times that an interrupt took the CPU from components */
	uint64_t thread[LIMPET_THREADS_MAX];
	uint32_t woken
		[LIMPET_THREADS_MAX]; /* number of events for the thread, in the span and in an equally long time before */
	uint32_t faults[LIMPET_THREADS_MAX]; /* number of its faults, repaired ones included */
};

/* The user of the CPU: a thread, or Linux. All zeros: unknown. */
struct timeline_holder {
	bool known, linux;
	enum timeline_linux why;
	unsigned int thread;
};

/* Updates the user of the CPU from an event. Ignores events that do not switch it. */
void timeline_follow(struct timeline_holder *holder, const struct limpet_trace_event *event);

/* Appends events in their order. `lost` events before them were overwritten. */
void timeline_put(struct timeline *timeline, const struct limpet_trace_event *event, size_t count,
		  uint64_t lost);
/* Sums the span from time stamp `from` up to `to`. Cost: linear in the events of the timeline. */
void timeline_take(struct timeline_sum *sum, const struct timeline *timeline, uint64_t from,
		   uint64_t to);
/* Returns the time stamp of the last event, or 0 if there is no event. */
uint64_t timeline_end(const struct timeline *timeline);
/*
 * Copies the events from time stamp `from` up to `to`, and those before them back to the last switch, which shows the
 * user of the CPU at `from`. Sets *count. Returns memory that the caller frees. Returns NULL without such events or
 * without memory.
 */
struct limpet_trace_event *timeline_copy(const struct timeline *timeline, uint64_t from,
					 uint64_t to, size_t *count);
/* Returns the sum of the threads' times. */
uint64_t timeline_ran(const struct timeline_sum *sum);
/* Returns the sum of Linux's times. */
uint64_t timeline_linux(const struct timeline_sum *sum);

#endif
