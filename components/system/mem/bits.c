// SPDX-License-Identifier: BSD-2-Clause
#include "bits.h"

/* Returns the first bit in [at, end) that is set in bits ^ flip, or `end`. */
static uint64_t bit_next(const uint64_t *bits, uint64_t at, uint64_t end, uint64_t flip)
{
	while (at < end) {
		uint64_t rest = (bits[at / 64] ^ flip) >> at % 64;

		if (rest) {
			at += (unsigned int)__builtin_ctzl(rest);
			return at < end ? at : end;
		}
		at = (at | 63) + 1;
	}
	return end;
}

void bits_fill(uint64_t *bits, uint64_t first, uint64_t count, bool value)
{
	while (count) {
		uint64_t shift = first % 64, some = count < 64 - shift ? count : 64 - shift;
		uint64_t mask = (some < 64 ? (1ul << some) - 1 : ~0ul) << shift;

		if (value)
			bits[first / 64] |= mask;
		else
			bits[first / 64] &= ~mask;
		first += some;
		count -= some;
	}
}

bool bits_run(const uint64_t *bits, uint64_t from, uint64_t end, uint64_t count, uint64_t *first)
{
	while (from <= end && count <= end - from) {
		uint64_t used = bit_next(bits, from, from + count, 0);

		if (used == from + count) {
			*first = from;
			return true;
		}
		from = bit_next(bits, used, end, ~0ul);
	}
	return false;
}
