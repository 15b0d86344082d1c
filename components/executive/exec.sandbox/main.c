// SPDX-License-Identifier: BSD-2-Clause
#include "sandbox.h"

#include <executive/report.h>
#include <executive/start.h>
#include <guest/calls.h>
#include <guest/numbers.h>
#include <runtime/component.h>
#include <runtime/memory.h>

#define SHOWN 120 /* bytes of a path that a line shows */

static uint32_t thread_of[LIMPET_GUESTS_MAX]; /* Linux's id */
static uint64_t filter[LIMPET_GUEST_FILTER_WORDS];
static bool reports;

/* Replaces control characters in names of guests, because they could end a line or control a terminal. */
static void text_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

static void refusal_report(struct call *call, enum action action)
{
	const struct guest_call *known = guest_call_at((long)call->number);
	char line[SHOWN + 100];
	struct text text = text_in(line, sizeof(line));

	if (!reports)
		return;
	call->text[SHOWN] = 0;
	text_clean(call->text);
	text_add(&text, "%u: %s %s %s\n", thread_of[call->id],
		 action == ACTION_KILL ? "killed for" : "refused",
		 known ? known->name : "an unknown call", call->text);
	report_line(line, text.length);
}

static struct executive_answer call_refuse(struct call *call, enum action action)
{
	refusal_report(call, action);
	if (action == ACTION_KILL)
		return executive_killed(LINUX_SIGSYS);
	return executive_served(REFUSED);
}

static struct executive_answer call_answer(struct call *call)
{
	word n = call->number < NUMBERS ? call->number : NUMBERS - 1;
	long error;

	call->text[0] = 0;
	if (policy.action[n] != ACTION_ALLOW)
		return call_refuse(call, policy.action[n]);
	error = call_check(call);
	if (error == REFUSED)
		return call_refuse(call, policy.refusal);
	return error ? executive_served(error) : executive_passed();
}

static bool filter_set(void)
{
	return executive_filter(0, filter) == LIMPET_OK &&
	       executive_filter(4, filter + 4) == LIMPET_OK;
}

/* Fails if the guest has memory of its own in the range. */
static bool range_make(void)
{
	return executive_map(RANGE, RANGE_BYTES, 0) == LIMPET_OK;
}

static struct executive_answer attached_release(word process)
{
	char line[SHOWN];
	struct text text = text_in(line, sizeof(line));

	text_add(&text, "process %lu is not confined, because it was attached while it ran\n",
		 process);
	report_line(line, text.length);
	return (struct executive_answer){ LIMPET_GUEST_RELEASE, 0 };
}

/* Threads and children have the filter and the range of their parent. */
static struct executive_answer guest_begin(unsigned int id, word thread, word process, word parent,
					   word origin)
{
	if (origin == LIMPET_GUEST_BY_ATTACH)
		return attached_release(process);
	thread_of[id] = (uint32_t)thread;
	page_take(id, (uint32_t)thread, (uint32_t)process);
	if (origin == LIMPET_GUEST_BY_FORK)
		page_hide_of(parent - 1);
	if (origin == LIMPET_GUEST_BY_ENTER && !(filter_set() && range_make()))
		return executive_killed(LINUX_SIGSYS);
	return executive_passed();
}

static struct executive_answer other_event(unsigned int kind, unsigned int id, word w0, word w1,
					   word w2, word w3)
{
	switch (kind) {
	case LIMPET_GUEST_FAULT:
		return page_answer(id, w0);
	case LIMPET_GUEST_BEGIN:
		return guest_begin(id, w0, w1, w2, w3);
	case LIMPET_GUEST_EXEC:
		return range_make() ? executive_passed() : executive_killed(LINUX_SIGSYS);
	case LIMPET_GUEST_END:
		page_drop(id, (uint32_t)w0);
	}
	return executive_passed();
}

/* Linux takes only the low 32 bits for the number. The sixth argument does not come with the event. */
struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);
	struct call call;

	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_killed(LINUX_SIGSYS);
	if (kind != LIMPET_GUEST_CALL)
		return other_event(kind, id, w0, w1, w2, w3);
	call.id = id;
	call.number = (uint32_t)w0;
	call.changed = 0;
	memcpy(call.argument, (const word[]){ w1, w2, w3, w4, w5, 0 }, sizeof(call.argument));
	if (call.number == GUEST_CALL_sendto)
		call.argument[5] = executive_register(LIMPET_GUEST_R9);
	return call_answer(&call);
}

void component_main(const struct limpet_info *info)
{
	reports = limpet_arg_within(info, "report", 1, 0, 1);
	report_init((void *)info->heap, info->heap_size);
	checks_init();
	access_init();
	if (!policy_load(info))
		return;
	policy_filter(filter);
	if (!executive_start(LIMPET_GUEST_WANTS(LIMPET_GUEST_FAULT) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_EXEC) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_END)))
		return;
	for (;;)
		report_serve(LIMPET_NEVER);
}
