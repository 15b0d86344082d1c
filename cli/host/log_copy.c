// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "log_copy.h"
#include "log_record.h"

static void line_print(struct log_copy *copy, const char *system)
{
	struct log_record record = { .ns = copy->ns, .system = system };

	copy->line[copy->length] = 0;
	copy->length = 0;
	log_record_parse(&record, copy->line);
	if (log_record_is_shown(&record))
		log_record_print(copy->out, &record);
}

void log_copy_write(struct log_copy *copy, uint64_t ns, const char *system, const char *text,
		    size_t size)
{
	for (size_t i = 0; copy->out && i < size; i++) {
		if (!copy->length)
			copy->ns = ns;
		copy->line[copy->length++] = text[i];
		if (text[i] == '\n' || copy->length == sizeof(copy->line) - 1)
			line_print(copy, system);
	}
	if (copy->out)
		fflush(copy->out);
}
