/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of guests, the counters, and the checks of the order of events. The other files change it. */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include <executive/executive.h>

#define PROBE_VALUE 5000000 /* the result of a call that the probe makes up */

/* The probe's handling of calls. The modes `serve` to `spin` answer getppid in this way, and pass all other calls. */
enum mode {
	MODE_SERVE,   /* returns PROBE_VALUE */
	MODE_PASS,    /* passes all calls */
	MODE_RESULT,  /* passes all calls, and gets their results */
	MODE_CHANGE,  /* changes the call to getpid */
	MODE_REPLACE, /* passes the call, and replaces the result by PROBE_VALUE */
	MODE_WAIT,    /* waits until call 506 wakes the guest, then returns PROBE_VALUE */
	MODE_MOVE,    /* invokes the console, then returns PROBE_VALUE */
	MODE_RELEASE, /* releases the guest */
	MODE_KILL,    /* kills its process with SIGKILL */
	MODE_SPIN,    /* never answers */
	MODE_RECORD,  /* is MODE_RESULT for all calls, with a record in counters */
	MODES
};

enum counter {
	COUNT_CALLS,
	COUNT_RESULTS,
	COUNT_BEGINS,
	COUNT_EXECS,
	COUNT_ENDS,
	COUNT_FAULTS,
	COUNT_SIGNALS,
	COUNT_EXCEPTIONS,
	COUNT_BAD, /* violations of <limpet/guest.h>; see bad_count() */
	/*
	 * Record of a guest's last call in MODE_RECORD: time stamps of CALL and RESULT, number in RESULT, and the
	 * result.
	 */
	COUNT_CALL_TIME,
	COUNT_RESULT_TIME,
	COUNT_NUMBER,
	COUNT_RESULT,
	COUNT_BAD_LINE, /* source line that counted the last violation */
	COUNTERS
};

extern word counters[COUNTERS];

static inline void counter_add(enum counter counter)
{
	__atomic_fetch_add(&counters[counter], 1, __ATOMIC_RELAXED);
}

/* Counts a violation of <limpet/guest.h>, which the source line found. */
void bad_count(unsigned int line);
extern uint16_t expected[LIMPET_GUESTS_MAX]; /* 1 + number of the call that awaits its result; or 0 */
extern uint8_t mode_of[LIMPET_GUESTS_MAX];   /* enum mode, by guest */
extern uint8_t mode_first;		     /* mode of guests without a parent */
extern word own_first;			     /* number of the first of the probe's own calls */

/* `lifetimes`: the executive gets BEGIN and END. */
void state_init(bool lifetimes);
/* Each records an event, and counts it as a violation if it must not occur now. */
void state_begin(unsigned int id, word parent);
void state_exec(unsigned int id);
void state_end(unsigned int id);
void state_call(unsigned int id, bool result_wanted, word number);
void state_result(unsigned int id, word number, word result, word interrupted);

#endif
