/* SPDX-License-Identifier: BSD-2-Clause */
/* Data of a program in several parts, as readv() and sendmsg() have them. A call with one buffer has one part. */
#ifndef POSIX_PARTS_H
#define POSIX_PARTS_H

#include <linux/uio.h>

#include <runtime/types.h>

#define PARTS_MAX 1024 /* IOV_MAX */

struct parts {
	const struct iovec *part;
	word count;
};

/* Returns whether the numbers of parts and bytes are permitted. */
bool parts_valid(const struct parts *parts);
/* Returns the number of bytes of valid parts. */
size_t parts_size(const struct parts *parts);
/* Copies `size` bytes between the parts, starting at their byte `at`, and a buffer. `fill`: from the buffer. */
void parts_copy(const struct parts *parts, size_t at, void *buffer, size_t size, bool fill);

#endif
