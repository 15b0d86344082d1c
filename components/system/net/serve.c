// SPDX-License-Identifier: BSD-2-Clause
/* Serves the other calls of the interface by the socket's type, in stream.c or datagram.c. */
#include <export/socket.h>

#include "net.h"

static long socket_create(word badge, word type)
{
	struct client *client = client_find(badge);
	long number, status;
	struct socket *socket;

	if (!client)
		return LIMPET_ESTATE;
	number = client_number(client);
	if (number < 0)
		return LIMPET_EQUOTA;
	socket = socket_new(client, type == 1 ? KIND_STREAM : KIND_DATAGRAMS);
	if (!socket)
		return LIMPET_EQUOTA;
	status = type == 1 ? stream_begin(socket) : datagram_begin(socket);
	if (status) {
		socket_free(socket);
		return LIMPET_EQUOTA;
	}
	client->socket[number] = socket;
	return number;
}

long socket_serve_create(word badge, word type)
{
	if (type != 1 && type != 2)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(socket_create(badge, type));
}

long socket_serve_close(word badge, word number)
{
	struct socket *socket;

	core_enter();
	socket = socket_at(client_find(badge), number);
	if (socket)
		socket_drop(socket, false);
	return core_leave(socket ? LIMPET_OK : LIMPET_ENOENT);
}

/* lwIP would add a bound pcb of TCP to its list again, and the list would have a loop. */
static bool may_bind(const struct socket *socket)
{
	if (socket->kind == KIND_DATAGRAMS)
		return !socket->udp->local_port;
	return socket->kind == KIND_STREAM && !socket->connecting && !socket->connected &&
	       socket->tcp && !socket->tcp->local_port;
}

static long socket_bind(struct socket *socket, const ip_addr_t *address, word port)
{
	if (!socket)
		return LIMPET_ENOENT;
	if (!may_bind(socket))
		return LIMPET_ESTATE;
	if (socket->kind == KIND_DATAGRAMS)
		return status_of(udp_bind(socket->udp, address, (u16_t)port));
	return status_of(tcp_bind(socket->tcp, address, (u16_t)port));
}

long socket_serve_bind(word badge, word number, word high, word low, word port)
{
	ip_addr_t address;

	if (port > 0xffff)
		return LIMPET_ERANGE;
	core_enter();
	address_take(high, low, &address);
	return core_leave(socket_bind(socket_at(client_find(badge), number), &address, port));
}

long socket_serve_connect(word badge, word number, word high, word low, word port, word deadline)
{
	ip_addr_t to;
	struct socket *socket;
	long status;

	if (port > 0xffff)
		return LIMPET_ERANGE;
	core_enter();
	address_take(high, low, &to);
	socket = socket_at(client_find(badge), number);
	if (!socket)
		status = LIMPET_ENOENT;
	else if (socket->kind == KIND_DATAGRAMS)
		status = datagram_connect(socket, &to, (uint16_t)port);
	else
		status = stream_connect(socket, &to, (uint16_t)port, deadline);
	return core_leave(status);
}

static long socket_send(struct client *client, word number, word offset, word length, word deadline)
{
	struct socket *socket = socket_at(client, number);
	void *data = client ? client_memory(client, offset, length) : NULL;

	if (!socket)
		return LIMPET_ENOENT;
	if (!data)
		return LIMPET_ERANGE;
	if (socket->kind == KIND_DATAGRAMS)
		return datagram_send(socket, data, (uint32_t)length, NULL, 0);
	return length ? stream_send(socket, data, (uint32_t)length, deadline) : LIMPET_ERANGE;
}

long socket_serve_send(word badge, word number, word offset, word length, word deadline)
{
	core_enter();
	return core_leave(socket_send(client_find(badge), number, offset, length, deadline));
}

static long socket_send_to(struct client *client, word number, word offset, word length,
			   const ip_addr_t *to, word port)
{
	struct socket *socket = socket_at(client, number);
	void *data = client ? client_memory(client, offset, length) : NULL;

	if (!socket)
		return LIMPET_ENOENT;
	if (!data || !port || port > 0xffff)
		return LIMPET_ERANGE;
	if (socket->kind != KIND_DATAGRAMS)
		return LIMPET_ESTATE;
	return datagram_send(socket, data, (uint32_t)length, to, (uint16_t)port);
}

long socket_serve_send_to(word badge, word number, word offset, word length, word high, word low,
			  word port)
{
	ip_addr_t to;

	core_enter();
	address_take(high, low, &to);
	return core_leave(socket_send_to(client_find(badge), number, offset, length, &to, port));
}

static long socket_receive(struct client *client, word number, word offset, word length,
			   word deadline, struct socket_receive_results *out)
{
	struct socket *socket = socket_at(client, number);
	void *to = client ? client_memory(client, offset, length) : NULL;
	ip_addr_t from = *IP_ANY_TYPE;
	uint16_t port = 0;
	long status;

	if (!socket)
		return LIMPET_ENOENT;
	if (!to || !length)
		return LIMPET_ERANGE;
	if (socket->kind == KIND_DATAGRAMS) {
		status = socket_wait(socket, datagram_readable, deadline);
		if (!status)
			status = datagram_take(socket, to, (uint32_t)length, &from, &port);
	} else {
		status = stream_receive(socket, to, (uint32_t)length, deadline);
		if (status >= 0 && socket->tcp) {
			from = socket->tcp->remote_ip;
			port = socket->tcp->remote_port;
		}
	}
	address_give(&from, &out->high, &out->low);
	out->port = port;
	return status;
}

long socket_serve_receive(word badge, word number, word offset, word length, word deadline,
			  struct socket_receive_results *out)
{
	core_enter();
	return core_leave(
		socket_receive(client_find(badge), number, offset, length, deadline, out));
}

long socket_serve_listen(word badge, word number, word backlog)
{
	if (!backlog || backlog > BACKLOG_MAX)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(stream_listen(socket_at(client_find(badge), number), backlog));
}

static long socket_accept(struct socket *listener, word deadline, struct socket_accept_results *out)
{
	struct socket *socket;
	long number = stream_accept(listener, deadline, &socket);

	if (number < 0)
		return number;
	address_give(&socket->tcp->remote_ip, &out->high, &out->low);
	out->port = socket->tcp->remote_port;
	return number;
}

long socket_serve_accept(word badge, word number, word deadline, struct socket_accept_results *out)
{
	core_enter();
	return core_leave(socket_accept(socket_at(client_find(badge), number), deadline, out));
}

long socket_serve_shutdown(word badge, word number)
{
	core_enter();
	return core_leave(stream_shutdown(socket_at(client_find(badge), number)));
}
