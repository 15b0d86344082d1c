/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The check of an image, which the kernel module, the booter and the tests share. Freestanding: it
 * uses no library, no allocation and no floating point.
 */
#ifndef LIMPET_IMAGE_CHECK_H
#define LIMPET_IMAGE_CHECK_H

#include <limpet/image.h>
#include "crc.h"

#define LIMPET_IMAGE_SEGMENTS 8 /* segments that one component may have */

/* Description of an error. Both texts are constants. */
struct limpet_image_error {
	const char *field;  /* "crc", "component.entry", "wire.slot" */
	const char *reason; /* "must be in an executable segment" */
	uint32_t index; /* which component, segment, wire, argument or resource; 0 for the header */
};

/* limpet_image_check() with the image's checksum, which limpet_image_crc() computes. */
int limpet_image_check_crc(const void *image, uint64_t size, uint32_t crc,
			   struct limpet_image_error *error);

/*
 * Checks an image of `size` bytes: each field of the header and of each record, and the checksum.
 * If it returns 0, all offsets, indices, strings and addresses in the image can be used without
 * another check. Otherwise it returns -1 and fills `error`.
 *
 * `image` is aligned to 8 bytes. It must not change during or after the check, so the caller checks
 * a private copy. Any context; in Linux, one that can sleep. Cost: about eight instructions for each byte, for the
 * checksum, and some hundred for each component and record; 3 KiB of stack.
 */
static inline int limpet_image_check(const void *image, uint64_t size,
				     struct limpet_image_error *error)
{
	return limpet_image_check_crc(image, size, limpet_image_crc(image, size), error);
}

/* Returns the first resource of a checked image that only beneath mode can provide, or NULL. */
static inline const struct limpet_image_resource *
limpet_image_device(const struct limpet_image *image)
{
	const struct limpet_image_resource *resource =
		(const void *)((const char *)image + image->resources_at);

	for (uint32_t i = 0; i < image->resources; i++)
		if (resource[i].kind != LIMPET_RESOURCE_INTERRUPT ||
		    resource[i].first != LIMPET_LINE_LINUX)
			return &resource[i];
	return (void *)0;
}

/* Returns the first component of a checked image with that flag, LIMPET_COMPONENT_..., or NULL. */
static inline const struct limpet_image_component *
limpet_image_with(const struct limpet_image *image, uint32_t flag)
{
	const struct limpet_image_component *component =
		(const void *)((const char *)image + image->components_at);

	for (uint32_t i = 0; i < image->components; i++)
		if (component[i].flags & flag)
			return &component[i];
	return (void *)0;
}

/* Return the first component with branch predictor barriers, and the first executive, or NULL. */
static inline const struct limpet_image_component *
limpet_image_barrier(const struct limpet_image *image)
{
	return limpet_image_with(image, LIMPET_COMPONENT_BARRIER);
}
static inline const struct limpet_image_component *
limpet_image_executive(const struct limpet_image *image)
{
	return limpet_image_with(image, LIMPET_COMPONENT_EXECUTIVE);
}

/* Returns the name of a kind of resource, for example "ports". */
static inline const char *limpet_image_resource_word(uint32_t kind)
{
	static const char *const words[] = {
		[LIMPET_RESOURCE_PORTS] = "ports",
		[LIMPET_RESOURCE_MEMORY] = "memory",
		[LIMPET_RESOURCE_INTERRUPT] = "an interrupt",
		[LIMPET_RESOURCE_PCI] = "a PCI function",
	};

	return kind < sizeof(words) / sizeof(*words) && words[kind] ? words[kind] : "?";
}

#endif
