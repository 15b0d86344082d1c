// SPDX-License-Identifier: BSD-2-Clause
/* Prints socket addresses. */
#include <guest/put.h>

#define FAMILY_SIZE 2u	 /* bytes of sa_family, at the beginning of each address */
#define ADDRESS_MAX 128u /* bytes of struct sockaddr_storage */
#define GROUPS 8u	 /* groups of an IPv6 address, 2 bytes each */

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

static void put_unix(struct guest_line *line, const unsigned char *from, word length)
{
	const unsigned char *path = from + FAMILY_SIZE;

	text_add(&line->text, "{sa_family=AF_UNIX");
	if (length > FAMILY_SIZE)
		text_add(&line->text, ", sun_path=");
	if (length > FAMILY_SIZE && *path) {
		put_quoted(line, path, length - FAMILY_SIZE, true);
	} else if (length > FAMILY_SIZE) {
		text_add(&line->text, "@");
		put_quoted(line, path + 1, length - FAMILY_SIZE - 1, false);
	}
	text_add(&line->text, "}");
}

/* Returns the structure of a family. Returns -1 if the family has no structure, or the address is too short for it. */
static int struct_of(unsigned int family, word length)
{
	int of = family == GUEST_AF_INET      ? GUEST_STRUCT_inet
		 : family == GUEST_AF_INET6   ? GUEST_STRUCT_inet6
		 : family == GUEST_AF_NETLINK ? GUEST_STRUCT_netlink
					      : -1;

	return of >= 0 && length >= guest_structs[of].size ? of : -1;
}

static void put_other(struct guest_line *line, unsigned int family, const unsigned char *from,
		      word length)
{
	text_add(&line->text, "{sa_family=");
	put_symbol(line, GUEST_SET_AF, family);
	if (length > FAMILY_SIZE) {
		text_add(&line->text, ", sa_data=");
		put_quoted(line, from + FAMILY_SIZE, length - FAMILY_SIZE, false);
	}
	text_add(&line->text, "}");
}

void put_sockaddr(struct guest_line *line, word address, word length)
{
	unsigned char copy[ADDRESS_MAX];
	unsigned int family;
	word size = length < sizeof(copy) ? length : sizeof(copy);
	int of;

	if (!address || size < FAMILY_SIZE || !guest_read(line, copy, address, size)) {
		put_address(line, address);
		return;
	}
	family = (unsigned int)number_load(copy, FAMILY_SIZE, false);
	of = struct_of(family, size);
	if (family == GUEST_AF_UNIX)
		put_unix(line, copy, size);
	else if (of >= 0)
		put_fields(line, (unsigned int)of, copy);
	else
		put_other(line, family, copy, size);
}
