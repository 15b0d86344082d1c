// SPDX-License-Identifier: BSD-2-Clause
/* Checks calls with socket addresses. The layouts are those of struct sockaddr_... and struct user_msghdr. */
#include "sandbox.h"

#include <guest/numbers.h>
#include <runtime/memory.h>

#define ADDRESS_MAX 128 /* bytes of struct sockaddr_storage */
#define AF_UNSPEC 0
#define SOCK_TYPE 0xfu
#define SOCK_SEQPACKET 5u
#define IPPROTO_SCTP 132u
#define FAMILY_SIZE 2
#define INET_SIZE 16
#define INET6_SIZE 24
#define PORT_AT 2
#define INET_AT 4
#define INET6_AT 8
#define UNIX_AT 2

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }; /* ::ffff:A.B.C.D */

static uint32_t load16(const uint8_t *from)
{
	return (uint32_t)from[0] << 8 | from[1];
}

static uint32_t load32(const uint8_t *from)
{
	return load16(from) << 16 | load16(from + 2);
}

static void text_set(struct call *call, const char *format, uint32_t a, uint32_t b)
{
	struct text text = text_in(call->text, sizeof(call->text));

	text_add(&text, format, a, b);
}

static long inet_check(struct call *call, enum direction direction, const uint8_t *address,
		       const uint8_t *port)
{
	struct text text = text_in(call->text, sizeof(call->text));

	text_add(&text, "%u.%u.%u.%u port %u", address[0], address[1], address[2], address[3],
		 load16(port));
	return policy_address(direction, GUEST_AF_INET, load32(address), load16(port)) ? 0
										       : REFUSED;
}

static long inet6_check(struct call *call, enum direction direction, const uint8_t *bytes)
{
	if (!memcmp(bytes + INET6_AT, mapped, sizeof(mapped)))
		return inet_check(call, direction, bytes + INET6_AT + sizeof(mapped),
				  bytes + PORT_AT);
	text_set(call, "inet6 port %u", load16(bytes + PORT_AT), 0);
	return policy_address(direction, GUEST_AF_INET6, 0, load16(bytes + PORT_AT)) ? 0 : REFUSED;
}

/* Normalises the path in the address itself, and sets the bytes behind it to 0. */
static long unix_check(struct call *call, enum direction direction, uint8_t *bytes, size_t size)
{
	size_t space = size - UNIX_AT;
	long error;

	text_set(call, "unix", 0, 0);
	if (!policy_address(direction, GUEST_AF_UNIX, 0, 0))
		return REFUSED;
	if (!space || !bytes[UNIX_AT])
		return 0;
	memcpy(call->text, bytes + UNIX_AT, space);
	call->text[space] = 0;
	error = path_check(call, ACCESS_WRITE);
	if (error)
		return error;
	memset(bytes + UNIX_AT, 0, space);
	memcpy(bytes + UNIX_AT, call->text, strlen(call->text));
	return 0;
}

/*
 * With AF_UNSPEC, connect() only ends a connection, but bind() and sendto() use the address as one of inet. If an
 * address is too short for its family, only rules without an address allow it. Linux then refuses it.
 */
static long bytes_check(struct call *call, enum direction direction, uint8_t *bytes, size_t size)
{
	uint32_t family;

	call->text[0] = 0;
	if (size < FAMILY_SIZE)
		return 0;
	family = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
	if (family == AF_UNSPEC && call->number == GUEST_CALL_connect)
		return 0;
	if ((family == GUEST_AF_INET || family == AF_UNSPEC) && size >= INET_SIZE)
		return inet_check(call, direction, bytes + INET_AT, bytes + PORT_AT);
	if (family == GUEST_AF_INET6 && size >= INET6_SIZE)
		return inet6_check(call, direction, bytes);
	if (family == GUEST_AF_UNIX)
		return unix_check(call, direction, bytes, size);
	text_set(call, "family %u", family, 0);
	return policy_address(direction, family, 0, 0) ? 0 : REFUSED;
}

long address_check(struct call *call)
{
	bool sends = call->number == GUEST_CALL_sendto;
	enum direction direction = call->number == GUEST_CALL_bind ? DIRECTION_BIND
								   : DIRECTION_CONNECT;
	unsigned int n = sends ? 4 : 1;
	int size = (int)call->argument[n + 1];
	uint8_t bytes[ADDRESS_MAX];
	long error;

	if (sends && !call->argument[n])
		return 0;
	if (size < 0 || size > ADDRESS_MAX)
		return -LINUX_EINVAL;
	if (size && executive_read(bytes, call->argument[n], (word)size) < 0)
		return -LINUX_EFAULT;
	error = bytes_check(call, direction, bytes, (size_t)size);
	return error ? error : argument_copy(call, n, bytes, (size_t)size);
}

/*
 * SCTP can also connect and bind through socket options and control messages of sendmsg(). In these address families
 * only SCTP has sockets of type SOCK_SEQPACKET.
 */
long socket_check(struct call *call)
{
	const uint32_t family = (uint32_t)call->argument[0];
	const uint32_t type = (uint32_t)call->argument[1] & SOCK_TYPE;

	if (family != GUEST_AF_INET && family != GUEST_AF_INET6)
		return 0;
	if ((uint32_t)call->argument[2] != IPPROTO_SCTP && type != SOCK_SEQPACKET)
		return 0;
	text_set(call, "sctp", 0, 0);
	return REFUSED;
}

/* struct user_msghdr. Linux only reads it for sendmsg(). */
struct message {
	word name;
	int name_size, unused;
	word rest[5];
};

static long name_check(struct call *call, struct message *message)
{
	uint8_t bytes[ADDRESS_MAX];
	size_t size = message->name_size < ADDRESS_MAX ? (size_t)message->name_size : ADDRESS_MAX;
	long error;

	if (executive_read(bytes, message->name, size) < 0)
		return -LINUX_EFAULT;
	error = bytes_check(call, DIRECTION_CONNECT, bytes, size);
	if (error)
		return error;
	message->name = copy_add(&call->copy, bytes, size);
	return 0;
}

long message_check(struct call *call)
{
	struct message message;
	long error;

	if (executive_read(&message, call->argument[1], sizeof(message)) < 0)
		return -LINUX_EFAULT;
	if (message.name && message.name_size < 0)
		return -LINUX_EINVAL;
	if (message.name && message.name_size) {
		error = name_check(call, &message);
		if (error)
			return error;
	}
	return argument_copy(call, 1, &message, sizeof(message));
}
