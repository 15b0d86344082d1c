/* SPDX-License-Identifier: BSD-2-Clause */
/* Event flags: 64 bits that threads set and wait for. All zero: none is set. */
#ifndef SYNC_FLAGS_H
#define SYNC_FLAGS_H

#include <sync/core.h>

struct flags {
	uint64_t set;
	uint32_t waiters;
};

#define FLAGS_ANY 0u   /* one of the flags is enough */
#define FLAGS_ALL 1u   /* all of them have to be set */
#define FLAGS_CLEAR 2u /* those that were waited for, and are set, are cleared */

/*
 * Waits for flags, and stores which of those wanted were set; in the order of importance, when
 * several threads wait for flags that they clear. ETIME. ERANGE: none is wanted, or `how` is
 * none of FLAGS_ANY or FLAGS_ALL, with or without FLAGS_CLEAR.
 */
long flags_wait(struct flags *flags, uint64_t wanted, unsigned int how, uint64_t *got,
		uint64_t deadline);
/* Sets flags: all threads that wait look again. */
long flags_set(struct flags *f, uint64_t flags);

/* Clears flags. Which of them were set. */
static inline uint64_t flags_clear(struct flags *f, uint64_t flags)
{
	return __atomic_fetch_and(&f->set, ~flags, __ATOMIC_SEQ_CST) & flags;
}

#endif
