// SPDX-License-Identifier: BSD-2-Clause
/* Prints socket addresses. */
#include <guest/put.h>

#define FAMILY_SIZE 2u	 /* bytes of sa_family, at the beginning of each address */
#define ADDRESS_MAX 128u /* bytes of struct sockaddr_storage */

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
