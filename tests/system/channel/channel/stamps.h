/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two sides of the channel write, behind the console's ring. */
#include <stdint.h>

#define STAMPS_AT 0x8000

struct stamps {
	uint64_t sent;	  /* by the Linux process, before it notifies */
	uint64_t arrived; /* by the component, its first instructions */
	uint64_t replied; /* by the component, before it notifies */
	uint64_t round;
};
