/* SPDX-License-Identifier: GPL-2.0 */
/* Two ends of one channel, each ring and each line a piece of memory of its own: the sanitizer sees its borders. */
#ifndef TEST_CHANNEL_H
#define TEST_CHANNEL_H

#include "../cli/test.h"

/* What a test has happen before each load: nothing, or a hostile side. */
extern void (*before_load)(void);

#define LIMPET_CLAIM(place) (before_load(), __atomic_load_n(&(place), __ATOMIC_ACQUIRE))
#define LIMPET_SAY(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define LIMPET_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#include "channel/end.h"

struct pair {
	struct limpet_end a, b;
};

/* Rings of so many bytes; 0: none. Neither side has begun. */
void pair_make(struct pair *p, uint64_t a_to_b, uint64_t b_to_a);
/* Both have begun, and seen each other, and everybody was told. */
void pair_connect(struct pair *p);
void pair_free(struct pair *p);

#endif
