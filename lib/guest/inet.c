// SPDX-License-Identifier: BSD-2-Clause
/* Prints addresses of IPv4 and IPv6. */
#include <guest/put.h>

#define GROUPS 8u /* groups of an IPv6 address, 2 bytes each */

static unsigned int group(const unsigned char *from, unsigned int i)
{
	return (unsigned int)from[i * 2] << 8 | from[i * 2 + 1];
}

/*
 * Returns the index of the first group of the longest run of zero groups, and stores its length. Of runs
 * with the same length the first counts. Returns GROUPS, with length 1, if no run has two groups.
 */
static unsigned int zeros_find(const unsigned char *from, unsigned int *length)
{
	unsigned int best = GROUPS;

	*length = 1;
	for (unsigned int i = 0; i < GROUPS; i++) {
		unsigned int run = 0;

		while (i + run < GROUPS && !group(from, i + run))
			run++;
		if (run > *length) {
			*length = run;
			best = i;
		}
	}
	return best;
}

static void put_dotted(struct guest_line *line, const unsigned char *from)
{
	text_add(&line->text, "%u.%u.%u.%u", from[0], from[1], from[2], from[3]);
}

void put_inet(struct guest_line *line, const unsigned char *from)
{
	text_add(&line->text, "inet_addr(\"");
	put_dotted(line, from);
	text_add(&line->text, "\")");
}

/*
 * The C library prints the last four bytes as IPv4 for ::ffff:a.b.c.d, and for ::a.b.c.d unless the address is like
 * ::1, with zeros in more than six groups.
 */
static bool has_inet(const unsigned char *from, unsigned int zeros, unsigned int length)
{
	if (zeros)
		return false;
	return length == 6 || (length == 5 && group(from, 5) == 0xffff);
}

void put_inet6(struct guest_line *line, const unsigned char *from)
{
	unsigned int length, zeros = zeros_find(from, &length);
	unsigned int count = has_inet(from, zeros, length) ? GROUPS - 2 : GROUPS;

	text_add(&line->text, "inet_pton(AF_INET6, \"%s", zeros ? "" : ":");
	for (unsigned int i = 0; i < count; i++) {
		if (i == zeros) {
			text_add(&line->text, ":");
			i += length - 1;
			continue;
		}
		text_add(&line->text, i + 1 < GROUPS ? "%x:" : "%x", group(from, i));
	}
	if (count < GROUPS)
		put_dotted(line, from + 12);
	text_add(&line->text, "\", &sin6_addr)");
}
