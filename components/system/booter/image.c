// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/memory.h>

#include <image/check.h>

#include "booter.h"

void image_open(uint64_t address, uint64_t size)
{
	const struct limpet_image *image = (const void *)address;
	struct limpet_image_error error;

	if (limpet_image_check(image, size, &error))
		give_up_text("the image's %s (%u) %s", error.field, error.index, error.reason);
	booter.base = (const char *)address;
	booter.image = image;
	booter.component = (const void *)(address + image->components_at);
	booter.segment = (const void *)(address + image->segments_at);
	booter.wire = (const void *)(address + image->wires_at);
	booter.arg = (const void *)(address + image->args_at);
	booter.channel = (const void *)(address + image->channels_at);
	booter.strings = booter.base + image->strings_at;
}

static const struct limpet_image_arg *arg_find(const struct part *part, const char *name)
{
	const struct limpet_image_arg *arg = &booter.arg[part->record->arg];

	for (uint32_t i = 0; i < part->record->args; i++)
		if (strcmp(image_string(arg[i].name), name) == 0)
			return &arg[i];
	return NULL;
}

int64_t part_arg(const struct part *part, const char *name, int64_t otherwise)
{
	const struct limpet_image_arg *arg = arg_find(part, name);

	return arg && arg->text == UINT32_MAX ? arg->number : otherwise;
}

const char *part_arg_text(const struct part *part, const char *name)
{
	const struct limpet_image_arg *arg = arg_find(part, name);

	return arg && arg->text != UINT32_MAX ? image_string(arg->text) : NULL;
}
