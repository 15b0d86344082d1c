// SPDX-License-Identifier: BSD-2-Clause
/* Reads the rules for addresses. */
#include "sandbox.h"

#include <guest/numbers.h>

static const struct {
	const char *name;
	uint32_t family;
} families[] = {
	{ "unix", GUEST_AF_UNIX },	 { "inet", GUEST_AF_INET }, { "inet6", GUEST_AF_INET6 },
	{ "netlink", GUEST_AF_NETLINK }, { "any", FAMILY_ANY },
};

#define FAMILY_MAX 255
#define PORT_MAX 65535

static bool family_read(const struct span *word, uint32_t *family)
{
	for (unsigned int i = 0; i < array_size(families); i++)
		if (word_is(word, families[i].name)) {
			*family = families[i].family;
			return true;
		}
	return word_number(word, FAMILY_MAX, family);
}

/* Splits the part before a character off a word. Returns false if the word does not contain the character. */
static bool word_split(struct span *word, char at, struct span *before)
{
	for (size_t i = 0; i < word->length; i++)
		if (word->at[i] == at) {
			*before = (struct span){ word->at, i };
			*word = (struct span){ word->at + i + 1, word->length - i - 1 };
			return true;
		}
	return false;
}

static bool bytes_read(struct span word, uint32_t *address)
{
	struct span part;
	uint32_t byte;

	*address = 0;
	for (unsigned int i = 0; i < 3; i++) {
		if (!word_split(&word, '.', &part) || !word_number(&part, 255, &byte))
			return false;
		*address = *address << 8 | byte;
	}
	if (!word_number(&word, 255, &byte))
		return false;
	*address = *address << 8 | byte;
	return true;
}

/* Reads A.B.C.D or A.B.C.D/BITS. */
static bool prefix_read(struct span word, struct address_rule *rule)
{
	struct span address = word;
	uint32_t bits = 32;

	if (word_split(&word, '/', &address) && !word_number(&word, 32, &bits))
		return false;
	rule->mask = bits ? ~0u << (32 - bits) : 0;
	return bytes_read(address, &rule->address) && !(rule->address & ~rule->mask);
}

const char *addresses_read(struct words *words, unsigned int direction)
{
	struct address_rule rule = { .direction = direction };
	struct span word;

	if (policy.addresses == ADDRESS_RULES)
		return "exceeds the maximum of 64 rules for addresses";
	if (!word_next(words, &word) || !family_read(&word, &rule.family))
		return "needs unix, inet, inet6, netlink, any or the number of a family";
	if (word_next(words, &word)) {
		if (rule.family != GUEST_AF_INET || !prefix_read(word, &rule))
			return "can only have an address as 10.1.0.0/16, of family inet";
		if (word_next(words, &word) && !word_number(&word, PORT_MAX, &rule.port))
			return "has a port that is not 1 to 65535";
		if (word_next(words, &word))
			return "has words behind the port";
	}
	policy.address[policy.addresses++] = rule;
	return NULL;
}

bool policy_address(enum direction direction, uint32_t family, uint32_t address, uint32_t port)
{
	for (unsigned int i = 0; i < policy.addresses; i++) {
		const struct address_rule *rule = &policy.address[i];

		if (rule->direction != direction ||
		    (rule->family != family && rule->family != FAMILY_ANY))
			continue;
		if ((address & rule->mask) == rule->address && (!rule->port || rule->port == port))
			return true;
	}
	return false;
}
