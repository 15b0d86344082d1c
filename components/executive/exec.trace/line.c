// SPDX-License-Identifier: BSD-2-Clause
#include "line.h"

#include <executive/report.h>
#include <runtime/format.h>

#define END 4 /* space for "...\n" */

static struct line lines[LINES];
static uint32_t line_of[LIMPET_GUESTS_MAX]; /* 1 + index of the guest's line, or 0 */

struct line *line_take(void)
{
	for (struct line *line = lines; line < lines + LINES; line++)
		if (!__atomic_exchange_n(&line->taken, 1, __ATOMIC_ACQUIRE))
			return line;
	return NULL;
}

void line_free(struct line *line)
{
	__atomic_store_n(&line->taken, 0, __ATOMIC_RELEASE);
}

struct line *line_exchange(unsigned int id, struct line *line)
{
	uint32_t number = line ? (uint32_t)(line - lines) + 1 : 0;
	uint32_t old = __atomic_exchange_n(&line_of[id], number, __ATOMIC_ACQ_REL);

	return old ? &lines[old - 1] : NULL;
}

static long memory_copy(void *context, void *to, word address, word size)
{
	(void)context;
	return executive_read(to, address, size);
}

void line_begin(struct line *line, uint32_t thread, word number, const word *arguments)
{
	const struct guest_memory memory = { memory_copy, NULL };

	line->prefix = (uint32_t)limpet_format(line->text, TEXT, "%u ", thread);
	guest_line_begin(&line->guest, line->text + line->prefix, TEXT - END - line->prefix,
			 &memory, (long)number, arguments);
}

/* guest_line_begin() got a size without END bytes, so the end fits. */
void line_report(struct line *line)
{
	size_t length = line->prefix + line->guest.text.length;

	length += limpet_format(line->text + length, TEXT - length, "%s",
				line->guest.text.cut ? "...\n" : "\n");
	report_line(line->text, length);
	line_free(line);
}
