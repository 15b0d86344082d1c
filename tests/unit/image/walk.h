/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads all data of a checked image, without further checks. */
#ifndef TEST_WALK_H
#define TEST_WALK_H

#include <stdint.h>

/*
 * Reads everything in the image, and aborts if an assumption of its users is false. Returns a sum
 * of all data.
 */
uint64_t walk(const void *image);

/* Corrects the size in most cases, and the checksum. Compiled without sanitizers, because it takes most of the time. */
void correct(unsigned char *image, uint64_t size, int with_size);

#endif
