// SPDX-License-Identifier: BSD-2-Clause
/* Checks the header of an image: identity, counts, and the places of its tables. */
#include "checker.h"

static int check_identity(struct checker *checker, uint64_t size, uint32_t crc)
{
	const struct limpet_image *image = checker->image;

	if (size < sizeof(*image) || size > LIMPET_IMAGE_MAX)
		return refuse(checker, "size", 0,
			      "must be at least the header's size, and at most 1 GiB");
	if (image->magic != LIMPET_IMAGE_MAGIC)
		return refuse(checker, "magic", 0, "is not that of a Limpet image");
	if (image->version != LIMPET_IMAGE_VERSION)
		return refuse(checker, "version", 0,
			      "must be the version of images that this Limpet uses");
	if (image->size > size)
		return refuse(checker, "size", 0,
			      "is more than the file's size: the image is truncated");
	if (image->size < size)
		return refuse(checker, "size", 0,
			      "is less than the file's size: other data follows the image");
	if (size % PAGE)
		return refuse(checker, "size", 0, "must be a multiple of 4096");
	if (image->crc != crc)
		return refuse(checker, "crc", 0,
			      "does not match the contents: the image is damaged");
	return 0;
}

static int check_counts(struct checker *checker)
{
	const struct limpet_image *image = checker->image;

	if (!image->frames || image->frames > LIMPET_USER_END / PAGE)
		return refuse(checker, "frames", 0, "must be 1 to 34359738367");
	if (!image->cpus || image->cpus > LIMPET_CPUS_MAX)
		return refuse(checker, "cpus", 0, "must be 1 to 64");
	if (!image->components || image->components > LIMPET_COMPONENTS_MAX)
		return refuse(checker, "components", 0, "must be 1 to 1024");
	if (image->segments > image->components * LIMPET_IMAGE_SEGMENTS)
		return refuse(checker, "segments", 0, "must be at most 8 for each component");
	if (image->wires > image->components * LIMPET_WIRES_MAX)
		return refuse(checker, "wires", 0, "must be at most 192 for each component");
	if (image->args > image->components * LIMPET_INFO_ARGS)
		return refuse(checker, "args", 0, "must be at most 24 for each component");
	if (image->resources > LIMPET_RESOURCES_MAX)
		return refuse(checker, "resources", 0, "must be at most 64");
	if (image->channels > LIMPET_CPUS_MAX * LIMPET_CHANNELS_MAX)
		return refuse(checker, "channels", 0, "must be at most 16384");
	if (image->depth < LIMPET_DEPTH_MIN || image->depth > LIMPET_DEPTH_MAX)
		return refuse(checker, "depth", 0, "must be 8 to 256");
	if (image->symbols > LIMPET_SYMBOLS_MAX || image->unwinds > LIMPET_SYMBOLS_MAX)
		return refuse(checker, "symbols", 0, "must be at most 1048576, like unwinds");
	if (image->trace && (image->trace < LIMPET_TRACE_MIN || image->trace > LIMPET_TRACE_MAX ||
			     image->trace & (image->trace - 1)))
		return refuse(checker, "trace", 0,
			      "must be 0 or a power of two from 4096 to 16777216");
	return 0;
}

/* Checks that the tables follow each other without gaps. The counts were checked, so no sum overflows. */
static int check_places(struct checker *checker)
{
	const struct limpet_image *image = checker->image;
	uint64_t at = sizeof(*image);

	if (image->components_at != at)
		return refuse(checker, "components_at", 0, "must be the end of the header");
	at += image->components * sizeof(*checker->component);
	if (image->segments_at != at)
		return refuse(checker, "segments_at", 0, "must be the end of the components");
	at += image->segments * sizeof(*checker->segment);
	if (image->wires_at != at)
		return refuse(checker, "wires_at", 0, "must be the end of the segments");
	at += image->wires * sizeof(*checker->wire);
	if (image->args_at != at)
		return refuse(checker, "args_at", 0, "must be the end of the wires");
	at += image->args * sizeof(*checker->arg);
	if (image->resources_at != at)
		return refuse(checker, "resources_at", 0, "must be the end of the arguments");
	at += image->resources * sizeof(*checker->resource);
	if (image->channels_at != at)
		return refuse(checker, "channels_at", 0, "must be the end of the resources");
	at += image->channels * sizeof(*checker->channel);
	if (image->symbols_at != at)
		return refuse(checker, "symbols_at", 0, "must be the end of the channels");
	at += image->symbols * sizeof(*checker->symbol);
	if (image->unwinds_at != at)
		return refuse(checker, "unwinds_at", 0, "must be the end of the symbols");
	at += image->unwinds * sizeof(*checker->unwind);
	if (image->strings_at != at)
		return refuse(checker, "strings_at", 0, "must be the end of the unwind records");
	if (at > image->size || !image->strings || image->strings > image->size - at)
		return refuse(checker, "strings", 0, "is empty or goes beyond the image");
	checker->payload = page_up(at + image->strings);
	return 0;
}

int image_check_header(struct checker *checker, uint64_t size, uint32_t crc)
{
	const struct limpet_image *image = checker->image;
	const char *base = (const char *)image;

	if (check_identity(checker, size, crc) || check_counts(checker) || check_places(checker))
		return -1;
	checker->component = (const void *)(base + image->components_at);
	checker->segment = (const void *)(base + image->segments_at);
	checker->wire = (const void *)(base + image->wires_at);
	checker->arg = (const void *)(base + image->args_at);
	checker->resource = (const void *)(base + image->resources_at);
	checker->channel = (const void *)(base + image->channels_at);
	checker->symbol = (const void *)(base + image->symbols_at);
	checker->unwind = (const void *)(base + image->unwinds_at);
	checker->strings = base + image->strings_at;
	if (checker->strings[image->strings - 1])
		return refuse(checker, "strings", 0, "must end with a zero byte");
	if (!string_fits(checker, image->name, LIMPET_NAME_MAX - 1))
		return refuse(checker, "name", 0, "must be a string of 1 to 31 bytes");
	return 0;
}
