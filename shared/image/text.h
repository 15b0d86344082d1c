/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings of an image's string area. */
#ifndef LIMPET_IMAGE_TEXT_H
#define LIMPET_IMAGE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* The string at `offset` of an area of `size` bytes, which ends with a zero, has 1 to `most` bytes. */
static inline bool text_fits(const char *area, uint32_t size, uint32_t offset, uint32_t most)
{
	if (offset >= size)
		return false;
	for (uint32_t length = 0; length <= most; length++)
		if (!area[offset + length])
			return length > 0;
	return false;
}

static inline bool text_equal(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return *a == *b;
}

#endif
