// SPDX-License-Identifier: BSD-2-Clause
#include <executive/rules.h>
#include <runtime/archive.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>

bool word_next(struct words *words, struct span *word)
{
	while (words->at < words->end && (*words->at == ' ' || *words->at == '\t'))
		words->at++;
	if (words->at == words->end || *words->at == '#')
		return false;
	word->at = words->at;
	while (words->at < words->end && *words->at != ' ' && *words->at != '\t')
		words->at++;
	word->length = (size_t)(words->at - word->at);
	return true;
}

bool word_is(const struct span *word, const char *text)
{
	return word->length == strlen(text) && !memcmp(word->at, text, word->length);
}

bool word_number(const struct span *word, uint32_t max, uint32_t *value)
{
	uint64_t number = 0;

	for (size_t i = 0; i < word->length; i++) {
		if (word->at[i] < '0' || word->at[i] > '9' || number > max)
			return false;
		number = number * 10 + (uint64_t)(word->at[i] - '0');
	}
	*value = (uint32_t)number;
	return word->length && number <= max;
}

unsigned int rules_read(const char *text, size_t size, rules_line *read, const char **why)
{
	const char *end = text + size;

	for (unsigned int line = 1; text < end; line++) {
		struct words words = { text, text };
		struct span first;

		while (words.end < end && *words.end != '\n')
			words.end++;
		text = words.end + 1;
		*why = word_next(&words, &first) ? read(&first, &words) : NULL;
		if (*why)
			return line;
	}
	return 0;
}

/* Finds a file of the ramdisk. */
static bool file_find(const struct limpet_info *info, const char *name, struct archive_entry *entry)
{
	uint64_t at = 0;

	while (info->ramdisk &&
	       archive_read((const uint8_t *)info->ramdisk, info->ramdisk_size, &at, entry))
		if (!entry->folder && entry->length == strlen(name) &&
		    !memcmp(entry->name, name, entry->length))
			return true;
	return false;
}

bool rules_load(const struct limpet_info *info, const char *name, rules_line *read)
{
	struct archive_entry entry;
	const char *why;
	unsigned int line;

	if (!file_find(info, name, &entry)) {
		limpet_print("the ramdisk has no file %s: no guest is served\n", name);
		return false;
	}
	line = rules_read((const char *)entry.data, entry.size, read, &why);
	if (line)
		limpet_print("%s:%u: the line %s: no guest is served\n", name, line, why);
	return !line;
}
