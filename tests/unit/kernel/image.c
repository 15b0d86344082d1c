// SPDX-License-Identifier: GPL-2.0
#include <shared/image/crc.h>

#include "image.h"
#include "machine.h"

#define BOOT_INFO (BOOT_ENTRY + 0x10000)
#define BOOT_HEAP (BOOT_ENTRY + 0x20000)

void image_build(void *memory, unsigned long frames, unsigned int cpus, unsigned long share)
{
	struct limpet_image *image = memory;
	struct limpet_image_component *component = (struct limpet_image_component *)(image + 1);
	struct limpet_image_segment *segment = (struct limpet_image_segment *)(component + cpus);
	char *strings = (char *)(segment + 1);

	memset(memory, 0, frames * LIMPET_PAGE);
	memset((char *)memory + LIMPET_PAGE, 0xc3, LIMPET_PAGE); /* the code */
	memcpy(strings, "boot\0test", 10);
	*segment = (struct limpet_image_segment){
		.address = BOOT_ENTRY,
		.size = LIMPET_PAGE,
		.file_size = LIMPET_PAGE,
		.at = LIMPET_PAGE,
		.rights = LIMPET_READ | LIMPET_EXEC,
	};
	for (unsigned int n = 1; n < cpus; n++)
		component[n].cpu = n;
	component[0] = (struct limpet_image_component){
		.flags = LIMPET_COMPONENT_BOOTER,
		.segments = 1,
		.entry = BOOT_ENTRY,
		.heap = BOOT_HEAP,
		.heap_size = 2 * LIMPET_PAGE,
		.stacks = BOOT_STACKS,
		.stack_shift = STACK_SHIFT,
		.stack_count = 1,
		.info = BOOT_INFO,
	};
	*image = (struct limpet_image){
		.magic = LIMPET_IMAGE_MAGIC,
		.version = LIMPET_IMAGE_VERSION,
		.size = frames * LIMPET_PAGE,
		.frames = share,
		.cpus = cpus,
		.components = cpus,
		.segments = 1,
		.strings = 10,
		.components_at = (char *)component - (char *)memory,
		.segments_at = (char *)segment - (char *)memory,
		.wires_at = strings - (char *)memory,
		.args_at = strings - (char *)memory,
		.resources_at = strings - (char *)memory,
		.channels_at = strings - (char *)memory,
		.depth = LIMPET_DEPTH_DEFAULT,
		.symbols_at = strings - (char *)memory,
		.unwinds_at = strings - (char *)memory,
		.strings_at = strings - (char *)memory,
		.name = 5,
	};
	image->crc = limpet_image_crc(memory, frames * LIMPET_PAGE);
}
