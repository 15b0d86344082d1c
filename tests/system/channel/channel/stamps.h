/* SPDX-License-Identifier: BSD-2-Clause */
/* The shared data that both sides of the channel write. */
#include <stdint.h>

struct stamps {
	uint64_t sent;	  /* by the Linux process, before it notifies */
	uint64_t arrived; /* by the component, with its first instructions */
	uint64_t replied; /* by the component, before it notifies */
	uint64_t round;
};
