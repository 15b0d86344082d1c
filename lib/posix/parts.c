// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>

#include "parts.h"

bool parts_valid(const struct parts *parts)
{
	size_t size = 0;

	if (parts->count > PARTS_MAX)
		return false;
	for (word i = 0; i < parts->count; i++) {
		if (parts->part[i].iov_len > INT64_MAX - size)
			return false;
		size += parts->part[i].iov_len;
	}
	return true;
}

size_t parts_size(const struct parts *parts)
{
	size_t size = 0;

	for (word i = 0; i < parts->count; i++)
		size += parts->part[i].iov_len;
	return size;
}

void parts_copy(const struct parts *parts, size_t at, void *buffer, size_t size, bool fill)
{
	uint8_t *from = buffer;

	for (word i = 0; size && i < parts->count; i++) {
		uint8_t *base = parts->part[i].iov_base;
		const size_t length = parts->part[i].iov_len;
		size_t piece;

		if (at >= length) {
			at -= length;
			continue;
		}
		piece = length - at < size ? length - at : size;
		if (fill)
			memcpy(base + at, from, piece);
		else
			memcpy(from, base + at, piece);
		from += piece;
		size -= piece;
		at = 0;
	}
}
