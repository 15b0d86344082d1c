/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements event flags: 64 bits that threads set and wait for. Initially, with zeros, all flags
 * are clear.
 */
#ifndef SYNC_FLAGS_H
#define SYNC_FLAGS_H

#include <sync/core.h>

struct flags {
	uint64_t set;
	uint32_t waiters;
};

#define FLAGS_ANY 0u   /* one of the flags is enough */
#define FLAGS_ALL 1u   /* all flags must be set */
#define FLAGS_CLEAR 2u /* the wanted flags that are set are cleared */

/*
 * Waits until flags of `wanted` are set, as `how` says, and stores those that were set in *got. If several threads wait
 * for flags that they clear, the one of highest priority continues first. Returns 0. ETIME: the deadline has passed.
 * ERANGE: `wanted` is 0, or `how` is not FLAGS_ANY or FLAGS_ALL, with or without FLAGS_CLEAR.
 */
long flags_wait(struct flags *flags, uint64_t wanted, unsigned int how, uint64_t *got,
		uint64_t deadline);
/* Sets the flags in `which`, and makes all waiting threads check again. Returns 0. */
long flags_set(struct flags *flags, uint64_t which);

/* Clears the flags in `which`, and returns those of them that were set. Never waits. */
static inline uint64_t flags_clear(struct flags *flags, uint64_t which)
{
	return __atomic_fetch_and(&flags->set, ~which, __ATOMIC_SEQ_CST) & which;
}

#endif
