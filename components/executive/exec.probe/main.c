// SPDX-License-Identifier: BSD-2-Clause
#include "probe.h"

#include <executive/linux.h>
#include <executive/start.h>
#include <guest/numbers.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

static const char *const mode_name[MODES] = { "serve",	 "pass", "result", "change",
					      "replace", "wait", "move",   "release",
					      "kill",	 "spin", "record" };

#define LIFETIMES                                                                                  \
	(LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) | LIMPET_GUEST_WANTS(LIMPET_GUEST_EXEC) |          \
	 LIMPET_GUEST_WANTS(LIMPET_GUEST_END))
#define OTHERS                                                                                     \
	(LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT) | LIMPET_GUEST_WANTS(LIMPET_GUEST_FAULT) |        \
	 LIMPET_GUEST_WANTS(LIMPET_GUEST_SIGNAL) | LIMPET_GUEST_WANTS(LIMPET_GUEST_EXCEPTION))

static struct executive_answer wait_answer(void)
{
	if (executive_wait(LIMPET_NEVER, 0) == LIMPET_EINTR)
		return executive_again();
	return executive_served(PROBE_VALUE);
}

static struct executive_answer change_answer(void)
{
	if (executive_register_set(LIMPET_GUEST_RAX, GUEST_CALL_getpid) < 0)
		bad_count(__LINE__);
	return executive_passed();
}

/* Answers getppid. */
static struct executive_answer parent_answer(enum mode mode)
{
	switch (mode) {
	case MODE_CHANGE:
		return change_answer();
	case MODE_WAIT:
		return wait_answer();
	case MODE_MOVE:
		line_print();
		break;
	case MODE_RELEASE:
		return (struct executive_answer){ LIMPET_GUEST_RELEASE, 0 };
	case MODE_KILL:
		return executive_killed(LINUX_SIGKILL);
	case MODE_SPIN:
		for (;;)
			__builtin_ia32_pause();
	default:
		break;
	}
	return executive_served(PROBE_VALUE);
}

static struct executive_answer call_answer(unsigned int id, word number, word w1, word w2, word w3)
{
	enum mode mode = mode_of[id];
	bool all = mode == MODE_RESULT || mode == MODE_RECORD;
	bool result = mode == MODE_REPLACE ? number == GUEST_CALL_getppid
					   : all && number != GUEST_CALL_rt_sigreturn;

	counter_add(COUNT_CALLS);
	if (number == PROBE_CHAIN)
		return chain_call(id, w1, w2, w3);
	state_call(id, result && !probe_call_known(number), number);
	if (probe_call_known(number))
		return probe_call(id, number, w1, w2, w3);
	if (mode == MODE_RECORD)
		counters[COUNT_CALL_TIME] = limpet_time();
	if (result)
		return executive_passed_result();
	if (number == GUEST_CALL_getppid && mode != MODE_PASS)
		return parent_answer(mode);
	return executive_passed();
}

static struct executive_answer result_answer(unsigned int id, word number, word result,
					     word interrupted)
{
	enum mode mode = mode_of[id];

	if (number == PROBE_CHAIN && chain_runs(id))
		return chain_result(id, result, interrupted);
	state_result(id, number, result, interrupted);
	if (likely(mode < MODE_REPLACE))
		return executive_passed();
	if (mode == MODE_RECORD) {
		counters[COUNT_RESULT_TIME] = limpet_time();
		counters[COUNT_NUMBER] = number;
		counters[COUNT_RESULT] = result;
	}
	return mode == MODE_REPLACE ? executive_served(PROBE_VALUE) : executive_passed();
}

#define COMPUTE_US_MAX 1000000
static word begin_time, end_time; /* ticks for which the executive computes at BEGIN and at END */

static void compute(word ticks)
{
	for (word since = limpet_time(); limpet_time() - since < ticks;)
		__builtin_ia32_pause();
}

static __attribute__((noinline)) struct executive_answer
event_answer(unsigned int kind, unsigned int id, word w0, word w1, word w2, word w3)
{
	switch (kind) {
	case LIMPET_GUEST_CALL:
		return call_answer(id, w0, w1, w2, w3);
	case LIMPET_GUEST_RESULT:
		return result_answer(id, w0, w1, w2);
	case LIMPET_GUEST_FAULT:
		return pages_answer(w0);
	case LIMPET_GUEST_BEGIN:
		compute(begin_time);
		notes_begin(id);
		state_begin(id, w2);
		chain_forget(id);
		break;
	case LIMPET_GUEST_EXEC:
		state_exec(id);
		break;
	case LIMPET_GUEST_END:
		state_end(id);
		compute(end_time);
		break;
	case LIMPET_GUEST_SIGNAL:
		return signal_answer(id);
	case LIMPET_GUEST_EXCEPTION:
		return exception_answer(id);
	default:
		bad_count(__LINE__);
	}
	return executive_passed();
}

/* Answers getppid in the first three modes. Benches measure this and the event RESULT that follows. */
static inline struct executive_answer parent_short(unsigned int id, enum mode mode)
{
	counter_add(COUNT_CALLS);
	if (mode == MODE_RESULT)
		expected[id] = GUEST_CALL_getppid + 1;
	if (mode == MODE_SERVE)
		return executive_served(PROBE_VALUE);
	return (struct executive_answer){ (word)mode, 0 };
}

_Static_assert((int)MODE_PASS == LIMPET_GUEST_PASS, "for parent_short()");
_Static_assert((int)MODE_RESULT == LIMPET_GUEST_PASS_RESULT, "for parent_short()");

/* Handles all other events. Not inlined, because its use of the words would cost executive_event() instructions. */
static __attribute__((noinline)) struct executive_answer
event_other(word event, word w0, word w1, word w2, word w3, word w4, word w5)
{
	if (likely(LIMPET_GUEST_ID(event) < LIMPET_GUESTS_MAX)) {
		note_event(event, (const word[]){ w0, w1, w2, w3, w4, w5 });
		return event_answer(LIMPET_GUEST_KIND(event), LIMPET_GUEST_ID(event), w0, w1, w2,
				    w3);
	}
	bad_count(__LINE__);
	return executive_passed();
}

/* The first lines handle the calls that benches measure. One comparison checks the kind and the id. */
struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	word call = event - LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, 0);

	if (likely(w0 == GUEST_CALL_getppid && call < LIMPET_GUESTS_MAX &&
		   mode_of[call] <= MODE_RESULT)) {
		return parent_short((unsigned int)call, mode_of[call]);
	}
	if (LIMPET_GUEST_KIND(event) == LIMPET_GUEST_FAULT)
		return pages_answer(w0);
	return event_other(event, w0, w1, w2, w3, w4, w5);
}

/* Returns the mode with a name. Returns MODE_SERVE and prints a line if the name is unknown. */
static enum mode mode_named(const char *name)
{
	for (unsigned int i = 0; i < MODES; i++)
		if (!strcmp(name, mode_name[i]))
			return (enum mode)i;
	limpet_print("argument mode is %s, which is not a mode. serve is used.\n", name);
	return MODE_SERVE;
}

/* Returns the ticks of an argument in microseconds. */
static word time_argument(const struct limpet_info *info, const char *name)
{
	return limpet_us_to_ticks((word)limpet_arg_within(info, name, 0, 0, COMPUTE_US_MAX));
}

void component_main(const struct limpet_info *info)
{
	bool lifetimes = limpet_arg_within(info, "lifetimes", 1, 0, 1);
	word events;

	mode_first = mode_named(limpet_arg_text(info, "mode", mode_name[MODE_SERVE]));
	memset(mode_of, mode_first, sizeof(mode_of));
	own_first = (word)limpet_arg_within(info, "first-call", 499, OWN_NOTES, 999);
	pages_init((word)limpet_arg_within(info, "fault-batch", 1, 1, LIMPET_GUEST_PAGES_MAX));
	state_init(lifetimes);
	begin_time = time_argument(info, "begin-us");
	end_time = time_argument(info, "end-us");
	executive_start(OTHERS | (lifetimes ? LIFETIMES : 0));
	events = (word)limpet_arg_within(info, "events", 0, 0, EVENTS_MAX);
	if (events)
		events_measure(events);
}
