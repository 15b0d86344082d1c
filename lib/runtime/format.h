/* SPDX-License-Identifier: BSD-2-Clause */
/* Text from values, without a C library. */
#ifndef RUNTIME_FORMAT_H
#define RUNTIME_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Like vsnprintf: %d %i %u %x %c %s %p %%, with l (ll, z), a width, and the flags - and 0.
 * Writes at most size - 1 characters and a 0; returns the length that the whole text has.
 * `size` must not be 0.
 */
size_t limpet_vformat(char *to, size_t size, const char *format, va_list values);
size_t limpet_format(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
