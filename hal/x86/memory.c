// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the compiler calls for large copies, in place of the host's. Local to the kernel's
 * object.
 */
#include <stddef.h>

void *memset(void *to, int value, size_t size);
void *memcpy(void *to, const void *from, size_t size);

/*
 * Stores words, then the last bytes, because each iteration of REP counts as an instruction and can
 * be interrupted.
 */
void *memset(void *to, int value, size_t size)
{
	unsigned long word = (unsigned char)value * 0x0101010101010101ul;
	size_t words = size / 8, rest = size % 8;
	void *p = to;

	asm volatile("rep stosq" : "+D"(p), "+c"(words) : "a"(word) : "memory");
	asm volatile("rep stosb" : "+D"(p), "+c"(rest) : "a"(word) : "memory");
	return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
	size_t words = size / 8, rest = size % 8;
	void *p = to;

	asm volatile("rep movsq" : "+D"(p), "+S"(from), "+c"(words) : : "memory");
	asm volatile("rep movsb" : "+D"(p), "+S"(from), "+c"(rest) : : "memory");
	return to;
}
