/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of code to execute in a component, and the permitted outcomes of each: snips.S. */
#ifndef SNIP_H
#define SNIP_H

#include <runtime/types.h>

#define SEGMENT_AT 4 /* offset of the byte in segment_code that chooses the register */

struct snip {
	const char *name;
	const unsigned char *start, *end;
	word allowed;
};

extern const struct snip snips[], snips_end[];

#define CODE(name) extern const unsigned char name[], name##_end[]
CODE(fs_code);
CODE(gs_code);
CODE(stack_code);
CODE(stack_invalid_code);
CODE(xrstor_code);
CODE(segment_code);
#undef CODE

#endif
