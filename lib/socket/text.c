// SPDX-License-Identifier: BSD-2-Clause
/* Addresses as text, as RFC 5952 writes them. */
#include <runtime/format.h>
#include <runtime/memory.h>
#include <socket/socket.h>

#define GROUPS 8

static unsigned int group(const struct net_address *address, unsigned int i)
{
	uint64_t half = i < GROUPS / 2 ? address->high : address->low;

	return (unsigned int)(half >> (48 - i % 4 * 16)) & 0xffff;
}

/* Finds the longest run of at least two zeros, and the first one of equal runs. */
static unsigned int zeros_find(const struct net_address *address, unsigned int *length)
{
	unsigned int best = GROUPS, max = 1;

	for (unsigned int i = 0; i < GROUPS; i++) {
		unsigned int run = 0;

		while (i + run < GROUPS && !group(address, i + run))
			run++;
		if (run > max) {
			max = run;
			best = i;
		}
	}
	*length = max;
	return best;
}

static size_t text6(const struct net_address *address, char *text)
{
	unsigned int run, zeros = zeros_find(address, &run);
	size_t length = 0;

	for (unsigned int i = 0; i < GROUPS; i++) {
		if (i == zeros) {
			text[length++] = ':';
			if (!i)
				text[length++] = ':';
			i += run - 1;
			continue;
		}
		length += limpet_format(text + length, NET_ADDRESS_TEXT - length,
					i < GROUPS - 1 ? "%x:" : "%x", group(address, i));
	}
	text[length] = 0;
	return length;
}

size_t net_address_text(const struct net_address *address, char *text)
{
	uint32_t four = (uint32_t)address->low;

	if (address->high || address->low >> 32 != NET_IPV4_PREFIX >> 32)
		return text6(address, text);
	return limpet_format(text, NET_ADDRESS_TEXT, "%u.%u.%u.%u", four >> 24, four >> 16 & 255,
			     four >> 8 & 255, four & 255);
}
