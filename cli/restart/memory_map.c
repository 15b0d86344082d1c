// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/restart/memory_map.h>
#include <cli/common/text.h>

#define FOLDER "/sys/firmware/memmap/"

/* Returns the type of a range from Linux's words for it (arch/x86/kernel/e820.c). */
static uint32_t type_of(const char *words)
{
	static const struct {
		const char *words;
		uint32_t type;
	} types[] = {
		{ "System RAM", MEMORY_RAM },	    { "ACPI Tables", 3 },
		{ "ACPI Non-volatile Storage", 4 }, { "Unusable memory", 5 },
		{ "Persistent Memory", 7 },	    { "Persistent Memory (legacy)", 12 },
		{ "Soft Reserved", 0xefffffff },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].words, words))
			return types[i].type;
	return MEMORY_RESERVED;
}

static bool read_word(const char *root, unsigned int n, const char *name, char *to, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), FOLDER "%u/%s", n, name);
	return text_read(root, path, to, size);
}

static bool insert(struct memory_map *map, unsigned int at, const struct memory_range *range)
{
	if (map->count == MEMORY_RANGES)
		return false;
	memmove(&map->range[at + 1], &map->range[at], (map->count - at) * sizeof(*range));
	map->range[at] = *range;
	map->count++;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct memory_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

bool memory_map_read(const char *root, struct memory_map *map)
{
	char start[32], end[32], type[64];

	map->count = 0;
	for (unsigned int n = 0; read_word(root, n, "start", start, sizeof(start)); n++) {
		struct memory_range range;

		if (!read_word(root, n, "end", end, sizeof(end)) ||
		    !read_word(root, n, "type", type, sizeof(type)))
			return false;
		range.start = strtoull(start, NULL, 16);
		range.end = strtoull(end, NULL, 16) + 1;
		range.type = type_of(type);
		if (range.end <= range.start || !insert(map, map->count, &range))
			return false;
	}
	qsort(map->range, map->count, sizeof(*map->range), compare);
	return map->count > 0;
}

bool memory_map_reserve(struct memory_map *map, uint64_t start, uint64_t end)
{
	for (unsigned int i = 0; i < map->count; i++) {
		struct memory_range *range = &map->range[i], rest;

		if (range->type != MEMORY_RAM || range->end <= start || range->start >= end)
			continue;
		rest = *range;
		if (range->start < start) { /* the part before `start` stays free */
			range->end = start;
			rest.start = start;
			if (!insert(map, i + 1, &rest))
				return false;
			continue; /* the next turn handles the rest */
		}
		if (range->end > end) {
			range->end = rest.start = end;
			if (!insert(map, i + 1, &rest))
				return false;
		}
		range->type = MEMORY_RESERVED;
	}
	return true;
}

uint64_t memory_map_find(const struct memory_map *map, uint64_t size, uint64_t align, uint64_t low,
			 uint64_t high, bool highest)
{
	uint64_t found = 0;

	for (unsigned int i = 0; i < map->count; i++) {
		const struct memory_range *range = &map->range[i];
		uint64_t start = range->start > low ? range->start : low;
		uint64_t end = range->end < high ? range->end : high, at;

		if (range->type != MEMORY_RAM || start >= end)
			continue;
		start = (start + align - 1) & ~(align - 1);
		if (start >= end || end - start < size)
			continue;
		at = highest ? (end - size) & ~(align - 1) : start;
		if (!found || highest)
			found = at;
	}
	return found;
}
