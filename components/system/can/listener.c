// SPDX-License-Identifier: BSD-2-Clause
#include <import/sched.h>

#include "can.h"

static struct listener listeners[LISTENERS];

struct listener *listener_find(word badge)
{
	for (unsigned int i = 0; i < LISTENERS; i++)
		if (listeners[i].badge == badge)
			return &listeners[i];
	return NULL;
}

long listener_add(word badge, struct filter filter)
{
	struct listener *listener = listener_find(badge);

	if (!listener)
		listener = listener_find(0);
	if (!listener || listener->filters == FILTERS)
		return LIMPET_EFULL;
	listener->badge = badge;
	listener->filter[listener->filters++] = filter;
	return LIMPET_OK;
}

void listener_free(struct listener *listener)
{
	if (!listener->filters && !listener->waiters)
		listener->badge = 0;
}

void listener_clear(struct listener *listener)
{
	listener->filters = listener->first = listener->count = 0;
	listener->lost = 0;
	listener_free(listener);
}

static bool filter_matches(const struct filter *filter, uint32_t id)
{
	uint32_t classes = filter->mask & LIMPET_CAN_ID_EXTENDED;

	if ((filter->id ^ id) & LIMPET_CAN_ERROR)
		return false;
	if (id & LIMPET_CAN_ERROR)
		return !classes || id & classes;
	return !((filter->id ^ id) & filter->mask);
}

static bool listener_wants(const struct listener *listener, uint32_t id)
{
	for (unsigned int i = 0; i < listener->filters; i++)
		if (filter_matches(&listener->filter[i], id))
			return true;
	return false;
}

static void listener_put(struct listener *listener, const struct limpet_can_frame *frame)
{
	if (listener->count == FRAMES) {
		listener->lost++;
		can.missed++;
		return;
	}
	listener->frame[(listener->first + listener->count++) % FRAMES] = *frame;
	listener->arrived = true;
}

void listeners_put(const struct limpet_can_frame *frame)
{
	for (unsigned int i = 0; i < LISTENERS; i++)
		if (listener_wants(&listeners[i], frame->id))
			listener_put(&listeners[i], frame);
}

bool listener_take(struct listener *listener, struct limpet_can_frame *frame)
{
	if (!listener->count)
		return false;
	*frame = listener->frame[listener->first];
	listener->first = (listener->first + 1) % FRAMES;
	listener->count--;
	return true;
}

void listeners_resume(void)
{
	for (unsigned int i = 0; i < LISTENERS; i++) {
		struct listener *listener = &listeners[i];

		if (!listener->arrived)
			continue;
		listener->arrived = false;
		sched_resume_all((word)listener);
	}
}
