// SPDX-License-Identifier: BSD-2-Clause
/* Words of a line of the policy. */
#include "sandbox.h"

#include <runtime/memory.h>

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

bool word_number(const struct span *word, uint32_t most, uint32_t *value)
{
	uint64_t number = 0;

	for (size_t i = 0; i < word->length; i++) {
		if (word->at[i] < '0' || word->at[i] > '9' || number > most)
			return false;
		number = number * 10 + (uint64_t)(word->at[i] - '0');
	}
	*value = (uint32_t)number;
	return word->length && number <= most;
}
