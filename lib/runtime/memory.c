// SPDX-License-Identifier: BSD-2-Clause
/* Built with -fno-tree-loop-distribute-patterns, or each would call itself. */
#include <runtime/memory.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	void *result = to;

	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return result;
}

void *memset(void *to, int byte, size_t size)
{
	void *result = to;

	asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return result;
}

void *memmove(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;

	if (t <= f)
		return memcpy(to, from, size);
	while (size--)
		t[size] = f[size];
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
