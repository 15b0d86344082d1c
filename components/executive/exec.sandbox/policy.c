// SPDX-License-Identifier: BSD-2-Clause
/* Reads the policy line by line. The composer has translated it from TOML, see sandbox.h. */
#include "sandbox.h"

#include <runtime/component.h>
#include <runtime/memory.h>

static enum action unnamed; /* action of the rule `default` */

static bool action_read(const struct span *word, enum action *action)
{
	static const char *const names[] = { "allow", "deny", "kill" };

	for (unsigned int i = 0; i < array_size(names); i++) {
		*action = (enum action)i;
		if (word_is(word, names[i]))
			return true;
	}
	return false;
}

/* Reads the only word of a rule. */
static const char *action_only(struct words *words, enum action *action)
{
	struct span word;

	if (!word_next(words, &word) || !action_read(&word, action))
		return "needs allow, deny or kill";
	return word_next(words, &word) ? "has more than one word" : NULL;
}

static const char *default_read(struct words *words, unsigned int unused)
{
	(void)unused;
	return action_only(words, &unnamed);
}

static const char *refusal_read(struct words *words, unsigned int unused)
{
	const char *why = action_only(words, &policy.refusal);

	(void)unused;
	return !why && policy.refusal == ACTION_ALLOW ? "needs deny or kill" : why;
}

static const struct {
	const char *name;
	rule_read *read;
	unsigned int value;
} rules[] = {
	{ "default", default_read, 0 },
	{ "allow", calls_read, ACTION_ALLOW },
	{ "deny", calls_read, ACTION_DENY },
	{ "kill", calls_read, ACTION_KILL },
	{ "read", paths_read, ACCESS_READ },
	{ "write", paths_read, ACCESS_READ | ACCESS_WRITE },
	{ "execute", paths_read, ACCESS_READ | ACCESS_EXECUTE },
	{ "relative", relative_read, 0 },
	{ "connect", addresses_read, DIRECTION_CONNECT },
	{ "bind", addresses_read, DIRECTION_BIND },
	{ "refusal", refusal_read, 0 },
};

static const char *line_read(const struct span *first, struct words *rest)
{
	for (unsigned int i = 0; i < array_size(rules); i++)
		if (word_is(first, rules[i].name))
			return rules[i].read(rest, rules[i].value);
	return "is not a rule";
}

static void policy_clear(void)
{
	policy = (struct policy){ .refusal = ACTION_DENY };
	memset(policy.action, ACTION_UNNAMED, sizeof(policy.action));
	unnamed = ACTION_DENY;
}

unsigned int policy_read(const char *text, size_t size, const char **why)
{
	unsigned int line;

	policy_clear();
	line = rules_read(text, size, line_read, why);
	if (!line)
		policy_finish(unnamed);
	return line;
}

bool policy_load(const struct limpet_info *info)
{
	policy_clear();
	if (!rules_load(info, limpet_arg_text(info, "policy", "sandbox.toml"), line_read))
		return false;
	policy_finish(unnamed);
	return true;
}
