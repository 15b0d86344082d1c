/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is put together in a given room. */
#ifndef RUNTIME_TEXT_H
#define RUNTIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *at;
	size_t size;   /* of the room, at least 1 */
	size_t length; /* below size; a 0 follows */
	bool cut;      /* something did not fit, and is missing at the end */
};

/* Empty text in a room of `size` bytes. */
struct text text_in(char *at, size_t size);
/* Adds text, formatted as limpet_format() does. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number with a comma before each three digits. */
void text_add_number(struct text *text, unsigned long value);

#endif
