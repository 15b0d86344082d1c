// SPDX-License-Identifier: BSD-2-Clause
/*
 * The probe's records of guests, and its checks of the order of events. Events of one guest come one after another,
 * except FAULT. An orphaned handler thread can still run during later events of its guest, so the checks read and write
 * each field once.
 */
#include "state.h"

#include <executive/linux.h>
#include <guest/numbers.h>

/* Linux's internal codes for calls that it restarts. They must not reach an executive. */
#define RESTART_FIRST 512
#define RESTART_LAST 516

word counters[COUNTERS];
uint8_t mode_of[LIMPET_GUESTS_MAX];
uint8_t mode_first;
word own_first;

static bool watch; /* the executive gets BEGIN and END */
static uint8_t live[LIMPET_GUESTS_MAX];
uint16_t expected[LIMPET_GUESTS_MAX];

void bad_count(unsigned int line)
{
	counters[COUNT_BAD_LINE] = line;
	counter_add(COUNT_BAD);
}

#define check(good) ((good) ? (void)0 : bad_count(__LINE__))

void state_init(bool lifetimes)
{
	watch = lifetimes;
}

void state_begin(unsigned int id, word parent)
{
	check(!live[id] && parent <= LIMPET_GUESTS_MAX);
	live[id] = 1;
	expected[id] = 0;
	mode_of[id] = parent && parent <= LIMPET_GUESTS_MAX ? mode_of[parent - 1] : mode_first;
	counter_add(COUNT_BEGINS);
}

void state_exec(unsigned int id)
{
	check(live[id]);
	expected[id] = 0; /* a successful execve has no result */
	counter_add(COUNT_EXECS);
}

void state_end(unsigned int id)
{
	check(live[id]);
	live[id] = 0;
	expected[id] = 0;
	counter_add(COUNT_ENDS);
}

/* Returns whether the call may have no result, because execve() does not return if it succeeds. */
static bool is_lost(word number)
{
	return number == GUEST_CALL_execve || number == GUEST_CALL_execveat;
}

/* The call can be repeated after the thread that handled it was orphaned. */
void state_call(unsigned int id, bool result_wanted, word number)
{
	uint16_t call = (uint16_t)(number + 1), before = expected[id];

	check(live[id] || !watch);
	check(!before || before == call || is_lost(before - 1ul));
	expected[id] = result_wanted && number != GUEST_CALL_rt_sigreturn ? call : 0;
}

void state_result(unsigned int id, word number, word result, word interrupted)
{
	check(expected[id] == (uint16_t)(number + 1));
	check(interrupted <= 1 && (!interrupted || result == (word)-LINUX_EINTR));
	check(result > (word)-RESTART_FIRST || result < (word)-RESTART_LAST);
	expected[id] = 0;
	counter_add(COUNT_RESULTS);
}
