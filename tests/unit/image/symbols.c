// SPDX-License-Identifier: BSD-2-Clause
/* symbols IMAGE COMPONENT ADDRESS...: prints name, start and frame of each address, from <image/symbol.h>. */
#include <stdio.h>
#include <stdlib.h>

#include <image/check.h>
#include <image/symbol.h>

int main(int argc, char **argv)
{
	static unsigned char image[1 << 20] __attribute__((aligned(4096)));
	const struct limpet_image *header = (const void *)image;
	FILE *file = argc > 3 ? fopen(argv[1], "rb") : NULL;
	uint64_t size = file ? fread(image, 1, sizeof(image), file) : 0;
	struct limpet_image_error error;

	if (!size || limpet_image_check(image, size, &error))
		return 2;
	for (int i = 3; i < argc; i++) {
		uint32_t component = (uint32_t)strtoul(argv[2], NULL, 0);
		uint64_t address = strtoul(argv[i], NULL, 0), begin = 0;
		const char *name = limpet_image_function(header, component, address, &begin);
		uint32_t frame = limpet_image_frame(header, component, address);

		printf("%s %#lx %d\n", name ? name : "-", begin, (int)frame);
	}
	return 0;
}
