// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/archive.h>
#include <runtime/component.h>
#include <runtime/print.h>

#define SIZE (16ul << 20)
#define STEP 4096

/* The last byte is not 0, so that all of it is in the image. */
static volatile uint8_t data[SIZE] = { 1, [SIZE - 1] = 3 };

/* Returns the number of pages whose first eight bytes are their number. The ramdisk has such files. */
static unsigned long pages_right(const uint8_t *from, uint64_t size)
{
	unsigned long right = 0;

	for (uint64_t at = 0; at + STEP <= size; at += STEP) {
		uint64_t number;

		__builtin_memcpy(&number, from + at, sizeof(number));
		right += number == at / STEP;
	}
	return right;
}

static void ramdisk_look(const struct limpet_info *info)
{
	const uint8_t *archive = (const uint8_t *)info->ramdisk;
	struct archive_entry entry;

	for (uint64_t at = 0; archive && archive_read(archive, info->ramdisk_size, &at, &entry);)
		if (entry.size)
			limpet_print("file of %lu bytes: %lu pages right\n",
				     (unsigned long)entry.size,
				     pages_right(entry.data, entry.size));
}

void component_main(const struct limpet_info *info)
{
	unsigned long zeros = 0;

	for (unsigned long at = STEP; at < SIZE; at += STEP)
		zeros += !data[at];
	data[0]++;
	data[SIZE - 1]++;
	limpet_print("data: %u and %u, %lu zeros\n", data[0], data[SIZE - 1], zeros);
	if (limpet_arg_number(info, "ramdisk", 0))
		ramdisk_look(info);
	limpet_print("end\n");
}
