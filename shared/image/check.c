// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"
#include "checker.h"

static int check_end(struct checker *checker)
{
	const struct limpet_image *image = checker->image;

	if (checker->segments != image->segments || checker->wires != image->wires ||
	    checker->args != image->args)
		return refuse(checker, "components", 0,
			      "must use all segments, wires and arguments of the tables");
	if (checker->symbols != image->symbols || checker->unwinds != image->unwinds)
		return refuse(checker, "components", 0,
			      "must use all symbols and unwind records of the tables");
	if (image->ramdisk_at != (image->ramdisk_size ? checker->payload : 0))
		return refuse(checker, "ramdisk_at", 0,
			      "must be the end of the segments' contents, or 0 without a RAM disk");
	if (image->ramdisk_size > image->size - checker->payload)
		return refuse(checker, "ramdisk_size", 0, "goes beyond the image");
	if (image->size != checker->payload + page_up(image->ramdisk_size))
		return refuse(checker, "size", 0,
			      "exceeds the contents, rounded up to whole pages");
	return 0;
}

int limpet_image_check_crc(const void *image, uint64_t size, uint32_t crc,
			   struct limpet_image_error *error)
{
	struct checker checker = { .image = image, .error = error };

	if (image_check_header(&checker, size, crc))
		return -1;
	for (uint32_t i = 0; i < checker.image->components; i++)
		if (image_check_component(&checker, i) || image_check_cpu(&checker, i))
			return -1;
	if (image_check_relations(&checker) || image_check_resources(&checker) ||
	    image_check_channels(&checker))
		return -1;
	return check_end(&checker);
}
