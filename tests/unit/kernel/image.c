// SPDX-License-Identifier: GPL-2.0
#include <lib/image/crc.h>

#include "image.h"
#include "machine.h"

#define BOOT_INFO (BOOT_ENTRY + 0x10000)
#define BOOT_HEAP (BOOT_ENTRY + 0x20000)

struct layout {
	struct limpet_image image;
	struct limpet_image_component component;
	struct limpet_image_segment segment;
	char strings[16];
};

void image_build(void *memory, unsigned long frames, unsigned int cpus, unsigned long share)
{
	struct layout *l = memory;

	memset(memory, 0, frames * LIMPET_PAGE);
	memset((char *)memory + LIMPET_PAGE, 0xc3, LIMPET_PAGE); /* the code */
	memcpy(l->strings, "boot\0test", 10);
	l->segment = (struct limpet_image_segment){
		.address = BOOT_ENTRY,
		.size = LIMPET_PAGE,
		.file_size = LIMPET_PAGE,
		.at = LIMPET_PAGE,
		.rights = LIMPET_READ | LIMPET_EXEC,
	};
	l->component = (struct limpet_image_component){
		.flags = LIMPET_COMPONENT_BOOTER,
		.segments = 1,
		.entry = BOOT_ENTRY,
		.heap = BOOT_HEAP,
		.heap_size = 2 * LIMPET_PAGE,
		.stacks = BOOT_STACKS,
		.stack_shift = STACK_SHIFT,
		.info = BOOT_INFO,
	};
	l->image = (struct limpet_image){
		.magic = LIMPET_IMAGE_MAGIC,
		.version = LIMPET_IMAGE_VERSION,
		.size = frames * LIMPET_PAGE,
		.frames = share,
		.cpus = cpus,
		.components = 1,
		.segments = 1,
		.strings = 10,
		.components_at = offsetof(struct layout, component),
		.segments_at = offsetof(struct layout, segment),
		.wires_at = offsetof(struct layout, strings),
		.args_at = offsetof(struct layout, strings),
		.strings_at = offsetof(struct layout, strings),
		.name = 5,
	};
	l->image.crc = limpet_image_crc(memory, frames * LIMPET_PAGE);
}
