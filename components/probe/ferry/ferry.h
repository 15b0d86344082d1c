/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages between bench/ferry.c and the component, through the channel "ferry". */
#ifndef FERRY_H
#define FERRY_H

#include <stdint.h>

#define FERRY_POLLED 32 /* messages of a round; they fit into a ring */

enum ferry_order {
	FERRY_ANSWER = 1, /* answered immediately, with the times of arrival and of the answer */
	FERRY_POLL = 2,	  /* starts polling: checks each millisecond, does not wait */
	FERRY_END = 3,	  /* ends polling */
};

/* A message in either direction. Times are time stamps. */
struct ferry {
	uint64_t order;
	uint64_t came, sent;
};

/* In answers while polling: the time to read one message, and to write the previous one. */
struct ferry_polled {
	uint64_t take, put;
};

#endif
