/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings of an image's string area. */
#ifndef LIMPET_IMAGE_TEXT_H
#define LIMPET_IMAGE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns whether the string at `offset` has 1 to `max` bytes. The area has `size` bytes, and its
 * last byte is 0.
 */
static inline bool text_fits(const char *area, uint32_t size, uint32_t offset, uint32_t max)
{
	if (offset >= size)
		return false;
	for (uint32_t length = 0; length <= max; length++)
		if (!area[offset + length])
			return length > 0;
	return false;
}

/* Compares bytes without signs: below 0 if `a` is before `b`, 0 if they are equal. */
static inline int text_compare(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return (unsigned char)*a - (unsigned char)*b;
}

static inline bool text_equal(const char *a, const char *b)
{
	return !text_compare(a, b);
}

#endif
