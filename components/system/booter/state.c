// SPDX-License-Identifier: BSD-2-Clause
/* The state that all parts share. This file calls no other part. */
#include "booter.h"

struct booter booter;

const char *image_string(uint32_t offset)
{
	return booter.strings + offset;
}

const char *part_name(const struct part *part)
{
	return image_string(part->record->name);
}

struct part *part_at(uint32_t index)
{
	return index < booter.image->components ? booter.at[index] : NULL;
}
