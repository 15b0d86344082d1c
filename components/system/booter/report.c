// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include "booter.h"

#define PRINT_BYTES 40
#define LINE 200

static void print(const char *text, size_t size)
{
	word words[PRINT_BYTES / sizeof(word)];

	for (size_t at = 0; at < size; at += PRINT_BYTES) {
		size_t part = size - at < PRINT_BYTES ? size - at : PRINT_BYTES;

		memset(words, 0, sizeof(words));
		memcpy(words, text + at, part);
		limpet_call_cpu_print(LIMPET_BOOT_CPU, words);
	}
}

static void print_line(const char *format, va_list values)
{
	char line[LINE];
	size_t length = limpet_format(line, sizeof(line), "booter: CPU %u: ", booter.cpu);

	length += limpet_vformat(line + length, sizeof(line) - length - 1, format, values);
	if (length > sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length++] = '\n';
	print(line, length);
}

void say(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	print_line(format, values);
	va_end(values);
}

/*
 * The booter's thread has no caller, so returning kills it. Without a thread left, the system ends.
 */
static _Noreturn void stop(void)
{
	for (;;)
		limpet_call_2(LIMPET_CALL(LIMPET_CALL_RETURN), 0, 0);
}

void give_up_text(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	print_line(format, values);
	va_end(values);
	stop();
}

void give_up(const struct part *part, const char *what, long status)
{
	give_up_text("%s: cannot %s: %s (%s)", part ? part_name(part) : "system", what,
		     limpet_error_text(status), limpet_error_name(status));
}
