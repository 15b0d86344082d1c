// SPDX-License-Identifier: BSD-2-Clause
/* Random numbers, for what others must not guess: first sequence numbers, ports, ids of questions. */
#include <runtime/time.h>

#include <lwip/arch.h>

static bool rdrand(uint64_t *value)
{
	uint32_t a = 1, b, c = 0, d;
	bool good = false;

	asm("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	for (unsigned int try = 0; c >> 30 & 1 && !good && try < 10; try++)
		asm volatile("rdrand %0" : "=r"(*value), "=@ccc"(good));
	return good;
}

/* Without the processor's: made of the time, and of what came before. */
uint32_t port_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ul;
	uint64_t value;

	if (rdrand(&value))
		return (uint32_t)value;
	state ^= limpet_time();
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dul) >> 32);
}
