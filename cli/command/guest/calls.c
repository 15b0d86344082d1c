// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/command/guest/guest.h>
#include <cli/common/report.h>
#include <cli/common/text.h>
#include <guest/calls.h>

#define WORD_SIZE 64 /* longer than the name of any system call */

/* Returns the bit of a system call by its name or number, or a negative number. */
static long call_bit(const char *word)
{
	long number;

	if (!strcmp(word, "rest"))
		return LIMPET_GUEST_FILTER_REST;
	if (!text_number(word, 0, LIMPET_GUEST_FILTER_REST - 1, &number))
		number = guest_call_number(word);
	return number < LIMPET_GUEST_FILTER_REST ? number : -1;
}

static bool word_add(uint64_t *filter, const char *word)
{
	long bit;

	if (!strcmp(word, "none"))
		return true;
	if (!strcmp(word, "all")) {
		memset(filter, 0xff, GUEST_CALLS / 8);
		return true;
	}
	bit = call_bit(word);
	if (bit < 0)
		return false;
	filter[bit / 64] |= (uint64_t)1 << bit % 64;
	return true;
}

/* Adds the words of a list. Returns NULL, or the first word that is unknown, which ends at a comma. */
static const char *words_add(uint64_t *filter, const char *list)
{
	char word[WORD_SIZE];
	size_t length;

	for (;; list += length + 1) {
		length = strcspn(list, ",");
		if (length >= sizeof(word))
			return list;
		memcpy(word, list, length);
		word[length] = 0;
		if (!word_add(filter, word))
			return list;
		if (!list[length])
			return NULL;
	}
}

bool guest_calls_take(const struct command *command, const char *list,
		      uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	bool inverted = *list == '!';
	const char *unknown;

	memset(filter, 0, LIMPET_GUEST_FILTER_WORDS * sizeof(*filter));
	unknown = words_add(filter, list + inverted);
	if (unknown) {
		report_usage(
			command,
			"--calls %s: There is no system call '%.*s'. Give names as in syscalls(2), numbers from "
			"0 to %d, rest, all or none, with commas between.",
			list, (int)strcspn(unknown, ","), unknown, LIMPET_GUEST_FILTER_REST - 1);
		return false;
	}
	for (unsigned int i = 0; inverted && i < LIMPET_GUEST_CALL_WORDS; i++)
		filter[i] = ~filter[i];
	return true;
}

void guest_faults_take(bool faults, uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	filter[LIMPET_GUEST_FILTER_FAULTS] = faults ? ~0ul : 0;
}

unsigned int guest_calls_count(const uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < LIMPET_GUEST_CALL_WORDS; i++)
		count += (unsigned int)__builtin_popcountl(filter[i]);
	return count;
}
