// SPDX-License-Identifier: GPL-2.0
/* What the compiler calls for large copies; the host's are not used. Local to the kernel's object. */
#include <stddef.h>

void *memset(void *to, int value, size_t size);
void *memcpy(void *to, const void *from, size_t size);

void *memset(void *to, int value, size_t size)
{
	void *p = to;

	asm volatile("rep stosb" : "+D"(p), "+c"(size) : "a"(value) : "memory");
	return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
	void *p = to;

	asm volatile("rep movsb" : "+D"(p), "+S"(from), "+c"(size) : : "memory");
	return to;
}
