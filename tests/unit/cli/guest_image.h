/* SPDX-License-Identifier: GPL-2.0 */
/* The records of an image with components 0, boot, 1, tracer, and 2, guard, which passes its guests to the tracer. */
#ifndef TEST_GUEST_IMAGE_H
#define TEST_GUEST_IMAGE_H

#include "test.h"

#include <limpet/image.h>

struct guest_image {
	struct limpet_image header;
	struct limpet_image_component component[3];
	char strings[24];
};

static struct guest_image guest_image = {
	.header = { .magic = LIMPET_IMAGE_MAGIC,
		    .version = LIMPET_IMAGE_VERSION,
		    .components = 3,
		    .components_at = offsetof(struct guest_image, component),
		    .strings = sizeof(guest_image.strings),
		    .strings_at = offsetof(struct guest_image, strings),
		    .name = 0 },
	.component = { { .name = 5 }, { .name = 10 }, { .name = 17, .guest = 1 } },
	.strings = "demo\0boot\0tracer\0guard",
};

#endif
