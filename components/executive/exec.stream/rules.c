// SPDX-License-Identifier: BSD-2-Clause
#include "stream.h"

#include <runtime/component.h>

#define PROMISE_MAX 10000000

uint32_t promises[PROGRAMS_MAX], promise_max;

static const char *rule_line(const struct span *first, struct words *rest)
{
	struct span word;
	unsigned int program;
	const char *why = program_add(first, &program);

	if (why)
		return why;
	if (program == PROGRAM_OTHERS)
		return "promises something to *: only programs with a name can have a promise";
	if (!word_next(rest, &word) || !word_is(&word, "promise"))
		return "needs promise behind the program";
	if (!word_next(rest, &word) || !word_number(&word, PROMISE_MAX, &promises[program]))
		return "needs a number of packets in a second, 0 to 10000000";
	if (promises[program] > promise_max)
		promise_max = promises[program];
	return word_next(rest, &word) ? "has words behind the rule" : NULL;
}

static void rules_clear(void)
{
	programs_clear();
	promise_max = 0;
}

unsigned int stream_rules_read(const char *text, size_t size, const char **why)
{
	rules_clear();
	return rules_read(text, size, rule_line, why);
}

bool stream_rules_load(const struct limpet_info *info)
{
	rules_clear();
	return rules_load(info, limpet_arg_text(info, "rules", "stream.rules"), rule_line);
}
