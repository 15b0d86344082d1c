/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the field of an image that limpet_image_check() refused, so that a message can name its
 * value. Only for programs with a C library.
 */
#ifndef LIMPET_IMAGE_FIELD_H
#define LIMPET_IMAGE_FIELD_H

#include <stdio.h>

#include "check.h"
#include "text.h"

struct image_field {
	const char *name;
	uint32_t table; /* offset in the header of the offset of the table; 0: field of the header */
	uint32_t record; /* bytes of a record of the table */
	uint32_t at, bytes;
};

#define IMAGE_HEADER(f)                                                                            \
	{ #f, 0, 0, __builtin_offsetof(struct limpet_image, f),                                    \
	  sizeof(((struct limpet_image *)0)->f) }
#define IMAGE_RECORD(kind, f)                                                                      \
	{ #kind "." #f, __builtin_offsetof(struct limpet_image, kind##s_at),                       \
	  sizeof(struct limpet_image_##kind), __builtin_offsetof(struct limpet_image_##kind, f),   \
	  sizeof(((struct limpet_image_##kind *)0)->f) }

/*
 * Stores the value of the field that `error` names, and returns true. Returns false for a field that
 * is a string, and for a place outside of `size` bytes. Any context. Cost: a search of a small table.
 */
static inline bool limpet_image_value(const void *image, uint64_t size,
				      const struct limpet_image_error *error, uint64_t *value)
{
	static const struct image_field fields[] = {
		IMAGE_HEADER(version),
		IMAGE_HEADER(crc),
		IMAGE_HEADER(size),
		IMAGE_HEADER(frames),
		IMAGE_HEADER(cpus),
		IMAGE_HEADER(components),
		IMAGE_HEADER(segments),
		IMAGE_HEADER(wires),
		IMAGE_HEADER(args),
		IMAGE_HEADER(strings),
		IMAGE_HEADER(components_at),
		IMAGE_HEADER(segments_at),
		IMAGE_HEADER(wires_at),
		IMAGE_HEADER(args_at),
		IMAGE_HEADER(strings_at),
		IMAGE_HEADER(ramdisk_at),
		IMAGE_HEADER(ramdisk_size),
		IMAGE_HEADER(resources),
		IMAGE_HEADER(resources_at),
		IMAGE_HEADER(trace),
		IMAGE_HEADER(symbols),
		IMAGE_HEADER(symbols_at),
		IMAGE_HEADER(unwinds_at),
		IMAGE_HEADER(channels),
		IMAGE_HEADER(channels_at),
		IMAGE_HEADER(depth),
		IMAGE_HEADER(magic),
		IMAGE_RECORD(component, cpu),
		IMAGE_RECORD(component, segment),
		IMAGE_RECORD(component, segments),
		IMAGE_RECORD(component, wire),
		IMAGE_RECORD(component, wires),
		IMAGE_RECORD(component, arg),
		IMAGE_RECORD(component, args),
		IMAGE_RECORD(component, flags),
		IMAGE_RECORD(component, entry),
		IMAGE_RECORD(component, heap),
		IMAGE_RECORD(component, heap_size),
		IMAGE_RECORD(component, stacks),
		IMAGE_RECORD(component, stack_shift),
		IMAGE_RECORD(component, priority),
		IMAGE_RECORD(component, info),
		IMAGE_RECORD(component, threads),
		IMAGE_RECORD(component, scheduler),
		IMAGE_RECORD(component, quota),
		IMAGE_RECORD(component, faults),
		IMAGE_RECORD(component, faults_entry),
		IMAGE_RECORD(component, restart),
		IMAGE_RECORD(component, symbol),
		IMAGE_RECORD(component, unwind),
		IMAGE_RECORD(component, supervisor),
		IMAGE_RECORD(component, memory),
		IMAGE_RECORD(component, stack_count),
		IMAGE_RECORD(component, pool_count),
		IMAGE_RECORD(component, pool),
		IMAGE_RECORD(component, pool_shift),
		IMAGE_RECORD(component, guest),
		IMAGE_RECORD(segment, address),
		IMAGE_RECORD(segment, file_size),
		IMAGE_RECORD(segment, at),
		IMAGE_RECORD(segment, rights),
		IMAGE_RECORD(segment, reserved),
		IMAGE_RECORD(wire, server),
		IMAGE_RECORD(wire, slot),
		IMAGE_RECORD(wire, entry),
		IMAGE_RECORD(wire, badge),
		IMAGE_RECORD(arg, number),
		IMAGE_RECORD(resource, component),
		IMAGE_RECORD(resource, kind),
		IMAGE_RECORD(resource, flags),
		IMAGE_RECORD(resource, reserved),
		IMAGE_RECORD(resource, first),
		IMAGE_RECORD(channel, component),
		IMAGE_RECORD(channel, number),
		IMAGE_RECORD(channel, mode),
		IMAGE_RECORD(channel, to_linux),
		IMAGE_RECORD(channel, access),
		IMAGE_RECORD(channel, order),
		IMAGE_RECORD(channel, mtu),
		IMAGE_RECORD(symbol, offset),
		IMAGE_RECORD(unwind, offset),
		IMAGE_RECORD(unwind, frame),
	};
	const char *bytes = image;

	for (uint32_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const struct image_field *field = &fields[i];
		uint64_t at = field->at, start = 0;

		if (!text_equal(field->name, error->field))
			continue;
		if (size < sizeof(struct limpet_image))
			return false;
		if (field->table)
			__builtin_memcpy(&start, bytes + field->table, sizeof(start));
		at += (uint64_t)error->index * field->record;
		if (start > size || at > size - start || field->bytes > size - start - at)
			return false;
		*value = 0;
		__builtin_memcpy(value, bytes + start + at, field->bytes);
		return true;
	}
	return false;
}

/* Longest text of limpet_image_subject(). */
#define LIMPET_IMAGE_SUBJECT_MAX 40

/*
 * Stores the subject of a sentence about the refused field: "The value 300", with a large value in
 * hexadecimal, or "The field" for one without a number.
 */
static inline void limpet_image_subject(const void *image, uint64_t size,
					const struct limpet_image_error *error,
					char text[LIMPET_IMAGE_SUBJECT_MAX])
{
	uint64_t value;

	if (!limpet_image_value(image, size, error, &value))
		snprintf(text, LIMPET_IMAGE_SUBJECT_MAX, "The field");
	else
		snprintf(text, LIMPET_IMAGE_SUBJECT_MAX,
			 value < 1u << 16 ? "The value %lu" : "The value %#lx",
			 (unsigned long)value);
}

#endif
