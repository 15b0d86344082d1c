// SPDX-License-Identifier: BSD-2-Clause
/* Addresses of sockets: Linux's sockaddr_in and sockaddr_in6, and those of lib/socket. */
#include <runtime/memory.h>

#include <linux/in.h>
#include <linux/in6.h>

#include "call.h"
#include "posix.h"
#include "socket.h"

#define SIZE_SIX_MIN 24 /* sockaddr_in6 without its last member, which Linux accepts, too */
#define LOOPBACK_FOUR (NET_IPV4_PREFIX | 0x7f000001)

long address_read(const struct socket *socket, word from, word size, struct net_address *address)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;
	uint64_t words[2];

	if (size < (socket->six ? SIZE_SIX_MIN : sizeof(*four)))
		return -EINVAL;
	if (four->sin_family != (socket->six ? AF_INET6 : AF_INET))
		return -EAFNOSUPPORT;
	*address = (struct net_address){ .port = __builtin_bswap16(four->sin_port) };
	if (!socket->six) {
		address->low = NET_IPV4_PREFIX | __builtin_bswap32(four->sin_addr.s_addr);
	} else {
		memcpy(words, &six->sin6_addr, sizeof(words));
		address->high = __builtin_bswap64(words[0]);
		address->low = __builtin_bswap64(words[1]);
	}
	if (!address->high && address->low == NET_IPV4_PREFIX)
		address->low = 0; /* 0.0.0.0 */
	return 0;
}

void address_write(const struct socket *socket, const struct net_address *address, word to,
		   word size)
{
	const uint64_t words[2] = { __builtin_bswap64(address->high),
				    __builtin_bswap64(address->low) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
				    .sin6_port = __builtin_bswap16(address->port) };
	const struct sockaddr_in four = {
		.sin_family = AF_INET,
		.sin_port = __builtin_bswap16(address->port),
		.sin_addr.s_addr = __builtin_bswap32((uint32_t)address->low),
	};
	uint32_t *given = (uint32_t *)size;
	const uint32_t whole = socket->six ? sizeof(six) : sizeof(four);

	if (!to)
		return;
	memcpy(&six.sin6_addr, words, sizeof(words));
	memcpy((void *)to, socket->six ? (const void *)&six : &four,
	       *given < whole ? *given : whole);
	*given = whole;
}

struct net_address address_destination(const struct socket *socket, struct net_address address)
{
	if (!address.high && !address.low)
		address.low = socket->six ? 1 : LOOPBACK_FOUR;
	return address;
}

/* Returns the local address, or the peer's. */
static long name_get(word descriptor, word to, word size, bool of_peer)
{
	struct net_address address;
	long status;
	struct file *file = socket_get(descriptor, &status);
	const struct socket *socket;

	if (!file)
		return status;
	socket = file->socket;
	if (socket->lost)
		status = LIMPET_ECRASH;
	else
		status = of_peer ? net_peer(socket->number, &address)
				 : net_local(socket->number, &address);
	if (of_peer && (status < 0 || (socket->stream && socket->state != SOCKET_CONNECTED)))
		status = -ENOTCONN;
	else if (status < 0)
		status = socket_error(status);
	if (status >= 0)
		address_write(socket, &address, to, size);
	file_put(file);
	return status < 0 ? status : 0;
}

long call_getsockname(word descriptor, word to, word size)
{
	return name_get(descriptor, to, size, false);
}

long call_getpeername(word descriptor, word to, word size)
{
	return name_get(descriptor, to, size, true);
}
