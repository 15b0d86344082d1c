// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>

#include "map_end.h"
#include "posix.h"

#define ENDS 64

struct range {
	uint64_t from, to; /* to <= from: not in use */
};

static struct range ends[ENDS];

static struct range *range_unused(void)
{
	for (unsigned int i = 0; i < ENDS; i++)
		if (ends[i].to <= ends[i].from)
			return &ends[i];
	return NULL;
}

/* Sets an unused range. In each state that end_has() can see without the lock, it is empty or has its final values. */
static void range_fill(struct range *range, uint64_t from, uint64_t to)
{
	range->to = 0;
	barrier();
	range->from = from;
	barrier();
	range->to = to;
}

bool end_add(uint64_t address, uint64_t size)
{
	struct range *range;

	end_remove(address, size);
	range = range_unused();
	if (!range)
		return false;
	range_fill(range, address, address + size);
	return true;
}

/* A removed range within another one divides it. If no record is left, an access to the upper part is SIGSEGV. */
static void range_cut(struct range *range, uint64_t from, uint64_t to)
{
	const struct range upper = { to, range->to };

	if (from <= range->from) {
		range->from = to < range->to ? to : range->to;
		return;
	}
	range->to = from;
	if (upper.from < upper.to) {
		struct range *more = range_unused();

		if (more)
			range_fill(more, upper.from, upper.to);
	}
}

void end_remove(uint64_t address, uint64_t size)
{
	for (unsigned int i = 0; i < ENDS; i++)
		if (ends[i].from < address + size && address < ends[i].to)
			range_cut(&ends[i], address, address + size);
}

bool end_overlaps(uint64_t address, uint64_t size)
{
	for (unsigned int i = 0; i < ENDS; i++)
		if (ends[i].from < ends[i].to && ends[i].from < address + size &&
		    address < ends[i].to)
			return true;
	return false;
}

bool end_has(uint64_t address)
{
	return end_overlaps(address, 1);
}
