// SPDX-License-Identifier: BSD-2-Clause
/*
 * Gives interrupt lines to threads of other components. Its own thread receives the interrupts as events, one bit for
 * each line in the order of the system file, and resumes the threads. It must have a higher priority than these.
 */
#include <export/interrupts.h>
#include <import/sched.h>

#include <runtime/component.h>
#include <runtime/device.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>

#include <sync/lock.h>

#define LINES 62 /* bits of events */

struct line {
	const struct limpet_info_resource *resource;
	word badge;  /* badge of the component that has requested it; 0: not requested */
	word thread; /* thread that is resumed */
	bool arrived;
};

static struct lock lock;
static struct line lines[LINES];
static unsigned int lines_used;

/* Returns the line with a number, or NULL. */
static struct line *line_of(word number)
{
	for (unsigned int i = 0; i < lines_used; i++)
		if (lines[i].resource->first == number)
			return &lines[i];
	return NULL;
}

/* Returns a line that the caller has requested, or NULL. Requires the lock. */
static struct line *line_requested(word badge, word number)
{
	struct line *line = line_of(number);

	return line && line->badge == badge ? line : NULL;
}

/* A second request of a caller, also after its restart, replaces the first one. */
long interrupts_serve_request(word badge, word number, word thread)
{
	struct line *line = line_of(number);
	long status = line ? LIMPET_OK : LIMPET_ENOENT;

	lock_take(&lock);
	if (line && line->badge && line->badge != badge)
		status = LIMPET_EBUSY;
	if (!status) {
		line->arrived = line->arrived && line->badge == badge;
		line->badge = badge;
		line->thread = thread;
	}
	lock_drop(&lock);
	if (!status)
		limpet_interrupt_ack(line->resource, NULL);
	return status;
}

long interrupts_serve_release(word badge, word number)
{
	struct line *line;

	lock_take(&lock);
	line = line_requested(badge, number);
	if (line)
		line->badge = 0;
	lock_drop(&lock);
	return line ? LIMPET_OK : LIMPET_ENOENT;
}

long interrupts_serve_take(word badge)
{
	long status = LIMPET_EEMPTY;

	lock_take(&lock);
	for (unsigned int i = 0; i < lines_used && status < 0; i++)
		if (lines[i].badge == badge && lines[i].arrived) {
			lines[i].arrived = false;
			status = (long)lines[i].resource->first;
		}
	lock_drop(&lock);
	return status;
}

long interrupts_serve_acknowledge(word badge, word number)
{
	const struct line *line;

	lock_take(&lock);
	line = line_requested(badge, number);
	lock_drop(&lock);
	return line ? limpet_interrupt_ack(line->resource, NULL) : LIMPET_ENOENT;
}

/* Returns the thread to resume for a line that has raised an interrupt, or 0. */
static word line_arrived(struct line *line)
{
	word thread = 0;

	lock_take(&lock);
	if (line->badge) {
		line->arrived = true;
		thread = line->thread;
	}
	lock_drop(&lock);
	return thread;
}

/* Binds the lines before any client runs. */
long component_init(const struct limpet_info *info)
{
	const struct limpet_info_resource *resource;

	(void)info;
	while ((resource = limpet_resource(LIMPET_RESOURCE_INTERRUPT, lines_used))) {
		if (lines_used == LINES ||
		    limpet_interrupt_bind(resource, 1ul << lines_used, NULL)) {
			limpet_print(
				"Line %lu cannot be bound. The component has at most %u lines.\n",
				resource->first, LINES);
			return LIMPET_ERANGE;
		}
		lines[lines_used++].resource = resource;
	}
	return LIMPET_OK;
}

void component_main(const struct limpet_info *info)
{
	struct limpet_out out;

	(void)info;
	for (;;) {
		if (limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out))
			continue;
		for (word left = out.w0; left; left &= left - 1) {
			const word thread = line_arrived(&lines[__builtin_ctzl(left)]);

			if (thread)
				sched_resume(thread);
		}
	}
}
