/* SPDX-License-Identifier: BSD-2-Clause */
/* Bitmaps. All costs are linear in the number of words that are read or changed. */
#ifndef MEM_BITS_H
#define MEM_BITS_H

#include <runtime/types.h>

/* Sets or clears bits [first, first + count). */
void bits_fill(uint64_t *bits, uint64_t first, uint64_t count, bool value);
/*
 * Finds the lowest run of `count` clear bits, at least 1, in [from, end). Returns false without
 * such a run.
 */
bool bits_run(const uint64_t *bits, uint64_t from, uint64_t end, uint64_t count, uint64_t *first);

#endif
