/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Physical memory, as the firmware reported it to Linux at boot, and the parts that are still free
 * in a plan.
 */
#ifndef CLI_RESTART_MEMORY_MAP_H
#define CLI_RESTART_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_RANGES 128 /* limit of Linux's boot protocol */
#define MEMORY_RAM 1	  /* types of that protocol */
#define MEMORY_RESERVED 2

struct memory_range {
	uint64_t start, end; /* `end` is exclusive */
	uint32_t type;
};

struct memory_map {
	unsigned int count;
	struct memory_range range[MEMORY_RANGES];
};

/*
 * Reads /sys/firmware/memmap below `root`, and sorts the ranges. Returns false if it cannot be read or has too many
 * ranges.
 */
bool memory_map_read(const char *root, struct memory_map *map);
/* Reserves RAM between the two addresses. Returns false if the map has no space for more ranges. */
bool memory_map_reserve(struct memory_map *map, uint64_t start, uint64_t end);
/*
 * Returns the lowest (or highest) address for `size` bytes of RAM between the two addresses. It is a multiple of
 * `align`, which is a power of two. Returns 0 without such RAM.
 */
uint64_t memory_map_find(const struct memory_map *map, uint64_t size, uint64_t align, uint64_t low,
			 uint64_t high, bool highest);

#endif
