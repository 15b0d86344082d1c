/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the ramdisk, a cpio archive in the newc format that the composer writes. */
#ifndef RUNTIME_ARCHIVE_H
#define RUNTIME_ARCHIVE_H

#include <runtime/types.h>

struct archive_entry {
	const char *name;    /* without a final 0; parts are separated by / */
	size_t length;	     /* of the name */
	const uint8_t *data; /* contents, in the archive */
	uint64_t size;	     /* bytes of the contents */
	bool folder;
};

/*
 * Reads the entry at offset *at of an archive of `size` bytes, and advances *at to the next entry. *at is 0 for the
 * first entry. Returns false at the end of the archive. A truncated archive ends at the first incomplete entry. Any
 * context. Costs time in proportion to the length of the name.
 */
bool archive_read(const uint8_t *archive, uint64_t size, uint64_t *at, struct archive_entry *entry);

#endif
