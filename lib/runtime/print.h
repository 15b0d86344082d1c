/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints text on the console, for components that import the interface log under the name log. */
#ifndef RUNTIME_PRINT_H
#define RUNTIME_PRINT_H

#include <stddef.h>

#define LIMPET_PRINT_MAX 512 /* maximum length of a text; limpet_print() truncates it */

/*
 * Formats like limpet_format() and sends the text to the console. A newline ends a line. Costs one invocation for each
 * 48 bytes. Context: any thread of the component, and component_init(). Text that the console has no space for is lost.
 */
void limpet_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Sends `size` bytes of unformatted text to the console. Costs the same. */
void limpet_write(const char *text, size_t size);

#endif
