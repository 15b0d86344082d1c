// SPDX-License-Identifier: BSD-2-Clause
/* The two builds of a component: the running one, and the next one (while it is received) or the previous one. */
#include "supervisor.h"

uint64_t build_part(const struct supervised *supervised)
{
	const struct limpet_image_segment *segment =
		(const void *)((const char *)supervisor.image + supervisor.image->segments_at);

	return segment[supervised->record->segment].size;
}

char *build_code(const struct supervised *supervised)
{
	return (char *)supervised->info->code;
}

char *build_other(const struct supervised *supervised)
{
	return (char *)supervised->info->other;
}

char *build_data(const struct supervised *supervised)
{
	return build_other(supervised) + LIMPET_UPDATE_PARTS * build_part(supervised);
}

void build_begin(struct supervised *supervised)
{
	if (is_replaceable(supervised))
		image_data(supervised, build_data(supervised));
}

static void bytes_swap(char *a, char *b, uint64_t bytes)
{
	uint64_t *first = (uint64_t *)a, *second = (uint64_t *)b;

	for (uint64_t i = 0; i < bytes / sizeof(*first); i++) {
		uint64_t word = first[i];

		first[i] = second[i];
		second[i] = word;
	}
}

void build_swap(struct supervised *supervised)
{
	uint64_t part = build_part(supervised);
	bool replaced = supervised->replaced;

	bytes_swap(build_code(supervised), build_other(supervised), 2 * part);
	bytes_swap(build_data(supervised), build_other(supervised) + 2 * part, part);
	supervised->replaced = supervised->other_replaced;
	supervised->other_replaced = replaced;
}
