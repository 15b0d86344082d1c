// SPDX-License-Identifier: BSD-2-Clause
/* Loads a composed image into memory, changes it, and boots it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <image/crc.h>
#include <runtime/component.h>

#include "booter_check.h"

char *image;
long image_size;

const struct limpet_image *header(void)
{
	return (const struct limpet_image *)image;
}

void load(const char *path)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	image_size = ftell(file);
	rewind(file);
	free(image);
	image = aligned_alloc(4096, (size_t)image_size);
	assert_int_equal(fread(image, 1, (size_t)image_size, file), image_size);
	fclose(file);
}

void records_put(const void *resource, uint64_t resources, const void *channel, uint64_t channels)
{
	struct limpet_image *head = (struct limpet_image *)image;
	uint64_t strings_at = head->resources_at + resources + channels;
	uint64_t space = head->strings_at - strings_at;

	assert_true(strings_at <= head->strings_at);
	memmove(image + strings_at, image + head->strings_at, head->strings);
	memset(image + strings_at + head->strings, 0, space);
	head->channels_at = head->resources_at + resources;
	if (resources)
		memcpy(image + head->resources_at, resource, resources);
	if (channels)
		memcpy(image + head->channels_at, channel, channels);
	head->resources = (uint32_t)(resources / sizeof(struct limpet_image_resource));
	head->channels = (uint32_t)(channels / sizeof(struct limpet_image_channel));
	head->symbols = head->unwinds = 0;
	head->symbols_at = head->unwinds_at = head->strings_at = strings_at;
	head->strings += (uint32_t)space;
	for (uint32_t i = 0; i < head->components; i++) {
		struct limpet_image_component *record =
			(struct limpet_image_component *)record_of(i);

		record->symbol = record->symbols = record->unwind = record->unwinds = 0;
	}
	changed();
}

/* The booter keeps its state in one structure. Each boot starts with an empty one. */
void boot_with(unsigned int cpu, word frames)
{
	memset(&booter, 0, sizeof(booter));
	fake_boot(image, (word)image_size, cpu, frames);
}

const struct limpet_image_component *record_of(uint32_t index)
{
	return (const struct limpet_image_component *)(image + header()->components_at) + index;
}

uint32_t index_of(const char *name)
{
	for (uint32_t i = 1; i < header()->components; i++)
		if (!strcmp(image + header()->strings_at + record_of(i)->name, name))
			return i;
	fail_msg("no component %s", name);
	return 0;
}

/* Returns the record of a component to change. The caller must then correct the checksum. */
struct limpet_image_component *change(const char *name)
{
	return (struct limpet_image_component *)record_of(index_of(name));
}

static const char *name_of(const struct limpet_image_channel *channel)
{
	return image + header()->strings_at + channel->name;
}

/* Sorts the channels of different names. */
static void channels_sort(void)
{
	struct limpet_image_channel *channel =
		(struct limpet_image_channel *)(image + header()->channels_at);
	const uint32_t count = header()->channels;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = 0;

		for (uint32_t other = 0; other < count; other++)
			place += strcmp(name_of(&channel[other]), name_of(&channel[i])) < 0;
		channel[place].order = (uint16_t)i;
	}
}

/* Corrects the fields that depend on others. */
void changed(void)
{
	channels_sort();
	((struct limpet_image *)image)->crc = limpet_image_crc(image, (uint64_t)image_size);
}
