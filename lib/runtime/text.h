/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds text in a buffer of fixed size. */
#ifndef RUNTIME_TEXT_H
#define RUNTIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *at;
	size_t size;   /* of the buffer, at least 1 */
	size_t length; /* below size; a 0 follows */
	bool cut;      /* the end of the text did not fit */
};

/* Returns an empty text in a buffer of `size` bytes. */
struct text text_in(char *at, size_t size);
/* Appends text, formatted like limpet_format(). Sets `cut` if the end does not fit. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number with a comma before each group of three digits. */
void text_add_number(struct text *text, unsigned long value);

#endif
