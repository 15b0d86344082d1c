// SPDX-License-Identifier: BSD-2-Clause
/* Rules for paths: a list for absolute paths, and a set of accesses for relative paths. */
#include "sandbox.h"

#include <runtime/memory.h>

/* Returns whether a component of a path starts at that place. */
static bool component_is(const char *at, const char *name)
{
	while (*name && *at == *name) {
		at++;
		name++;
	}
	return !*name && (!*at || *at == '/');
}

/* A path of the policy must be normalised, because it is compared with normalised paths. */
static const char *path_add(const struct span *word, unsigned int access)
{
	char text[PATH_SIZE];
	size_t length = word->length;

	if (policy.paths == PATH_RULES)
		return "exceeds the maximum of 128 paths";
	if (length >= sizeof(text) || word->at[0] != '/')
		return "needs absolute paths";
	if (word->at[length - 1] == '/')
		length--;
	memcpy(text, word->at, length);
	text[length] = 0;
	if (length && path_normalise(text) != length)
		return "has a path with ., .. or //";
	policy.path[policy.paths++] = (struct path_rule){ word->at, length, access };
	policy.proc |= !length || component_is(text + 1, "proc");
	return NULL;
}

const char *paths_read(struct words *words, unsigned int access)
{
	struct span word;
	const char *why = NULL;

	while (!why && word_next(words, &word))
		why = path_add(&word, access);
	return why;
}

const char *relative_read(struct words *words, unsigned int unused)
{
	struct span word;

	(void)unused;
	while (word_next(words, &word)) {
		if (word_is(&word, "read"))
			policy.relative |= ACCESS_READ;
		else if (word_is(&word, "write"))
			policy.relative |= ACCESS_READ | ACCESS_WRITE;
		else if (word_is(&word, "execute"))
			policy.relative |= ACCESS_READ | ACCESS_EXECUTE;
		else
			return "needs read, write or execute";
	}
	return NULL;
}

/*
 * Returns whether a path has a component after the first `skip` bytes, of which the last one is a
 * slash.
 */
static bool path_has(const char *path, size_t skip, const char *name)
{
	for (const char *at = path + skip; *at; at++)
		if (at[-1] == '/' && component_is(at, name))
			return true;
	return false;
}

/*
 * Links of /proc to the root and the working folder of a process would bypass the rules for names.
 */
static bool leads_out(const char *path)
{
	static const char proc[] = "/proc/";
	const size_t length = sizeof(proc) - 1;

	return strlen(path) > length && !memcmp(path, proc, length) &&
	       (path_has(path, length, "root") || path_has(path, length, "cwd"));
}

static bool rule_fits(const struct path_rule *rule, const char *path, size_t length)
{
	return length >= rule->length && !memcmp(path, rule->text, rule->length) &&
	       (!rule->length || !path[rule->length] || path[rule->length] == '/');
}

/*
 * Returns the accesses that a rule grants to a path of that length. The rule's own path is a name in the folder above, so
 * the rule grants ACCESS_NAME only to longer paths.
 */
static unsigned int rule_access(const struct path_rule *rule, size_t length)
{
	const bool below = length > rule->length + 1;

	return rule->access | (below && rule->access & ACCESS_WRITE ? ACCESS_NAME : 0);
}

static bool absolute_allowed(const char *path, unsigned int access)
{
	size_t length = strlen(path);
	unsigned int granted = 0;

	if (leads_out(path))
		return false;
	for (unsigned int i = 0; i < policy.paths; i++)
		if (rule_fits(&policy.path[i], path, length))
			granted |= rule_access(&policy.path[i], length);
	return !(access & ~granted);
}

/* The folder of a relative path can be below /proc, if a rule allows to read there. */
static bool may_lead_out(const char *path)
{
	return policy.proc && (component_is(path, "root") || component_is(path, "cwd") ||
			       path_has(path, 1, "root") || path_has(path, 1, "cwd"));
}

bool policy_path(const char *path, unsigned int access)
{
	if (path[0] == '/')
		return absolute_allowed(path, access);
	if (component_is(path, "..") || may_lead_out(path))
		return false;
	return !(access & ~(policy.relative | ACCESS_NAME));
}
