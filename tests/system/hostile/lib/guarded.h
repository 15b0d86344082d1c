/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects that hostile code, which runs for a lab, does not return. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include <runtime/types.h>

struct guarded {
	uint64_t number; /* number of the attempt */
	uint64_t seen;	 /* the number at the guard's last check */
	bool running;
};

static inline void guarded_begin(struct guarded *guarded)
{
	guarded->number++;
	__atomic_store_n(&guarded->running, true, __ATOMIC_SEQ_CST);
}

static inline void guarded_end(struct guarded *guarded)
{
	__atomic_store_n(&guarded->running, false, __ATOMIC_SEQ_CST);
}

/* Called by the guard. Returns whether the current attempt also ran at the guard's last check. */
static inline bool guarded_stuck(struct guarded *guarded)
{
	uint64_t now = __atomic_load_n(&guarded->number, __ATOMIC_SEQ_CST);
	bool stuck = __atomic_load_n(&guarded->running, __ATOMIC_SEQ_CST) && now == guarded->seen;

	guarded->seen = now;
	return stuck;
}

#endif
