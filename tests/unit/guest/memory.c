// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory.h"

#define COPY_MAX 512

struct traced_memory traced;

/* Copies from the emulated memory. Checks the bounds that <guest/format.h> specifies for each copy. */
static long traced_copy(void *context, void *to, word address, word size)
{
	word at = traced.endless ? address % MEMORY_SIZE : address - MEMORY_BASE;

	assert_ptr_equal(context, &traced);
	assert_true(size <= COPY_MAX && address + size >= address);
	memset(to, 0x5a, size);
	if (traced.copies++ == traced.fails_at ||
	    (!traced.endless && (at > MEMORY_SIZE || size > MEMORY_SIZE - at)))
		return -14;
	if (traced.endless) {
		for (word i = 0; i < size; i++)
			((unsigned char *)to)[i] = traced.bytes[(at + i) % MEMORY_SIZE];
		return 0;
	}
	for (word i = 0; i < size; i++) {
		traced.twice += traced.copied[at + i]++ > 0;
		if (traced.changes)
			traced.bytes[at + i] = (unsigned char)random();
	}
	memcpy(to, traced.bytes + at, size);
	return 0;
}

const struct guest_memory traced_guest = { traced_copy, &traced };

void traced_clear(void)
{
	memset(&traced, 0, sizeof(traced));
	traced.fails_at = -1;
}

word traced_put(word offset, const void *from, word size)
{
	memcpy(traced.bytes + offset, from, size);
	return MEMORY_BASE + offset;
}

/* The buffer is allocated with its exact size, so that the sanitizer detects a byte beyond it. */
const char *traced_text(size_t size, long number, const word *arguments, long result)
{
	static char text[16384];
	char *exact = malloc(size);
	struct guest_line line;

	guest_line_begin(&line, exact, size, &traced_guest, number, arguments);
	memset(traced.copied, 0, sizeof(traced.copied));
	guest_line_end(&line, result);
	assert_int_equal(strlen(exact), line.text.length);
	memcpy(text, exact, line.text.length + 1);
	free(exact);
	return text;
}
