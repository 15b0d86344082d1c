// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/command/check/timeline.h>
#include <cli/common/event.h>

/* The user of the CPU between two events. */
struct holder {
	bool known, linux;
	enum timeline_linux why;
	unsigned int thread;
};

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

static void holder_follow(struct holder *holder, const struct limpet_trace_event *event)
{
	switch (event_kind(event)) {
	case LIMPET_TRACE_PAUSE:
		*holder = (struct holder){ true, true, linux_why(event_argument(event)), 0 };
		break;
	case LIMPET_TRACE_DISPATCH:
	case LIMPET_TRACE_RESUME:
		*holder = (struct holder){ true, false, TIMELINE_IDLE,
					   event_thread(event) % LIMPET_THREADS_MAX };
		break;
	}
}

static void span_count(struct timeline_sum *sum, const struct holder *holder, uint64_t ticks)
{
	if (!holder->known) {
		sum->whole = false;
	} else if (holder->linux) {
		sum->linux[holder->why] += ticks;
		if (ticks > sum->linux_longest)
			sum->linux_longest = ticks;
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
	struct holder holder = { 0 };
	uint64_t at = from;

	memset(sum, 0, sizeof(*sum));
	sum->whole = timeline->next > timeline->first;
	for (uint64_t n = timeline->first; n < timeline->next && at < to; n++) {
		const struct limpet_trace_event *event = &timeline->event[n % TIMELINE_EVENTS];
		const uint64_t until = event->time < to ? event->time : to;

		if (until > at) {
			span_count(sum, &holder, until - at);
			at = until;
		}
		if (event->time >= from && event->time < to)
			event_count(sum, event);
		if (event_kind(event) == LIMPET_TRACE_EVENT && event->time < to &&
		    event->time + (to - from) >= from)
			sum->woken[event_thread(event) % LIMPET_THREADS_MAX]++;
		holder_follow(&holder, event);
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

uint64_t timeline_linux(const struct timeline_sum *sum)
{
	uint64_t all = 0;

	for (unsigned int why = 0; why < TIMELINE_LINUX; why++)
		all += sum->linux[why];
	return all;
}
