/* SPDX-License-Identifier: GPL-2.0 */
/* The few words that every file of the kernel uses. No host header is on its include path. */
#ifndef HAL_TYPES_H
#define HAL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef HOST_TYPES /* a host that has these already: its files that include kernel headers set it */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

/* A function on a path that is counted: what it calls becomes part of it. */
#define straight __attribute__((flatten))

typedef unsigned long word; /* a machine word: what a register holds */

#define countof(a) (sizeof(a) / sizeof((a)[0]))

/*
 * `index` when it is below `size`, else 0, also under speculation (Spectre v1: a bound that the
 * caller checked does not bind a mispredicted load). The compiler must not know of that check.
 */
static inline word index_clamp(word index, word size)
{
	asm("" : "+r"(index));
	return index & (0 - (word)(index < size));
}

#endif
