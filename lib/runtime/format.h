/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats text without a C library. */
#ifndef RUNTIME_FORMAT_H
#define RUNTIME_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Formats like vsnprintf: %d %i %u %x %c %s %p %%, with l (ll, z), a width, and the flags - and 0.
 * Writes at most size - 1 characters and a 0. Returns the length of the whole text.
 * `size` must not be 0. Any context.
 */
size_t limpet_vformat(char *to, size_t size, const char *format, va_list values);
/* Does the same with the values as arguments. */
size_t limpet_format(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
