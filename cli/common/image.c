// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limpet/channel.h>
#include <shared/image/field.h>
#include <shared/image/symbol.h>

#include <cli/common/image.h>
#include <cli/common/report.h>

static bool read_all(int fd, unsigned char *bytes, size_t size)
{
	size_t have = 0;
	ssize_t got;

	while (have < size) {
		got = read(fd, bytes + have, size - have);
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

static bool size_is_possible(const char *path, const struct stat *stat)
{
	if (!S_ISREG(stat->st_mode))
		report("%s: This is not a regular file. Name an image made by limpet-compose.",
		       path);
	else if ((size_t)stat->st_size < sizeof(struct limpet_image))
		report("%s: The file has %lld bytes, which is too short for an image. Compose it again.",
		       path, (long long)stat->st_size);
	else if ((size_t)stat->st_size > LIMPET_IMAGE_MAX)
		report("%s: The image has %lld bytes, which is more than the maximum of %lu. Make the system smaller.",
		       path, (long long)stat->st_size, LIMPET_IMAGE_MAX);
	else
		return true;
	return false;
}

static bool image_read(struct image *image, int fd, const char *path)
{
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat)) {
		report("%s: %s. Name an image made by limpet-compose.", path, strerror(errno));
		return false;
	}
	if (!size_is_possible(path, &stat))
		return false;
	image->size = (size_t)stat.st_size;
	image->bytes = malloc(image->size);
	if (!image->bytes || !read_all(fd, image->bytes, image->size)) {
		report("%s: The file could not be read completely: %s", path, strerror(errno));
		return false;
	}
	return true;
}

static bool image_is_sound(const struct image *image, const char *path)
{
	char subject[LIMPET_IMAGE_SUBJECT_MAX];
	struct limpet_image_error error;

	if (!limpet_image_check(image->bytes, image->size, &error))
		return true;
	limpet_image_subject(image->bytes, image->size, &error, subject);
	/*
	 * "component.entry" is a field of a record, which has an index. "crc" is a field of the
	 * header.
	 */
	if (strchr(error.field, '.'))
		report("%s: %s %lu: %s %s. Compose it again.", path, error.field,
		       (unsigned long)error.index, subject, error.reason);
	else
		report("%s: %s: %s %s. Compose it again.", path, error.field, subject,
		       error.reason);
	return false;
}

bool image_open(struct image *image, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok;

	*image = (struct image){ 0 };
	ok = image_read(image, fd, path) && image_is_sound(image, path);
	if (fd >= 0)
		close(fd);
	if (!ok)
		image_close(image);
	return ok;
}

static bool table_fits(uint64_t at, uint32_t records, size_t record, size_t size)
{
	return at <= size && records * record <= size - at;
}

/* Returns true if the header's tables, except symbols and unwind records, are inside the image. */
static bool records_fit(const struct limpet_image *header, size_t size)
{
	return size >= sizeof(*header) && header->magic == LIMPET_IMAGE_MAGIC &&
	       table_fits(header->components_at, header->components,
			  sizeof(struct limpet_image_component), size) &&
	       table_fits(header->wires_at, header->wires, sizeof(struct limpet_image_wire),
			  size) &&
	       table_fits(header->channels_at, header->channels,
			  sizeof(struct limpet_image_channel), size) &&
	       table_fits(header->segments_at, header->segments,
			  sizeof(struct limpet_image_segment), size) &&
	       table_fits(header->args_at, header->args, sizeof(struct limpet_image_arg), size) &&
	       table_fits(header->resources_at, header->resources,
			  sizeof(struct limpet_image_resource), size) &&
	       header->strings && table_fits(header->strings_at, header->strings, 1, size);
}

void image_take(struct image *image, unsigned char *bytes, size_t size)
{
	const struct limpet_image *header = (const void *)bytes;

	*image = (struct image){ .bytes = bytes, .size = size };
	if (!records_fit(header, size) || bytes[header->strings_at + header->strings - 1])
		image_close(image);
}

void image_close(struct image *image)
{
	free(image->bytes);
	*image = (struct image){ 0 };
}

const struct limpet_image *image_header(const struct image *image)
{
	return (const struct limpet_image *)(void *)image->bytes;
}

/* Returns a record of a table, or NULL if the table is shorter. */
static const void *record(const struct image *image, uint64_t at, uint32_t records, size_t size,
			  unsigned int index)
{
	return index < records ? image->bytes + at + index * size : NULL;
}

const struct limpet_image_component *image_component(const struct image *image, unsigned int index)
{
	const struct limpet_image *header = image_header(image);

	return header ? record(image, header->components_at, header->components,
			       sizeof(struct limpet_image_component), index)
		      : NULL;
}

const struct limpet_image_wire *image_wire(const struct image *image, unsigned int index)
{
	const struct limpet_image *header = image_header(image);

	return header ? record(image, header->wires_at, header->wires,
			       sizeof(struct limpet_image_wire), index)
		      : NULL;
}

const struct limpet_image_channel *image_channel(const struct image *image, unsigned int index)
{
	const struct limpet_image *header = image_header(image);

	return header ? record(image, header->channels_at, header->channels,
			       sizeof(struct limpet_image_channel), index)
		      : NULL;
}

const struct limpet_image_segment *image_segment(const struct image *image, unsigned int index)
{
	const struct limpet_image *header = image_header(image);

	return header ? record(image, header->segments_at, header->segments,
			       sizeof(struct limpet_image_segment), index)
		      : NULL;
}

const struct limpet_image_arg *image_arg(const struct image *image, unsigned int index)
{
	const struct limpet_image *header = image_header(image);

	return header ? record(image, header->args_at, header->args,
			       sizeof(struct limpet_image_arg), index)
		      : NULL;
}

const struct limpet_image_resource *image_resource(const struct image *image, unsigned int index)
{
	const struct limpet_image *header = image_header(image);

	return header ? record(image, header->resources_at, header->resources,
			       sizeof(struct limpet_image_resource), index)
		      : NULL;
}

const char *image_string(const struct image *image, uint32_t at)
{
	const struct limpet_image *header = image_header(image);

	return at < header->strings ? (const char *)image->bytes + header->strings_at + at : "?";
}

const char *image_component_name(const struct image *image, unsigned int index)
{
	const struct limpet_image_component *component = image_component(image, index);

	return component ? image_string(image, component->name) : "?";
}

const char *image_component_image(const struct image *image, unsigned int index)
{
	const struct limpet_image_component *component = image_component(image, index);

	return component ? image_string(image, component->image) : "?";
}

/* Returns whether the symbols of a component and their names are inside the records. */
static bool symbols_fit(const struct image *image, const struct limpet_image_component *component)
{
	const struct limpet_image *header = image_header(image);
	const struct limpet_image_symbol *symbol;

	if (!table_fits(header->symbols_at, header->symbols, sizeof(*symbol), image->size) ||
	    header->symbols_at % sizeof(uint32_t) || component->symbol > header->symbols ||
	    component->symbols > header->symbols - component->symbol || !component->segments ||
	    !table_fits(component->segment, component->segments, 1, header->segments))
		return false;
	symbol = (const void *)(image->bytes + header->symbols_at);
	for (uint32_t i = 0; i < component->symbols; i++)
		if (symbol[component->symbol + i].name >= header->strings)
			return false;
	return true;
}

const char *image_function(const struct image *image, unsigned int component, uint64_t address,
			   uint64_t *begin)
{
	const struct limpet_image_component *its = image_component(image, component);

	return its && symbols_fit(image, its)
		       ? limpet_image_function(image_header(image), component, address, begin)
		       : NULL;
}

const char *image_system_name(const struct image *image)
{
	return image->bytes ? image_string(image, image_header(image)->name) : "?";
}

const char *image_input_channel(const struct image *image, unsigned int component)
{
	const struct limpet_image_channel *channel;

	for (unsigned int i = 0; (channel = image_channel(image, i)); i++)
		if (channel->component == component &&
		    (channel->to_component || channel->mode == LIMPET_CHANNEL_SHARED))
			return image_string(image, channel->name);
	return NULL;
}
