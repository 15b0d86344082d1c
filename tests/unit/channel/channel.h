/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two ends of one channel. Each ring and each line is a separate allocation, so the sanitizer
 * detects accesses beyond them.
 */
#ifndef TEST_CHANNEL_H
#define TEST_CHANNEL_H

#include "../cli/test.h"

/* Called before each load: does nothing, or acts as a hostile side. */
extern void (*before_load)(void);

#define LIMPET_CLAIM(place) (before_load(), __atomic_load_n(&(place), __ATOMIC_ACQUIRE))
#define LIMPET_SAY(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define LIMPET_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#include "channel/end.h"

struct pair {
	struct limpet_end a, b;
};

/* Creates rings of these sizes; 0: no ring. Neither side has started. */
void pair_make(struct pair *p, uint64_t a_to_b, uint64_t b_to_a);
/* Both sides have started and seen each other, and all notifications were delivered. */
void pair_connect(struct pair *p);
void pair_free(struct pair *p);

#endif
