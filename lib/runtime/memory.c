// SPDX-License-Identifier: BSD-2-Clause
/*
 * This file must be built with -fno-tree-loop-distribute-patterns. Otherwise each function would
 * call itself.
 */
#include <stdint.h>

#include <runtime/memory.h>

/*
 * Copies 8 bytes at a time, then the remaining bytes. Emulators count each iteration of REP as an
 * instruction, and processors without fast short strings are slow with bytes.
 */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	size_t words = size / 8, rest = size % 8;
	void *at = to;

	asm volatile("rep movsq" : "+D"(at), "+S"(from), "+c"(words) : : "memory");
	asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(rest) : : "memory");
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	size_t word = (unsigned char)byte * 0x0101010101010101ul, words = size / 8, rest = size % 8;
	void *at = to;

	asm volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(word) : "memory");
	asm volatile("rep stosb" : "+D"(at), "+c"(rest) : "a"(word) : "memory");
	return to;
}

/* Copies downwards only if copying upwards would overwrite source bytes. */
void *memmove(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;

	if ((size_t)t - (size_t)f >= size)
		return memcpy(to, from, size);
	while (size % 8)
		size--, t[size] = f[size];
	for (; size; size -= 8) {
		uint64_t word;

		__builtin_memcpy(&word, f + size - 8, 8);
		__builtin_memcpy(t + size - 8, &word, 8);
	}
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

size_t strlen(const char *text)
{
	size_t size = 0;

	while (text[size])
		size++;
	return size;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}
