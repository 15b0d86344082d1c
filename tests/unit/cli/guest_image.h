/* SPDX-License-Identifier: GPL-2.0 */
/* The records of an image with component 0, boot, and component 1, tracer. */
#ifndef TEST_GUEST_IMAGE_H
#define TEST_GUEST_IMAGE_H

#include "test.h"

#include <limpet/image.h>

struct guest_image {
	struct limpet_image header;
	struct limpet_image_component component[2];
	char strings[24];
};

static struct guest_image guest_image = {
	.header = { .magic = LIMPET_IMAGE_MAGIC,
		    .version = LIMPET_IMAGE_VERSION,
		    .components = 2,
		    .components_at = offsetof(struct guest_image, component),
		    .strings = sizeof(guest_image.strings),
		    .strings_at = offsetof(struct guest_image, strings),
		    .name = 0 },
	.component = { { .name = 5 }, { .name = 10 } },
	.strings = "demo\0boot\0tracer",
};

#endif
