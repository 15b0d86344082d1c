/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the memory and string functions of the C standard that the compiler may call. They behave as the C standard
 * says. Any context. Each takes time in proportion to the bytes that it copies, sets or compares.
 */
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);

#endif
