/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of an event of the kernels' trace. */
#ifndef CLI_EVENT_H
#define CLI_EVENT_H

#include <limpet/trace.h>

static inline unsigned int event_component(const struct limpet_trace_event *event)
{
	return event->where & 0xffff;
}

static inline unsigned int event_argument(const struct limpet_trace_event *event)
{
	return event->where >> 16;
}

static inline unsigned int event_thread(const struct limpet_trace_event *event)
{
	return event->what & 0xffff;
}

static inline unsigned int event_kind(const struct limpet_trace_event *event)
{
	return event->what >> 16;
}

#endif
