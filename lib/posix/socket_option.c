// SPDX-License-Identifier: BSD-2-Clause
/* setsockopt() and getsockopt(): POSIX.1-2017, and Linux's socket(7), ip(7), ipv6(7) and tcp(7). */
#include <runtime/memory.h>

#include <asm/socket.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/tcp.h>

#include "call.h"
#include "clock.h"
#include "posix.h"
#include "socket.h"

#define BUFFER_BYTES 32120 /* TCP's window of the network component */

/* Sockets for which lib/socket has the option. For other sockets the value is only stored. */
#define FOR_NONE 0u
#define FOR_STREAMS 1u
#define FOR_DATAGRAMS 2u

/* Options with a value that is stored. */
static const struct option {
	uint8_t level, name;
	uint8_t stored; /* enum socket_option */
	uint8_t passed; /* NET_... of lib/socket, or 0 */
	uint8_t of;
} options[] = {
	{ SOL_SOCKET, SO_REUSEADDR, OPTION_REUSE_ADDRESS, 0, FOR_NONE },
	{ SOL_SOCKET, SO_REUSEPORT, OPTION_REUSE_PORT, 0, FOR_NONE },
	{ SOL_SOCKET, SO_KEEPALIVE, OPTION_KEEPALIVE, NET_KEEPALIVE, FOR_STREAMS },
	{ SOL_SOCKET, SO_BROADCAST, OPTION_BROADCAST, NET_BROADCAST, FOR_DATAGRAMS },
	{ IPPROTO_TCP, TCP_NODELAY, OPTION_NODELAY, NET_NODELAY, FOR_STREAMS },
	{ IPPROTO_IP, IP_TTL, OPTION_HOPS, NET_HOPS, FOR_STREAMS | FOR_DATAGRAMS },
	{ IPPROTO_IPV6, IPV6_UNICAST_HOPS, OPTION_HOPS, NET_HOPS, FOR_STREAMS | FOR_DATAGRAMS },
};

static const struct option *option_find(word level, word name)
{
	for (unsigned int i = 0; i < array_size(options); i++)
		if (options[i].level == (uint32_t)level && options[i].name == (uint32_t)name)
			return &options[i];
	return NULL;
}

static long option_set(struct socket *socket, const struct option *option, int value)
{
	const bool is_number = option->stored == OPTION_HOPS;
	long status = 0;

	if (is_number && (value < 1 || value > 255))
		return -EINVAL;
	if (!is_number)
		value = value != 0;
	if (option->level == IPPROTO_TCP && !socket->stream)
		return -ENOPROTOOPT;
	if (option->of & (socket->stream ? FOR_STREAMS : FOR_DATAGRAMS) &&
	    socket->state != SOCKET_LISTENS && !socket->lost)
		status = net_option(socket->number, option->passed, (unsigned int)value);
	if (status < 0)
		return socket_error(status);
	socket->option[option->stored] = value;
	return 0;
}

static long limit_set(uint64_t *limit, const struct timeval *time)
{
	if (time->tv_usec < 0 || time->tv_usec >= 1000000)
		return -EDOM;
	*limit = time->tv_sec < 0 ? 1
				  : time_ns(&(struct timespec){ .tv_sec = time->tv_sec,
								.tv_nsec = time->tv_usec * 1000 });
	return 0;
}

static long socket_level_set(struct socket *socket, word name, word value, word size)
{
	if (name == SO_RCVTIMEO || name == SO_SNDTIMEO) {
		if (size < sizeof(struct timeval))
			return -EINVAL;
		return limit_set(name == SO_RCVTIMEO ? &socket->receive_ns : &socket->send_ns,
				 (const struct timeval *)value);
	}
	if (name == SO_RCVBUF || name == SO_SNDBUF)
		return 0; /* the network component chooses the sizes */
	return CALL_REFUSE(ENOPROTOOPT, "the option is not served");
}

static long any_set(struct socket *socket, word level, word name, word value, word size)
{
	const struct option *option = option_find(level, name);

	if ((int)size < 0 || (uint32_t)size < sizeof(int))
		return -EINVAL;
	if (option)
		return option_set(socket, option, *(const int *)value);
	if ((int)level == SOL_SOCKET)
		return socket_level_set(socket, (uint32_t)name, value, (uint32_t)size);
	if ((int)level == IPPROTO_IPV6 && (int)name == IPV6_V6ONLY && !*(const int *)value)
		return 0;
	return CALL_REFUSE(ENOPROTOOPT, "the option is not served");
}

long call_setsockopt(word descriptor, word level, word name, word value, word size)
{
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = any_set(file->socket, level, name, value, size);
	file_put(file);
	return status;
}

/* SO_ERROR clears the error. */
static int error_get(struct socket *socket)
{
	int error;

	sockets_update();
	posix_lock();
	error = socket->error;
	socket->error = 0;
	posix_unlock();
	return error;
}

/* Returns the value of an option that is a number, or -ENOPROTOOPT. */
static long value_get(struct socket *socket, word level, word name)
{
	const struct option *option = option_find(level, name);

	if (option)
		return socket->option[option->stored];
	if ((int)level != SOL_SOCKET)
		return (int)level == IPPROTO_IPV6 && (int)name == IPV6_V6ONLY ? 0 : -ENOPROTOOPT;
	switch ((int)name) {
	case SO_ERROR:
		return error_get(socket);
	case SO_TYPE:
		return socket->stream ? SOCK_STREAM : SOCK_DGRAM;
	case SO_DOMAIN:
		return socket->six ? AF_INET6 : AF_INET;
	case SO_PROTOCOL:
		return socket->stream ? IPPROTO_TCP : IPPROTO_UDP;
	case SO_ACCEPTCONN:
		return socket->state == SOCKET_LISTENS;
	case SO_RCVBUF:
	case SO_SNDBUF:
		return BUFFER_BYTES;
	default:
		return -ENOPROTOOPT;
	}
}

/* Stores at most the bytes that `size` points to, which gets their number. */
static void value_store(const void *value, uint32_t whole, word to, word size)
{
	uint32_t *given = (uint32_t *)size;

	*given = *given < whole ? *given : whole;
	memcpy((void *)to, value, *given);
}

static long any_get(struct socket *socket, word level, word name, word to, word size)
{
	const bool is_receive = (int)name == SO_RCVTIMEO;
	struct timespec limit;
	long status;
	int value;

	if ((int)level == SOL_SOCKET && (is_receive || (int)name == SO_SNDTIMEO)) {
		limit = time_of_ns(is_receive ? socket->receive_ns : socket->send_ns);
		value_store(&(struct timeval){ limit.tv_sec, limit.tv_nsec / 1000 },
			    sizeof(struct timeval), to, size);
		return 0;
	}
	status = value_get(socket, level, name);
	if (status < 0)
		return CALL_REFUSE(ENOPROTOOPT, "the option is not served");
	value = (int)status;
	value_store(&value, sizeof(value), to, size);
	return 0;
}

long call_getsockopt(word descriptor, word level, word name, word to, word size)
{
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = any_get(file->socket, level, name, to, size);
	file_put(file);
	return status;
}
