// SPDX-License-Identifier: BSD-2-Clause
/* Checks the header of an image: identity, counts, and the places of its tables. */
#include "checker.h"
#include "crc.h"

static int check_identity(struct checker *c, uint64_t size)
{
	const struct limpet_image *image = c->image;

	if (size < sizeof(*image) || size > LIMPET_IMAGE_MAX)
		return refuse(c, "size", 0,
			      "must be at least the header's size, and at most 1 GiB");
	if (image->magic != LIMPET_IMAGE_MAGIC)
		return refuse(c, "magic", 0, "is not that of a Limpet image");
	if (image->version != LIMPET_IMAGE_VERSION)
		return refuse(c, "version", 0,
			      "must be the version of images that this Limpet uses");
	if (image->size > size)
		return refuse(c, "size", 0, "is more than the file's size: the image is truncated");
	if (image->size < size)
		return refuse(c, "size", 0,
			      "is less than the file's size: other data follows the image");
	if (size % PAGE)
		return refuse(c, "size", 0, "must be a multiple of 4096");
	if (image->crc != limpet_image_crc(image, size))
		return refuse(c, "crc", 0, "does not match the contents: the image is damaged");
	return 0;
}

static int check_counts(struct checker *c)
{
	const struct limpet_image *image = c->image;

	if (!image->frames || image->frames > LIMPET_USER_END / PAGE)
		return refuse(c, "frames", 0, "must be 1 to 34359738367");
	if (!image->cpus || image->cpus > LIMPET_CPUS_MAX)
		return refuse(c, "cpus", 0, "must be 1 to 64");
	if (!image->components || image->components > LIMPET_COMPONENTS_MAX)
		return refuse(c, "components", 0, "must be 1 to 1024");
	if (image->segments > image->components * LIMPET_IMAGE_SEGMENTS)
		return refuse(c, "segments", 0, "must be at most 8 for each component");
	if (image->wires > image->components * LIMPET_WIRES_MAX)
		return refuse(c, "wires", 0, "must be at most 192 for each component");
	if (image->args > image->components * LIMPET_INFO_ARGS)
		return refuse(c, "args", 0, "must be at most 24 for each component");
	if (image->resources > LIMPET_RESOURCES_MAX)
		return refuse(c, "resources", 0, "must be at most 64");
	if (image->channels > LIMPET_CPUS_MAX * LIMPET_CHANNELS_MAX)
		return refuse(c, "channels", 0, "must be at most 16384");
	if (image->depth < LIMPET_DEPTH_MIN || image->depth > LIMPET_DEPTH_MAX)
		return refuse(c, "depth", 0, "must be 8 to 256");
	if (image->symbols > LIMPET_SYMBOLS_MAX || image->unwinds > LIMPET_SYMBOLS_MAX)
		return refuse(c, "symbols", 0, "must be at most 1048576, like unwinds");
	if (image->trace && (image->trace < LIMPET_TRACE_MIN || image->trace > LIMPET_TRACE_MAX ||
			     image->trace & (image->trace - 1)))
		return refuse(c, "trace", 0, "must be 0 or a power of two from 4096 to 16777216");
	return 0;
}

/* Checks that the tables follow each other without gaps. The counts were checked, so no sum overflows. */
static int check_places(struct checker *c)
{
	const struct limpet_image *image = c->image;
	uint64_t at = sizeof(*image);

	if (image->components_at != at)
		return refuse(c, "components_at", 0, "must be the end of the header");
	at += image->components * sizeof(*c->component);
	if (image->segments_at != at)
		return refuse(c, "segments_at", 0, "must be the end of the components");
	at += image->segments * sizeof(*c->segment);
	if (image->wires_at != at)
		return refuse(c, "wires_at", 0, "must be the end of the segments");
	at += image->wires * sizeof(*c->wire);
	if (image->args_at != at)
		return refuse(c, "args_at", 0, "must be the end of the wires");
	at += image->args * sizeof(*c->arg);
	if (image->resources_at != at)
		return refuse(c, "resources_at", 0, "must be the end of the arguments");
	at += image->resources * sizeof(*c->resource);
	if (image->channels_at != at)
		return refuse(c, "channels_at", 0, "must be the end of the resources");
	at += image->channels * sizeof(*c->channel);
	if (image->symbols_at != at)
		return refuse(c, "symbols_at", 0, "must be the end of the channels");
	at += image->symbols * sizeof(*c->symbol);
	if (image->unwinds_at != at)
		return refuse(c, "unwinds_at", 0, "must be the end of the symbols");
	at += image->unwinds * sizeof(*c->unwind);
	if (image->strings_at != at)
		return refuse(c, "strings_at", 0, "must be the end of the unwind records");
	if (at > image->size || !image->strings || image->strings > image->size - at)
		return refuse(c, "strings", 0, "is empty or goes beyond the image");
	c->payload = page_up(at + image->strings);
	return 0;
}

int image_check_header(struct checker *c, uint64_t size)
{
	const struct limpet_image *image = c->image;
	const char *base = (const char *)image;

	if (check_identity(c, size) || check_counts(c) || check_places(c))
		return -1;
	c->component = (const void *)(base + image->components_at);
	c->segment = (const void *)(base + image->segments_at);
	c->wire = (const void *)(base + image->wires_at);
	c->arg = (const void *)(base + image->args_at);
	c->resource = (const void *)(base + image->resources_at);
	c->channel = (const void *)(base + image->channels_at);
	c->symbol = (const void *)(base + image->symbols_at);
	c->unwind = (const void *)(base + image->unwinds_at);
	c->strings = base + image->strings_at;
	if (c->strings[image->strings - 1])
		return refuse(c, "strings", 0, "must end with a zero byte");
	if (!string_fits(c, image->name, LIMPET_NAME_MAX - 1))
		return refuse(c, "name", 0, "must be a string of 1 to 31 bytes");
	return 0;
}
