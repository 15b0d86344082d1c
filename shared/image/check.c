// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"
#include "checker.h"

static int check_end(struct checker *c)
{
	const struct limpet_image *image = c->image;

	if (c->segments != image->segments || c->wires != image->wires || c->args != image->args)
		return refuse(c, "components", 0,
			      "must use all segments, wires and arguments of the tables");
	if (c->symbols != image->symbols || c->unwinds != image->unwinds)
		return refuse(c, "components", 0,
			      "must use all symbols and unwind records of the tables");
	if (image->ramdisk_at != (image->ramdisk_size ? c->payload : 0))
		return refuse(c, "ramdisk_at", 0,
			      "must be the end of the segments' contents, or 0 without a RAM disk");
	if (image->ramdisk_size > image->size - c->payload)
		return refuse(c, "ramdisk_size", 0, "goes beyond the image");
	if (image->size != c->payload + page_up(image->ramdisk_size))
		return refuse(c, "size", 0, "exceeds the contents, rounded up to whole pages");
	return 0;
}

int limpet_image_check(const void *image, uint64_t size, struct limpet_image_error *error)
{
	struct checker c = { .image = image, .error = error };

	if (image_check_header(&c, size))
		return -1;
	for (uint32_t i = 0; i < c.image->components; i++)
		if (image_check_component(&c, i) || image_check_cpu(&c, i))
			return -1;
	if (image_check_relations(&c) || image_check_resources(&c) || image_check_channels(&c))
		return -1;
	return check_end(&c);
}
