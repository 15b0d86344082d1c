/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RUNTIME_RDRAND_H
#define RUNTIME_RDRAND_H

#include <runtime/types.h>

/*
 * Stores a random number of the processor's RDRAND in *value. Returns false, without a change of
 * *value, if the processor has no RDRAND or supplies no number. Costs a CPUID and up to ten RDRAND.
 */
static inline bool limpet_rdrand(uint64_t *value)
{
	uint32_t a = 1, b, c = 0, d;
	uint64_t number = 0;
	bool good = false;

	asm("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	for (unsigned int try = 0; c >> 30 & 1 && !good && try < 10; try++)
		asm volatile("rdrand %0" : "=r"(number), "=@ccc"(good));
	if (good)
		*value = number;
	return good;
}

#endif
