// SPDX-License-Identifier: BSD-2-Clause
#include <image/crc.h>

#include "walk.h"

void correct(unsigned char *image, uint64_t size, int with_size)
{
	struct limpet_image *header = (struct limpet_image *)image;

	if (size < sizeof(*header))
		return;
	if (with_size)
		header->size = size;
	header->crc = limpet_image_crc(image, size);
}
