/* SPDX-License-Identifier: GPL-2.0 */
/* Types and macros of all kernel files. The kernel's include path has no header of the host. */
#ifndef HAL_TYPES_H
#define HAL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef HOST_TYPES /* set by files of a host that defines these types */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

/* Inlines everything that a function calls. For functions whose instructions are counted. */
#define straight __attribute__((flatten))

typedef unsigned long word; /* a machine word, the size of a register */

#define countof(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Returns `index` if it is below `size`, else 0, also under speculation (Spectre v1: the caller's
 * check of a bound does not bind a mispredicted load). The empty asm hides the caller's check from
 * the compiler.
 */
static inline word index_clamp(word index, word size)
{
	asm("" : "+r"(index));
	return index & (0 - (word)(index < size));
}

#endif
