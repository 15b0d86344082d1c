/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes the smallest image that can boot: one component with one page of code. With two CPUs it has a record of
 * another component, on the second CPU.
 */
#ifndef TEST_IMAGE_H
#define TEST_IMAGE_H

void image_build(void *memory, unsigned long frames, unsigned int cpus, unsigned long share);

#endif
