// SPDX-License-Identifier: BSD-2-Clause
/* Reads the image, which was checked when it was loaded. */
#include <runtime/memory.h>

#include <image/symbol.h>

#include "supervisor.h"

const char *image_text(uint32_t string)
{
	return image_at(supervisor.image, supervisor.image->strings_at + string);
}

bool code_at(uint32_t component, uint64_t address)
{
	return image_code(supervisor.image, &supervisor.component[component], address);
}

void name_copy(char *to, size_t size, const char *from)
{
	size_t length = strlen(from);

	memset(to, 0, size);
	memcpy(to, from, length < size ? length : size - 1);
}

/* Returns whether the image describes the running build of a component. */
static bool is_described(uint32_t component)
{
	const struct supervised *supervised = supervised_of(component);

	return !supervised || !supervised->replaced;
}

uint32_t frame_bytes(uint32_t component, uint64_t ip)
{
	return is_described(component) ? limpet_image_frame(supervisor.image, component, ip)
				       : LIMPET_UNWIND_UNKNOWN;
}

void symbol_find(uint32_t component, uint64_t address, struct limpet_crash_place *place)
{
	uint64_t begin = address;
	const char *name = NULL;

	if (is_described(component))
		name = limpet_image_function(supervisor.image, component, address, &begin);
	place->address = address;
	place->component = component;
	place->offset = (uint32_t)(address - begin);
	name_copy(place->symbol, sizeof(place->symbol), name ? name : "");
}

char *image_data(const struct supervised *supervised, char *to)
{
	const char *image = (const char *)supervisor.image;
	const struct limpet_image_segment *part =
		(const void *)(image + supervisor.image->segments_at);

	for (uint32_t i = 0; i < supervised->record->segments; i++) {
		const struct limpet_image_segment *segment = &part[supervised->record->segment + i];

		if (!(segment->rights & LIMPET_WRITE))
			continue;
		memcpy(to, image + segment->at, segment->file_size);
		memset(to + segment->file_size, 0, segment->size - segment->file_size);
		to += segment->size;
	}
	return to;
}
