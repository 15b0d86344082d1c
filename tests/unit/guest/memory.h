/* SPDX-License-Identifier: GPL-2.0 */
/* Emulates the memory of a traced program: a few pages, which can fail and change. */
#ifndef MEMORY_H
#define MEMORY_H

#include <guest/format.h>

#define MEMORY_BASE 0x700000000000ul
#define MEMORY_SIZE 16384ul

struct traced_memory {
	unsigned char bytes[MEMORY_SIZE];  /* at MEMORY_BASE */
	unsigned char copied[MEMORY_SIZE]; /* number of copies of each byte */
	long copies;
	long twice;    /* bytes that were copied again before or again after the call */
	long fails_at; /* index of the copy that fails, from 0; -1: all succeed */
	bool endless;  /* each address can be copied: the pages repeat */
	bool changes;  /* the contents change at each copy */
};

/* The memory that all functions below use. */
extern struct traced_memory traced;

/* Clears the memory and the counters. */
void traced_clear(void);
/* Puts bytes at an offset. Returns their address in the traced program. */
word traced_put(word offset, const void *from, word size);
/* Returns the text of a call and its result, in a buffer of that size. */
const char *traced_text(size_t size, long number, const word *arguments, long result);
/* Does the same with the whole buffer, for up to six arguments. */
#define TEXT(result, name, ...)                                                                    \
	traced_text(16384, GUEST_CALL_##name, (const word[GUEST_ARGUMENTS]){ __VA_ARGS__ }, result)

extern const struct guest_memory traced_guest;

#endif
