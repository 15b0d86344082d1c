// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/archive.h>
#include <runtime/memory.h>

/* An entry has a text header, a name and contents. Each part starts at a multiple of 4. */
#define CPIO_HEADER 110
#define CPIO_MODE 14
#define CPIO_SIZE 54
#define CPIO_NAME_SIZE 94

/* Bits of the mode, as POSIX defines them. */
#define KIND 0170000
#define FOLDER 0040000

static uint64_t hexadecimal(const uint8_t *text)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < 8; i++) {
		uint8_t c = text[i];

		value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value;
}

bool archive_read(const uint8_t *archive, uint64_t size, uint64_t *at, struct archive_entry *entry)
{
	const uint8_t *header = archive + *at;
	uint64_t data;

	if (*at + CPIO_HEADER > size || memcmp(header, "070701", 6) != 0)
		return false;
	entry->name = (const char *)header + CPIO_HEADER;
	entry->length = hexadecimal(header + CPIO_NAME_SIZE) - 1;
	entry->size = hexadecimal(header + CPIO_SIZE);
	entry->folder = (hexadecimal(header + CPIO_MODE) & KIND) == FOLDER;
	data = (*at + CPIO_HEADER + entry->length + 1 + 3) & ~3ul;
	if (data > size || entry->size > size - data)
		return false;
	entry->data = archive + data;
	*at = (data + entry->size + 3) & ~3ul;
	return entry->length != 10 || memcmp(entry->name, "TRAILER!!!", 10) != 0;
}
