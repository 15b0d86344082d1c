/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that tools/guest makes. Only lib/guest itself includes this. */
#ifndef GUEST_TABLE_H
#define GUEST_TABLE_H

#include <guest/calls.h>

struct guest_symbol {
	const char *name;
	word value;
};

struct guest_set {
	const struct guest_symbol *symbols; /* bits, in the order in which they are printed */
	const struct guest_symbol *base;    /* numbers in the part `mask` */
	word mask;
	unsigned short symbol_count, base_count;
	const char *zero;    /* name of 0, or NULL */
	const char *unknown; /* for a comment */
};

/* Arguments that replace those of a call if argument `by` has the value `value` in the bits of `mask`. */
struct guest_variant {
	unsigned int mask, value;
	unsigned short arguments; /* index of the first in guest_values */
	unsigned char by, count, returns, of;
};

struct guest_struct {
	unsigned short size;
	unsigned short fields; /* index of the first in guest_values */
	unsigned char count;
	unsigned char more;  /* has further fields */
	unsigned char named; /* fields are in braces; else in brackets, without names */
};

struct guest_error {
	const char *name, *text;
	long number;
};

extern const struct guest_call guest_table[];
extern const unsigned int guest_table_size;
extern const struct guest_variant guest_variants[];
extern const struct guest_value guest_values[];
extern const struct guest_struct guest_structs[];
extern const struct guest_set guest_sets[];
extern const struct guest_error guest_errors[];
extern const unsigned int guest_error_count;

#endif
