/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel calls of an attacker of the kernel: all numbers, with random, extreme or nearly right
 * arguments. The same seed results in the same calls.
 */
#ifndef HOSTILE_ADVERSARY_H
#define HOSTILE_ADVERSARY_H

#include <runtime/types.h>

struct call {
	long rax;
	word words[6];
};

/*
 * Which slots hold what, mostly: an object made goes to a slot of its type, and calls look for it
 * there. A type's slots are [first, first + count); count 0: there are none. `given`, 0: none, is the
 * one that it was given; it seldom gives these, which are below `given_end`, away.
 */
struct adversary {
	word state; /* of lab_random() */
	struct {
		word first, count, given;
	} slots[LIMPET_TYPES];
	word given_end;
	word slots_end;	      /* of the table */
	word threads_first;   /* ids of threads that it may use */
	unsigned int foreign; /* per mille of system calls whose numbers are not the kernel's */
};

/* Returns the next call. */
struct call adversary_call(struct adversary *a);

#endif
