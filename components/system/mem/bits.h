/* SPDX-License-Identifier: BSD-2-Clause */
/* Bitmaps: what is in use. All costs are linear in the words that are passed. */
#ifndef MEM_BITS_H
#define MEM_BITS_H

#include <runtime/types.h>

/* Sets or clears bits [first, first + count). */
void bits_fill(uint64_t *bits, uint64_t first, uint64_t count, bool value);
/* The lowest run of `count` clear bits in [from, end), at least 1; false: there is none. */
bool bits_run(const uint64_t *bits, uint64_t from, uint64_t end, uint64_t count, uint64_t *first);

#endif
