// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <import/log.h>

#define WORDS 6

void limpet_write(const char *text, size_t size)
{
	word w[WORDS];

	for (size_t at = 0; at < size; at += sizeof(w)) {
		memset(w, 0, sizeof(w));
		memcpy(w, text + at, size - at < sizeof(w) ? size - at : sizeof(w));
		log_write(w[0], w[1], w[2], w[3], w[4], w[5]);
	}
}

void limpet_print(const char *format, ...)
{
	char text[LIMPET_PRINT_MAX];
	va_list values;
	size_t length;

	va_start(values, format);
	length = limpet_vformat(text, sizeof(text), format, values);
	va_end(values);
	limpet_write(text, length < sizeof(text) ? length : sizeof(text) - 1);
}
