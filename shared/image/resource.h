/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a resource's record in an image that do not depend on other records. */
#ifndef LIMPET_IMAGE_RESOURCE_H
#define LIMPET_IMAGE_RESOURCE_H

#include <limpet/image.h>

#define PORTS_END 0x10000ul
#define PCI_END (1ul << 32)

/* Returns whether the range of `start` and `count` is not empty, and ends at `end` or before. */
static inline bool resource_within(uint64_t start, uint64_t count, uint64_t end)
{
	return count && start < end && count <= end - start;
}

static inline bool resource_line_known(uint64_t line)
{
	return line < LIMPET_LINES_MAX || line == LIMPET_LINE_LINUX || line == LIMPET_LINE_MESSAGE;
}

static inline uint32_t resource_flags_possible(const struct limpet_image_resource *resource)
{
	if (resource->kind == LIMPET_RESOURCE_MEMORY)
		return LIMPET_RESOURCE_SHOWN;
	if (resource->kind == LIMPET_RESOURCE_INTERRUPT && resource->first < LIMPET_LINES_MAX)
		return LIMPET_RESOURCE_LEVEL;
	return 0;
}

static inline bool resources_meet(const struct limpet_image_resource *one,
				  const struct limpet_image_resource *other)
{
	if (one->kind != other->kind)
		return false;
	if (one->kind == LIMPET_RESOURCE_INTERRUPT && one->first >= LIMPET_LINES_MAX)
		return false; /* not a line, so all components may have it */
	return one->first < other->first + other->count && other->first < one->first + one->count;
}

#endif
