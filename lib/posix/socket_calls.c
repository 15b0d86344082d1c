// SPDX-License-Identifier: BSD-2-Clause
/* socket(), bind(), listen(), accept(), connect(), shutdown(): POSIX.1-2017, and Linux's ip(7) and tcp(7). */
#include <linux/fcntl.h>
#include <linux/in.h>

#include "call.h"
#include "posix.h"
#include "ready.h"
#include "socket.h"

#define FLAGS ((word)(O_NONBLOCK | O_CLOEXEC)) /* SOCK_NONBLOCK, SOCK_CLOEXEC */
#define BACKLOG_MAX 16

long call_socket(word family, word type, word protocol)
{
	const word kind = (uint32_t)type & ~FLAGS;

	if ((int)family != AF_INET && (int)family != AF_INET6)
		return CALL_REFUSE(EAFNOSUPPORT, "there are sockets of AF_INET and AF_INET6 only");
	if (kind != SOCK_STREAM && kind != SOCK_DGRAM)
		return CALL_REFUSE(ESOCKTNOSUPPORT, "there are SOCK_STREAM and SOCK_DGRAM only");
	if ((int)protocol && (int)protocol != (kind == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP))
		return -EPROTONOSUPPORT;
	return socket_open(kind == SOCK_STREAM, (int)family == AF_INET6, type & FLAGS);
}

static long socket_bind(struct socket *socket, word from, word size)
{
	struct net_address address;
	long status = address_read(socket, from, size, &address);

	if (status)
		return status;
	if (socket->bound || socket->lost)
		return -EINVAL;
	status = net_bind(socket->number, address);
	if (status == LIMPET_ERANGE)
		return -EADDRNOTAVAIL;
	if (status >= 0)
		socket->bound = true;
	return status < 0 ? socket_error(status) : 0;
}

long call_bind(word descriptor, word address, word size)
{
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = socket_bind(file->socket, address, size);
	file_put(file);
	return status;
}

/* An unbound socket gets a free port, as on Linux. A second call does not change the backlog. */
static long socket_listen(struct socket *socket, int backlog)
{
	const unsigned int max = backlog < BACKLOG_MAX ? (unsigned int)backlog : BACKLOG_MAX;
	long status = 0;

	if (!socket->stream)
		return -EOPNOTSUPP;
	if (socket->state == SOCKET_LISTENS)
		return 0;
	if (socket->state != SOCKET_NEW || socket->lost)
		return -EINVAL;
	if (!socket->bound)
		status = net_bind(socket->number, (struct net_address){ 0 });
	if (status >= 0)
		status = net_listen(socket->number, backlog > 0 ? max : 1);
	if (status < 0)
		return socket_error(status);
	posix_lock();
	socket->bound = true;
	socket->state = SOCKET_LISTENS;
	posix_unlock();
	return 0;
}

long call_listen(word descriptor, word backlog)
{
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = socket_listen(file->socket, (int)backlog);
	file_put(file);
	return status;
}

/* Returns the number of lib/socket of a new connection, or a negative error. */
static long connection_accept(struct file *file, struct net_address *from)
{
	const struct socket *socket = file->socket;
	long status, number;

	if (!socket->stream)
		return -EOPNOTSUPP;
	do {
		if (socket->state != SOCKET_LISTENS || socket->lost)
			return -EINVAL;
		number = net_accept(socket->number, from, 0);
		if (number != LIMPET_ETIME)
			return number < 0 ? socket_error(number) : number;
		status = socket_block(file, false, 0);
	} while (!status);
	return status;
}

long call_accept4(word descriptor, word to, word size, word flags)
{
	struct net_address from;
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = flags & ~FLAGS ? -EINVAL : connection_accept(file, &from);
	if (status >= 0)
		status = socket_open_accepted(status, file->socket, flags);
	if (status >= 0) {
		address_write(file->socket, &from, to, size);
		socket_used_up(file->socket, false);
	}
	file_put(file);
	return status;
}

long call_accept(word descriptor, word to, word size)
{
	return call_accept4(descriptor, to, size, 0);
}

static long datagram_connect(struct socket *socket, word from, word size)
{
	struct net_address to = { 0 };
	long status = 0;

	if (size < sizeof(uint16_t))
		return -EINVAL;
	if (*(const uint16_t *)from != AF_UNSPEC) {
		status = address_read(socket, from, size, &to);
		to = address_destination(socket, to);
	}
	if (!status)
		status = net_connect(socket->number, to, 0);
	return status < 0 ? socket_error(status) : 0;
}

/* Starts a connection. Returns 0 if its state is now SOCKET_CONNECTS or SOCKET_CONNECTED, or a negative error. */
static long connection_start(struct socket *socket, const struct net_address *to)
{
	const long status = net_connect(socket->number, address_destination(socket, *to), 0);

	if (status == LIMPET_EPEER) {
		posix_lock();
		socket->state = SOCKET_CONNECTS; /* for the error of a refused connection */
		posix_unlock();
		return socket_fail(socket);
	}
	if (status < 0 && status != LIMPET_ETIME)
		return socket_error(status);
	posix_lock();
	socket->bound = true;
	socket->state = status < 0 ? SOCKET_CONNECTS : SOCKET_CONNECTED;
	posix_unlock();
	return 0;
}

static long stream_connect(struct file *file, word from, word size)
{
	struct socket *socket = file->socket;
	struct net_address to;
	long status = address_read(socket, from, size, &to);
	const bool is_first = socket->state == SOCKET_NEW;

	if (status)
		return status;
	if (is_first)
		status = connection_start(socket, &to);
	else if (socket->state == SOCKET_LISTENS || socket->state == SOCKET_CONNECTED)
		return -EISCONN;
	while (!status && socket->state == SOCKET_CONNECTS) {
		status = socket_block(file, true, 0);
		if (status == -EAGAIN)
			return is_first ? -EINPROGRESS : -EALREADY;
	}
	if (!status && socket->state == SOCKET_FAILED) {
		status = socket_fail(socket);
		return status ? status : -ECONNABORTED;
	}
	return status;
}

long call_connect(word descriptor, word address, word size)
{
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	if (file->socket->lost)
		status = -ENETDOWN;
	else
		status = file->socket->stream ? stream_connect(file, address, size)
					      : datagram_connect(file->socket, address, size);
	file_put(file);
	return status;
}

static long socket_shutdown(struct socket *socket, int how)
{
	const bool read = how != 1, write = how != 0;
	long status = 0;

	if (how < 0 || how > 2)
		return -EINVAL;
	if (!socket->stream || socket->state != SOCKET_CONNECTED || socket->lost)
		return -ENOTCONN;
	if (write && !socket->shut_write)
		status = net_shutdown(socket->number);
	if (status == LIMPET_ECRASH)
		return -ENOTCONN;
	posix_lock();
	socket->shut_read |= read;
	socket->shut_write |= write;
	file_changed(socket, POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
	posix_unlock();
	return 0;
}

long call_shutdown(word descriptor, word how)
{
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = socket_shutdown(file->socket, (int)how);
	file_put(file);
	return status;
}
