/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The executive for benches and tests. Each guest has a mode, which determines the handling of its calls. A guest
 * inherits the mode of its parent. A guest without a parent among the guests starts with argument `mode`.
 *
 * Numbers that Linux does not have are calls of the probe itself, in every mode. They return the value in the table, or
 * -EINVAL. A status is a value of <limpet/error.h>, unchanged.
 *
 *   500  mode, all       sets the guest's mode. all = 1: also that of guests that start later. Returns the old mode
 *   501  n, clear        returns counter n of enum counter, and sets it to 0 if clear is 1
 *   502  ticks           computes for this time. Returns 0
 *   503  address         reads 8 bytes at the address. Returns their sum, or the status
 *   504  address, value  writes the value, 8 bytes, to the address. Returns the status
 *   505  ticks, early    waits, without limit if ticks is ~0. Returns the status. A signal causes another call
 *   506  guest           wakes the guest with that id. Returns the status
 *   507                  makes the executive read its own address 0x10, and fault
 *   508                  prints a line to the console. Returns the status of the invocation
 *   509  address, bytes, writable   creates a range of pages. Returns the status
 *   510  address, bytes  revokes its pages. Returns the status
 *   499                  returns the guest's id
 *   498  from, address, count   copies notes to the address, from number `from` on. Returns their number, or -EFAULT
 *   497  on              starts or stops the recording of the guest's events. Returns the number of notes
 *   496  exception, bytes, signal   sets the answers to exceptions and signals: enum treatment. `bytes`: length
 *                        of the instructions that TREAT_SERVE skips. Returns 0
 *   495  signals         sets the filter word for exceptions. Returns the status
 *   493  ticks           commits to an answer and computes for this time. Returns the number of such calls, or -EAGAIN
 *   494  count, n, a     Linux carries out call n with argument a, 1 to 1000 times. Returns the sum of the results
 *
 * Argument `first-call` replaces 499 and moves all these numbers with it, so that several probes can be stacked.
 */
#ifndef PROBE_H
#define PROBE_H

#include "state.h"

/* calls.c */
#define OWN_CALLS 12
#define OWN_NOTES 6 /* number of them before the first one */
bool probe_call_known(word number);
struct executive_answer probe_call(unsigned int id, word number, word w1, word w2, word w3);

/* line.c */
/* Prints a line, so that the handler thread moves. Returns the status of the invocation. */
long line_print(void);

/* chain.c: call 494. chain_runs() returns whether the guest is in one. chain_result() handles a result of Linux. */
#define PROBE_CHAIN (own_first - 5)
struct executive_answer chain_call(unsigned int id, word count, word number, word argument);
bool chain_runs(unsigned int id);
struct executive_answer chain_result(unsigned int id, word result, word interrupted);
void chain_forget(unsigned int id);

/* events.c */
#define EVENTS_MAX 10000
/*
 * Waits for `count` periods of a millisecond (1 to EVENTS_MAX). Prints the lateness of their starts as figures, and the
 * line `events measured`. Context: the component's own thread.
 */
void events_measure(word count);

/* notes.c */
enum treatment {
	TREAT_PASS,
	TREAT_SERVE, /* rax becomes PROBE_VALUE, and the guest continues behind the instruction */
	TREAT_KILL,
	TREAT_RELEASE,
	TREAT_WAIT,   /* waits for a millisecond, or until another signal arrives */
	TREAT_MOVE,   /* invokes the console */
	TREAT_SPIN,   /* never answers */
	TREAT_CHANGE, /* changes registers, but passes, so the guest must not see the change */
	TREATMENTS
};

/* A note that a guest can copy. */
struct note {
	word event; /* LIMPET_GUEST_EVENT() */
	word time;  /* time stamp of the event */
	word words[6];
};

/* Clears the settings of an earlier guest with that id. */
void notes_begin(unsigned int id);
/* Records the event if its guest has requested it. */
void note_event(word event, const word *words);
struct executive_answer signal_answer(unsigned int id);
struct executive_answer exception_answer(unsigned int id);
/* Calls 495 to 498. */
long notes_call(unsigned int id, word number, word w1, word w2, word w3);

/* pages.c */
void pages_init(word batch);
/* Returns the answer to FAULT: pages from that of the address on. */
struct executive_answer pages_answer(word address);

#endif
