/* SPDX-License-Identifier: BSD-2-Clause */
/* The ramdisk: a cpio archive in the newc form, which the composer wrote. */
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
 * Reads the entry at `*at`, 0 for the first one, which goes on to the next; false: the end. An archive
 * that is cut ends where it is cut.
 */
bool archive_read(const uint8_t *archive, uint64_t size, uint64_t *at, struct archive_entry *entry);

#endif
