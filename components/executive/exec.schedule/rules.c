// SPDX-License-Identifier: BSD-2-Clause
#include "schedule.h"

#include <runtime/component.h>
#include <runtime/time.h>

#define SHARE_MAX 1000
#define PERIOD_MIN_US 500
#define PERIOD_MAX_US 10000000
#define PROCESSOR 1000000 /* parts of the processor that can be reserved */

struct rule rules[PROGRAMS_MAX];
static uint32_t reserved; /* sum of reservations in parts of the processor */

static const char *share_read(struct words *rest, struct rule *rule)
{
	struct span word;

	if (!word_next(rest, &word) || !word_number(&word, SHARE_MAX, &rule->share) || !rule->share)
		return "needs a share, 1 to 1000";
	return NULL;
}

static const char *reserve_read(struct words *rest, struct rule *rule)
{
	struct span word;
	uint32_t budget, period;
	uint64_t part;

	if (!word_next(rest, &word) || !word_number(&word, PERIOD_MAX_US, &budget) || !budget)
		return "needs a budget in microseconds, 1 to 10000000";
	if (!word_next(rest, &word) || !word_number(&word, PERIOD_MAX_US, &period) ||
	    period < PERIOD_MIN_US)
		return "needs a period in microseconds, 500 to 10000000";
	part = (uint64_t)budget * PROCESSOR / period;
	if (part > PROCESSOR - reserved)
		return "reserves more than the rules before it leave of the processor";
	reserved += (uint32_t)part;
	rule->share = 0;
	rule->budget = limpet_us_to_ticks(budget);
	rule->period = limpet_us_to_ticks(period);
	return NULL;
}

static const char *kind_read(struct words *rest, struct rule *rule)
{
	struct span word;

	if (word_next(rest, &word)) {
		if (word_is(&word, "share"))
			return share_read(rest, rule);
		if (word_is(&word, "reserve"))
			return reserve_read(rest, rule);
	}
	return "needs share or reserve behind the program";
}

static const char *rule_line(const struct span *first, struct words *rest)
{
	struct span word;
	unsigned int program;
	const char *why = program_add(first, &program);

	if (!why)
		why = kind_read(rest, &rules[program]);
	if (!why && word_next(rest, &word))
		why = "has words behind the rule";
	return why;
}

static void rules_clear(void)
{
	programs_clear();
	rules[PROGRAM_OTHERS] = (struct rule){ .share = 1 };
	reserved = 0;
}

unsigned int schedule_rules_read(const char *text, size_t size, const char **why)
{
	rules_clear();
	return rules_read(text, size, rule_line, why);
}

bool schedule_rules_load(const struct limpet_info *info)
{
	rules_clear();
	return rules_load(info, limpet_arg_text(info, "rules", "schedule.rules"), rule_line);
}
