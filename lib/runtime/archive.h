/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the ramdisk, a cpio archive in the newc format that the composer writes. */
#ifndef RUNTIME_ARCHIVE_H
#define RUNTIME_ARCHIVE_H

#include <runtime/types.h>

struct archive_entry {
	const char *name; /* without a final 0; parts are separated by / */
	size_t length;	  /* of the name */
	const uint8_t *data;
	uint64_t size;
	bool folder;
};

/*
 * Reads the entry at `*at`, which is 0 for the first entry, and advances `*at` to the next one.
 * Returns false at the end of the archive. A truncated archive ends at the first incomplete entry.
 */
bool archive_read(const uint8_t *archive, uint64_t size, uint64_t *at, struct archive_entry *entry);

#endif
