/* SPDX-License-Identifier: GPL-2.0 */
/* Guests of the executives of stack.toml and crash.toml: 0 outer, 1 probe, 2 inner. */
#ifndef STACK_H
#define STACK_H

#include "tests/system/lib/guest.h"

#define LEVELS 3
#define RECORD 10

/* Numbers of the probe's calls, relative to its argument first-call. */
enum {
	OWN_CHAIN = -5,
	OWN_FAULTS,
	OWN_TREAT,
	OWN_NOTING,
	OWN_NOTES,
	OWN_ID = 0,
	OWN_MODE,
	OWN_COUNTER,
	OWN_RUN,
	OWN_WAIT = 6,
	OWN_WAKE,
	OWN_FAULT,
	OWN_PRINT,
	OWN_MAP,
	OWN_REVOKE
};

/* The last executive's calls are above the system calls of Linux 7.3. */
static const long own_first[LEVELS] = { 482, 499, 620 };

static inline long own(int level, long number, long a, long b, long c)
{
	return raw(own_first[level] + number, a, b, c);
}

static inline long counter(int level, long n)
{
	return own(level, OWN_COUNTER, n, 0, 0);
}

static inline void mode(int level, long to)
{
	if (own(level, OWN_MODE, to, 0, 0) < 0)
		failed("line %d: executive %d refuses a mode", __LINE__, level);
}

#endif
