/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for the console, for components that import the interface log under the name log. */
#ifndef RUNTIME_PRINT_H
#define RUNTIME_PRINT_H

#include <stddef.h>

#define LIMPET_PRINT_MAX 512 /* longest text of one limpet_print(); the rest is cut off */

/*
 * Formats as limpet_format() does and sends the text to the console; a newline ends a line. The
 * first call tells the component's name. Costs one invocation for each 48 bytes.
 */
void limpet_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for text as it is, of any length. */
void limpet_write(const char *text, size_t size);

#endif
