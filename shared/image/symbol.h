/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions for backtraces, which find the function at an address of a component, and its caller's
 * frame. The image has passed limpet_image_check(). Cost: a binary search.
 *
 * A step to the caller is frame = limpet_image_frame(image, component, ip). The backtrace ends if
 * the result is LIMPET_UNWIND_UNKNOWN. Otherwise the return address is at sp + frame - 8, and sp +
 * frame is the caller's stack pointer after its call. The function of a caller is looked up at the
 * address before the return address, because a call can be the last instruction of a function.
 */
#ifndef LIMPET_IMAGE_SYMBOL_H
#define LIMPET_IMAGE_SYMBOL_H

#include <limpet/call.h>
#include <limpet/image.h>

static inline const void *image_at(const struct limpet_image *image, uint64_t at)
{
	return (const char *)image + at;
}

static inline const struct limpet_image_component *
image_component_at(const struct limpet_image *image, uint32_t index)
{
	return (const struct limpet_image_component *)image_at(image, image->components_at) + index;
}

static inline const struct limpet_image_segment *
image_segment_of(const struct limpet_image *image, const struct limpet_image_component *component)
{
	return (const struct limpet_image_segment *)image_at(image, image->segments_at) +
	       component->segment;
}

/* Returns whether the component has code at the address. */
static inline int image_code(const struct limpet_image *image,
			     const struct limpet_image_component *component, uint64_t address)
{
	const struct limpet_image_segment *segment = image_segment_of(image, component);

	for (uint32_t i = 0; i < component->segments; i++)
		if (segment[i].rights & LIMPET_EXEC &&
		    address - segment[i].address < segment[i].file_size)
			return 1;
	return 0;
}

/*
 * Returns the number of records, among `count`, that begin at or before `offset`. Symbols and
 * unwind records both begin with their offset and are two words of 32 bits.
 */
static inline uint32_t image_before(const uint32_t (*record)[2], uint32_t count, uint64_t offset)
{
	uint32_t low = 0;

	while (low < count) {
		uint32_t middle = low + (count - low) / 2;

		if (record[middle][0] <= offset)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

_Static_assert(sizeof(struct limpet_image_symbol) == 8, "two words");
_Static_assert(sizeof(struct limpet_image_unwind) == 8, "two words");

/*
 * Returns the second word of the record that applies to an address, or LIMPET_UNWIND_UNKNOWN if
 * there is none.
 */
static inline uint32_t image_record(const struct limpet_image *image, uint32_t index, uint64_t at,
				    uint32_t count, uint64_t address, uint64_t *begin)
{
	const struct limpet_image_component *component = image_component_at(image, index);
	const uint32_t(*record)[2] = image_at(image, at);
	uint64_t base = image_segment_of(image, component)->address;
	uint32_t before;

	if (!image_code(image, component, address))
		return LIMPET_UNWIND_UNKNOWN;
	before = image_before(record, count, address - base);
	if (!before)
		return LIMPET_UNWIND_UNKNOWN;
	*begin = base + record[before - 1][0];
	return record[before - 1][1];
}

/*
 * Returns the name of the function at an address, and sets *begin to its start. Returns NULL if it
 * is unknown.
 */
static inline const char *limpet_image_function(const struct limpet_image *image,
						uint32_t component, uint64_t address,
						uint64_t *begin)
{
	const struct limpet_image_component *record = image_component_at(image, component);
	uint32_t name = image_record(image, component, image->symbols_at + record->symbol * 8ul,
				     record->symbols, address, begin);

	return name == LIMPET_UNWIND_UNKNOWN ? (void *)0
					     : image_at(image, image->strings_at + name);
}

/* Returns the bytes from rsp to the caller's frame at an instruction, or LIMPET_UNWIND_UNKNOWN. */
static inline uint32_t limpet_image_frame(const struct limpet_image *image, uint32_t component,
					  uint64_t address)
{
	const struct limpet_image_component *record = image_component_at(image, component);
	uint64_t begin;

	return image_record(image, component, image->unwinds_at + record->unwind * 8ul,
			    record->unwinds, address, &begin);
}

#endif
