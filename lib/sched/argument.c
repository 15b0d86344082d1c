// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/format.h>

#include <sched/argument.h>
#include <sched/clock.h>
#include <sched/sched.h>

bool numbers_read(const char *text, uint64_t *number, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const char *begin = text;

		for (number[i] = 0; *text >= '0' && *text <= '9' && number[i] < PERIOD_MAX; text++)
			number[i] = number[i] * 10 + (uint64_t)(*text - '0');
		if (text == begin || *text != (i + 1 < count ? ' ' : 0))
			return false;
		text++;
	}
	return true;
}

/* A nested scheduler cannot print; the booter reports that it could not start. */
long argument_refuse(const char *name, const char *why)
{
	union {
		char text[40];
		word words[5];
	} line = { .words = { 0 } };

	limpet_format(line.text, sizeof(line.text), "%s: %s", name, why);
	if (!CLOCK_NESTED)
		limpet_call_cpu_print(LIMPET_SLOT_CPU, line.words);
	return LIMPET_ERANGE;
}
