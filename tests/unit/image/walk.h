/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads all data of a checked image, without further checks. */
#ifndef TEST_WALK_H
#define TEST_WALK_H

#include <stdint.h>

/*
 * Reads everything in the image and asserts what its users rely on; aborts when something does not
 * hold. Returns a sum of what it read.
 */
uint64_t walk(const void *image);

/* Corrects size, nearly always, and check sum. Compiled without sanitizers: it takes most time. */
void correct(unsigned char *image, uint64_t size, int with_size);

#endif
