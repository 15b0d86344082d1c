// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random numbers for values that an attacker must not guess: initial sequence numbers, ports and
 * ids of DNS questions.
 */
#include <runtime/rdrand.h>
#include <runtime/time.h>

#include <lwip/arch.h>

/* Without the instruction RDRAND the number is derived from the time and the previous numbers. */
uint32_t port_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ul;
	uint64_t value;

	if (limpet_rdrand(&value))
		return (uint32_t)value;
	state ^= limpet_time();
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dul) >> 32);
}
