/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The smallest image that can be booted: one component with one page of code; with two CPUs the record
 * of another one, which is the second's.
 */
#ifndef TEST_IMAGE_H
#define TEST_IMAGE_H

void image_build(void *memory, unsigned long frames, unsigned int cpus, unsigned long share);

#endif
