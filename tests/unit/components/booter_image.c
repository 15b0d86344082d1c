// SPDX-License-Identifier: BSD-2-Clause
/* A composed image in memory, as it is or changed, and a boot of it. */
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

/* The booter keeps its state in one structure: each boot begins with it empty. */
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

/* The record of a component, to be changed; then the check sum has to be made right. */
struct limpet_image_component *change(const char *name)
{
	return (struct limpet_image_component *)record_of(index_of(name));
}

void changed(void)
{
	((struct limpet_image *)image)->crc = limpet_image_crc(image, (uint64_t)image_size);
}
