/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters, and a consistent copy of them. */
#ifndef FIGURES_H
#define FIGURES_H

#include <runtime/histogram.h>
#include <runtime/types.h>

#define FIGURES_SECONDS 60 /* seconds that a picture shows, without the current one */
#define FIGURES_TIMES 16   /* buckets of times: below 1 us, 2 us, 4 us ... */

enum figures_class { FIGURES_GOOD, FIGURES_CLIENT_WRONG, FIGURES_SERVER_WRONG, FIGURES_CLASSES };

struct figures {
	uint64_t connections, open, open_max;
	uint64_t answers, bytes;
	uint64_t of_class[FIGURES_CLASSES];
	uint64_t seconds;		      /* time since the start */
	uint32_t per_second[FIGURES_SECONDS]; /* answers; the last one is the second before this one */
	uint64_t times[FIGURES_TIMES];	      /* answers, by duration */
	uint64_t median, p99, max;	      /* ns */
};

void figures_begin(void);
/* Returns the current figures. */
void figures_copy(struct figures *to);
void figures_connected(void);
void figures_left(void);
void figures_served(word code, word bytes, word ticks);

#endif
