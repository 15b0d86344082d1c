/* SPDX-License-Identifier: BSD-2-Clause */
/* A repeatable random generator, xorshift32. The including test sets the seed, which must not be 0. */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdint.h>

static uint32_t seed;

static uint32_t random_below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % limit;
}

#endif
