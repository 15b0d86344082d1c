/* SPDX-License-Identifier: BSD-2-Clause */
/* What bench/ferry.c and the component say to each other through the channel "ferry". */
#ifndef FERRY_H
#define FERRY_H

#include <stdint.h>

#define FERRY_POLLED 32 /* messages of a round, which fit a ring */

enum ferry_order {
	FERRY_ANSWER = 1, /* at once: when it came, and when the answer was sent */
	FERRY_POLL = 2,	  /* from now on looks each millisecond, and waits for nothing */
	FERRY_END = 3,	  /* no more of that */
};

/* Both ways. Times are time stamps. */
struct ferry {
	uint64_t order;
	uint64_t came, sent;
};

/* Polled, from the component: what it took to take one out, and to put the one before in. */
struct ferry_polled {
	uint64_t take, put;
};

#endif
