// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <host/update.h>
#include <limpet/update.h>
#include <shared/image/crc.h>

#include <cli/command/update/update.h>

/* Returns the three parts as they are in memory, each with the zeros behind its contents, or NULL. */
static unsigned char *build_make(const struct update *update, size_t *size)
{
	const struct limpet_image_component *component =
		image_component(update->image, update->index);
	size_t part = image_segment(update->image, component->segment)->size;
	unsigned char *build = calloc(LIMPET_UPDATE_PARTS, part);

	*size = LIMPET_UPDATE_PARTS * part;
	for (uint32_t i = 0; build && i < LIMPET_UPDATE_PARTS; i++) {
		const struct limpet_image_segment *segment =
			image_segment(update->image, component->segment + i);

		memcpy(build + i * part, update->image->bytes + segment->at, segment->file_size);
	}
	return build;
}

/* Sends a build without pieces of zeros, because the component side starts with zeros. */
static long pieces_send(struct limpet_caller *caller, const unsigned char *build, size_t size)
{
	static const uint64_t zeros[LIMPET_UPDATE_PIECE / 8];
	uint64_t piece[LIMPET_UPDATE_PIECE / 8];
	long status = LIMPET_OK;

	for (size_t at = 0; at < size && status >= 0; at += sizeof(piece)) {
		size_t left = size - at;

		memset(piece, 0, sizeof(piece));
		memcpy(piece, build + at, left < sizeof(piece) ? left : sizeof(piece));
		if (memcmp(piece, zeros, sizeof(piece)))
			status = update_put(caller, at, piece[0], piece[1], piece[2], piece[3],
					    piece[4]);
	}
	return status;
}

static uint32_t build_crc(const unsigned char *build, size_t size)
{
	uint32_t table[256];

	crc_table_fill(table);
	return ~crc_add(table, ~0u, build, size);
}

static long build_send(struct update *update, struct limpet_caller *caller,
		       const unsigned char *build, size_t size)
{
	long status = update_begin(caller, update->index);
	uint64_t error = 0;

	if (status >= 0)
		status = pieces_send(caller, build, size);
	if (status >= 0)
		status = update_apply(caller, update->fresh, build_crc(build, size));
	if (status == LIMPET_UPDATE_DONE || status >= LIMPET_UPDATE_FAILED)
		update_result(caller, &update->closed, &update->kept, &error);
	update->error = -(long)error;
	return status;
}

long update_send(struct update *update, const char *channel, int *error)
{
	struct limpet_caller caller;
	unsigned char *build;
	size_t size;
	long status;

	*error = limpet_caller_open(&caller, channel, update->timeout);
	if (*error)
		return LIMPET_CALL_LOST;
	build = build_make(update, &size);
	status = build ? build_send(update, &caller, build, size) : LIMPET_ENOMEM;
	free(build);
	limpet_caller_close(&caller);
	return status;
}
