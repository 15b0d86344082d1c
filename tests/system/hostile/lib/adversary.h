/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel calls of an attacker: all numbers, with random, extreme or nearly right arguments. The same seed results in
 * the same calls.
 */
#ifndef HOSTILE_ADVERSARY_H
#define HOSTILE_ADVERSARY_H

#include <runtime/types.h>

struct call {
	long rax;
	word words[6];
};

/*
 * The usual contents of slots. A new object is put into a slot of its type, and calls use these slots. A type's slots
 * are [first, first + count), and count is 0 for an unused type. `given` is the initial one of the type, or 0. Slots of
 * initial ones are below `given_end`, and the attacker seldom removes these.
 */
struct adversary {
	word state; /* state of lab_random() */
	struct {
		word first, count, given;
	} slots[LIMPET_TYPES];
	word given_end;
	word slots_end;	      /* slots of the table */
	word threads_first;   /* ids of threads that it may use */
	unsigned int foreign; /* per mille of system calls whose numbers are not the kernel's */
};

/* Returns the next call. */
struct call adversary_call(struct adversary *a);

#endif
