/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The executive for benches and tests. Each guest has a mode, which says what happens with its calls. A guest inherits
 * the mode of the guest that made it, and otherwise starts with argument `mode`.
 *
 * Numbers that Linux does not have are calls of the probe itself, whatever the mode is. They return what the table
 * says, or -EINVAL. A status is one of <limpet/error.h>, as it is.
 *
 *   500  mode, all       sets the guest's mode. all = 1: also that of guests that begin later. Returns its old mode
 *   501  n               returns counter n of enum counter
 *   502  ticks           runs for so long. Returns 0
 *   503  address         reads 8 bytes there. Returns their sum, or the status
 *   504  address, value  writes the value there, 8 bytes. Returns the status
 *   505  ticks, early    waits, without limit if ticks is ~0. Returns the status; after a signal the call is asked again
 *   506  guest           wakes the guest with that id. Returns the status
 *   507                  the executive reads its own address 0x10, and faults
 *   508                  prints a line to the console. Returns the status of the invocation
 *   509  address, bytes, writable   makes a range of pages. Returns the status
 *   510  address, bytes  takes its pages away again. Returns the status
 *   499                  returns the guest's id
 *   498  from, address, count   copies notes there, from number `from` on: notes.c. Returns how many, or the status
 *   497  on              notes the guest's events from now on, or no more. Returns the number of notes
 *   496  exception, bytes, signal   what happens with the guest's exceptions and signals: enum treatment. `bytes`: length
 *                        of instructions that TREAT_SERVE skips. Returns 0
 *   495  signals         sets the filter word for exceptions. Returns the status
 *   493  ticks           commits itself and runs for that time. Returns the number of such calls so far, or -EAGAIN
 *   494  count, n, a     Linux carries out call n with argument a, 1 to 1000 times. Returns the sum of the results
 *
 * With argument `first-call` these numbers are around that one instead of 499, so that several probes can stack.
 */
#ifndef PROBE_H
#define PROBE_H

#include <executive/executive.h>

#define PROBE_VALUE 5000000 /* the result of a call that the probe makes up */

/* The probe's handling of calls. The modes `serve` to `spin` answer getppid in this way, and pass all other calls. */
enum mode {
	MODE_SERVE,   /* returns PROBE_VALUE */
	MODE_PASS,    /* passes all calls */
	MODE_RESULT,  /* passes all calls, and gets their results */
	MODE_CHANGE,  /* makes getpid of it */
	MODE_REPLACE, /* passes it, and replaces the result by PROBE_VALUE */
	MODE_WAIT,    /* waits until call 506 wakes the guest, then returns PROBE_VALUE */
	MODE_MOVE,    /* invokes the console, then returns PROBE_VALUE */
	MODE_RELEASE, /* releases the guest */
	MODE_KILL,    /* kills its process with SIGKILL */
	MODE_SPIN,    /* never answers */
	MODE_RECORD, /* as MODE_RESULT for all calls, and notes time stamps and the result in counters */
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
	COUNT_BAD, /* violations of <limpet/guest.h>; see state.c */
	/* Record of a guest's last call in MODE_RECORD: time stamps of CALL and RESULT, number in RESULT, and the result. */
	COUNT_CALL_TIME,
	COUNT_RESULT_TIME,
	COUNT_NUMBER,
	COUNT_RESULT,
	COUNTERS
};

extern word counters[COUNTERS];

static inline void counter_add(enum counter counter)
{
	__atomic_fetch_add(&counters[counter], 1, __ATOMIC_RELAXED);
}

/* state.c */
extern uint16_t expected[LIMPET_GUESTS_MAX]; /* 1 + number of the call whose result comes, or 0 */
extern uint8_t mode_of[LIMPET_GUESTS_MAX];   /* enum mode, by guest */
extern uint8_t mode_first;		     /* of guests without a parent */

#define END_US_MAX 1000000

/* `lifetimes`: whether BEGIN and END come. */
void state_init(bool lifetimes);
/* Notes an event, and counts it as bad if it must not come now. */
void state_begin(unsigned int id, word parent);
void state_exec(unsigned int id);
void state_end(unsigned int id);
void state_call(unsigned int id, bool result_wanted, word number);
void state_result(unsigned int id, word number, word result, word interrupted);

/* calls.c */
#define OWN_CALLS 12
#define OWN_NOTES 6    /* before the first one */
extern word own_first; /* number of the first one */
bool probe_call_known(word number);
struct executive_answer probe_call(unsigned int id, word number, word w1, word w2, word w3);
/* Prints a line, so that the handler thread moves. Returns the status of the invocation. */
long line_print(void);

/* chain.c: CALL 494, whether one runs, and the result of one of its calls of Linux. */
#define PROBE_CHAIN (own_first - 5)
struct executive_answer chain_call(unsigned int id, word count, word number, word argument);
bool chain_runs(unsigned int id);
struct executive_answer chain_result(unsigned int id, word result, word interrupted);
void chain_forget(unsigned int id);

/* events.c */
#define EVENTS_MAX 10000
/*
 * Waits for `count` periods of a millisecond (1 to EVENTS_MAX), and prints as figures how late each began, and the line
 * `events measured`. Context: the component's own thread.
 */
void events_measure(word count);

/* notes.c */
enum treatment {
	TREAT_PASS,
	TREAT_SERVE, /* rax becomes PROBE_VALUE, and the guest continues behind the instruction */
	TREAT_KILL,
	TREAT_RELEASE,
	TREAT_WAIT,   /* for a millisecond, or until another signal comes */
	TREAT_MOVE,   /* invokes the console */
	TREAT_SPIN,   /* never answers */
	TREAT_CHANGE, /* changes registers, but passes, so that the guest must not see it */
	TREATMENTS
};

/* A note that a guest can copy. */
struct note {
	word event; /* LIMPET_GUEST_EVENT() */
	word time;  /* time stamp of the event */
	word words[6];
};

/* Forgets what the guest with that id has asked for. */
void notes_begin(unsigned int id);
/* Notes the event if its guest has asked for that. */
void note_event(word event, const word *words);
struct executive_answer signal_answer(unsigned int id);
struct executive_answer exception_answer(unsigned int id);
/* Calls 495 to 498. */
long notes_call(unsigned int id, word number, word w1, word w2, word w3);

/* pages.c */
void pages_init(word batch);
/* The answer to FAULT: pages from that of the address on. */
struct executive_answer pages_answer(word address);

#endif
