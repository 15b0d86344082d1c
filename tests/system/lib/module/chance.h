/* SPDX-License-Identifier: GPL-2.0 */
/* Repeatable random numbers for the modules of the tests. */
#ifndef CHANCE_H
#define CHANCE_H

#include <linux/types.h>

/* xorshift64*. The seed must not be 0. */
static inline u64 chance(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

#endif
