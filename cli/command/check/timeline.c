// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <cli/command/check/timeline.h>
#include <cli/common/event.h>

void timeline_put(struct timeline *timeline, const struct limpet_trace_event *event, size_t count,
		  uint64_t lost)
{
	if (lost)
		timeline->first = timeline->next;
	for (size_t i = 0; i < count; i++)
		timeline->event[timeline->next++ % TIMELINE_EVENTS] = event[i];
	if (timeline->next - timeline->first > TIMELINE_EVENTS)
		timeline->first = timeline->next - TIMELINE_EVENTS;
}

static enum timeline_linux linux_why(unsigned int reasons)
{
	if (reasons & LIMPET_REASON_SHARE)
		return TIMELINE_SHARE;
	if (reasons & LIMPET_REASON_IDLE)
		return TIMELINE_IDLE;
	return reasons ? TIMELINE_SERVICE : TIMELINE_INTERRUPT;
}

void timeline_follow(struct timeline_holder *holder, const struct limpet_trace_event *event)
{
	switch (event_kind(event)) {
	case LIMPET_TRACE_PAUSE:
		*holder =
			(struct timeline_holder){ true, true, linux_why(event_argument(event)), 0 };
		break;
	case LIMPET_TRACE_DISPATCH:
	case LIMPET_TRACE_RESUME:
		if (event_thread(event) == LIMPET_TRACE_NONE)
			break; /* no thread has been dispatched yet */
		*holder = (struct timeline_holder){ true, false, TIMELINE_IDLE,
						    event_thread(event) % LIMPET_THREADS_MAX };
		break;
	}
}

/* Counts the time from `at` up to `until`. If Linux has the CPU, it has had it since `since`. */
static void span_count(struct timeline_sum *sum, const struct timeline_holder *holder,
		       uint64_t since, uint64_t at, uint64_t until)
{
	const uint64_t ticks = until - at;

	if (!holder->known) {
		sum->whole = false;
	} else if (holder->linux) {
		sum->linux[holder->why] += ticks;
		if (ticks > sum->linux_longest) {
			sum->linux_longest = ticks;
			sum->linux_from = since;
			sum->linux_until = until;
		}
	} else {
		sum->thread[holder->thread] += ticks;
	}
}

static void event_count(struct timeline_sum *sum, const struct limpet_trace_event *event)
{
	const unsigned int thread = event_thread(event) % LIMPET_THREADS_MAX;

	switch (event_kind(event)) {
	case LIMPET_TRACE_FAULT:
		sum->faults[thread]++;
		break;
	case LIMPET_TRACE_PAUSE:
		sum->interrupts += !event_argument(event);
		break;
	}
}

void timeline_take(struct timeline_sum *sum, const struct timeline *timeline, uint64_t from,
		   uint64_t to)
{
	struct timeline_holder holder = { 0 };
	uint64_t at = from, since = 0;

	memset(sum, 0, sizeof(*sum));
	sum->whole = timeline->next > timeline->first;
	for (uint64_t n = timeline->first; n < timeline->next && at < to; n++) {
		const struct limpet_trace_event *event = &timeline->event[n % TIMELINE_EVENTS];
		const uint64_t until = event->time < to ? event->time : to;

		if (until > at) {
			span_count(sum, &holder, since, at, until);
			at = until;
		}
		if (event->time >= from && event->time < to)
			event_count(sum, event);
		if (event_kind(event) == LIMPET_TRACE_EVENT && event->time < to &&
		    event->time + (to - from) >= from)
			sum->woken[event_thread(event) % LIMPET_THREADS_MAX]++;
		if (!holder.linux)
			since = event->time;
		timeline_follow(&holder, event);
	}
	if (at < to)
		sum->whole = false; /* the last events of the span have not been read */
}

uint64_t timeline_end(const struct timeline *timeline)
{
	return timeline->next > timeline->first
		       ? timeline->event[(timeline->next - 1) % TIMELINE_EVENTS].time
		       : 0;
}

struct limpet_trace_event *timeline_copy(const struct timeline *timeline, uint64_t from,
					 uint64_t to, size_t *count)
{
	uint64_t first = timeline->first, end = timeline->next;
	struct limpet_trace_event *copy;

	while (first + 1 < end && timeline->event[(first + 1) % TIMELINE_EVENTS].time <= from)
		first++;
	while (first > timeline->first &&
	       !(TIMELINE_SWITCHES >> event_kind(&timeline->event[first % TIMELINE_EVENTS]) & 1))
		first--;
	while (end > first && timeline->event[(end - 1) % TIMELINE_EVENTS].time >= to)
		end--;
	*count = (size_t)(end - first);
	copy = *count ? calloc(*count, sizeof(*copy)) : NULL;
	for (uint64_t n = first; copy && n < end; n++)
		copy[n - first] = timeline->event[n % TIMELINE_EVENTS];
	return copy;
}

uint64_t timeline_ran(const struct timeline_sum *sum)
{
	uint64_t all = 0;

	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		all += sum->thread[id];
	return all;
}

uint64_t timeline_linux(const struct timeline_sum *sum)
{
	uint64_t all = 0;

	for (unsigned int why = 0; why < TIMELINE_LINUX; why++)
		all += sum->linux[why];
	return all;
}
