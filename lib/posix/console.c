// SPDX-License-Identifier: BSD-2-Clause
/* The program's console, which is the component's log. */
#include <runtime/print.h>

#include "file.h"

static bool line_open;

void console_write(const char *text, size_t size)
{
	if (!size)
		return;
	limpet_write(text, size);
	line_open = text[size - 1] != '\n';
}

void console_end_line(void)
{
	if (line_open)
		console_write("\n", 1);
}
