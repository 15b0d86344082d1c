// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/format.h>
#include <runtime/text.h>

struct text text_in(char *at, size_t size)
{
	*at = 0;
	return (struct text){ .at = at, .size = size };
}

void text_add(struct text *text, const char *format, ...)
{
	size_t space = text->size - text->length, length;
	va_list values;

	va_start(values, format);
	length = limpet_vformat(text->at + text->length, space, format, values);
	va_end(values);
	if (length >= space) {
		length = space - 1;
		text->cut = true;
	}
	text->length += length;
}

void text_add_number(struct text *text, unsigned long value)
{
	unsigned long unit = 1;

	while (value / unit >= 1000)
		unit *= 1000;
	text_add(text, "%lu", value / unit);
	for (; unit > 1; unit /= 1000)
		text_add(text, ",%03lu", value % unit / (unit / 1000));
}
