/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleeping calls of guests, for executives that serve them. Context: executive_event(), of the guest with that id.
 *
 * A signal ends a wait of the executive, but not always the guest's call. After a stop signal, a tracer or the freezer
 * Linux continues a sleep. After a signal handler it returns EINTR. The executive cannot distinguish these cases, so it
 * answers AGAIN, and keeps the deadline for the repeated call:
 *
 *   repeated when each handler has made rt_sigreturn()   EINTR
 *   repeated without a handler                           sleeps until the old deadline
 *   repeated when a handler has not made rt_sigreturn()  a new sleep, because the handler has jumped out of the call
 *
 * The call is recognised by its number, its arguments and all registers. One call is kept for each guest. Differences
 * from Linux: if the filter of the guest lacks rt_sigreturn, a sleep never returns EINTR, and starts again after a
 * handler. The outer sleep also starts again if a handler that sleeps is interrupted, or if a handler jumps into
 * another one.
 */
#ifndef EXECUTIVE_SLEEP_H
#define EXECUTIVE_SLEEP_H

#include <executive/executive.h>

#define SLEEP_RATE 1000 /* the guest's clock runs as the processor's does */

struct sleep_time {
	long seconds, nanoseconds; /* struct timespec */
};

struct sleep {
	unsigned int id; /* below LIMPET_GUESTS_MAX */
	word number, argument[4];
	word start;	/* time stamp of the event's begin */
	word ticks;	/* to sleep from then on */
	word early;	/* of executive_wait() */
	word rate;	/* per mille: nanoseconds of the guest's clock in a real microsecond */
	word remaining; /* address of the guest for the time that was left, or 0 */
};

/*
 * Returns whether a call of guest `id` is a sleep that can be served: nanosleep(), and clock_nanosleep() for a time of
 * CLOCK_REALTIME or CLOCK_MONOTONIC, or until a time of CLOCK_MONOTONIC. Sleeps until a time of another clock are
 * Linux's, because that clock can be set meanwhile. Fills *sleep except `early`. *error is 0, or the result of a call
 * that does not sleep.
 */
bool sleep_of_call(struct sleep *sleep, unsigned int id, word number, const word argument[4],
		   long *error);

/* Sleeps. Returns the answer: 0, -EINTR, -EFAULT for `remaining`, AGAIN, or PASS if the kernel refuses the wait. */
struct executive_answer sleep_answer(const struct sleep *sleep);

/* The guest has made rt_sigreturn(). */
void sleep_returned(unsigned int id);
/* Handles BEGIN, EXEC and SIGNAL. `w0` is word 0 of the event. Other events are ignored. */
void sleep_event(unsigned int kind, unsigned int id, word w0);
/* The kinds of events that the executive must select. */
#define SLEEP_KINDS                                                                                \
	(LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) | LIMPET_GUEST_WANTS(LIMPET_GUEST_EXEC) |          \
	 LIMPET_GUEST_WANTS(LIMPET_GUEST_SIGNAL))

/* Reads a struct timespec of the guest. Returns 0, -EFAULT or -EINVAL, as Linux does. */
long sleep_read(struct sleep_time *time, word address);

/* Conversions. Values that are too large become the largest one. */
word sleep_nanoseconds(const struct sleep_time *time);
word sleep_ticks(word nanoseconds);
/* Nanoseconds in `ticks`, rounded down. */
word sleep_nanoseconds_in(word ticks);
/* Returns nanoseconds * rate / of, rounded down; `rate` and `of` are 1 to 1000000. */
word sleep_scaled(word nanoseconds, word rate, word of);

#endif
