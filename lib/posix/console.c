// SPDX-License-Identifier: BSD-2-Clause
/* The program's console, which is the component's log. */
#include <runtime/print.h>

#include "file.h"

static bool line_begun;

void console_write(const char *text, size_t size)
{
	if (!size)
		return;
	limpet_write(text, size);
	line_begun = text[size - 1] != '\n';
}

void console_end_line(void)
{
	if (line_begun)
		console_write("\n", 1);
}
