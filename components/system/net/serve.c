// SPDX-License-Identifier: BSD-2-Clause
/* The interface: each call goes to the socket's type, stream.c or datagram.c. */
#include <export/socket.h>

#include "net.h"

static long socket_create(word badge, word type)
{
	struct client *c = client_find(badge);
	long number, status;
	struct socket *s;

	if (!c)
		return LIMPET_ESTATE;
	number = client_number(c);
	if (number < 0)
		return LIMPET_EQUOTA;
	s = socket_new(c, type == 1 ? KIND_STREAM : KIND_DATAGRAMS);
	if (!s)
		return LIMPET_EQUOTA;
	status = type == 1 ? stream_begin(s) : datagram_begin(s);
	if (status) {
		socket_free(s);
		return LIMPET_EQUOTA;
	}
	c->socket[number] = s;
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
	struct socket *s;

	core_enter();
	s = socket_at(client_find(badge), number);
	if (s)
		socket_drop(s, false);
	return core_leave(s ? LIMPET_OK : LIMPET_ENOENT);
}

static long socket_bind(struct socket *s, const ip_addr_t *address, word port)
{
	if (!s)
		return LIMPET_ENOENT;
	if (s->kind == KIND_LISTENER || s->connecting || s->connected)
		return LIMPET_ESTATE;
	if (s->kind == KIND_DATAGRAMS)
		return status_of(udp_bind(s->udp, address, (u16_t)port));
	return s->tcp ? status_of(tcp_bind(s->tcp, address, (u16_t)port)) : LIMPET_ESTATE;
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
	struct socket *s;
	long status;

	if (port > 0xffff)
		return LIMPET_ERANGE;
	core_enter();
	address_take(high, low, &to);
	s = socket_at(client_find(badge), number);
	if (!s)
		status = LIMPET_ENOENT;
	else if (s->kind == KIND_DATAGRAMS)
		status = datagram_connect(s, &to, (uint16_t)port);
	else
		status = stream_connect(s, &to, (uint16_t)port, deadline);
	return core_leave(status);
}

static long socket_send(struct client *c, word number, word offset, word length, word deadline)
{
	struct socket *s = socket_at(c, number);
	void *data = c ? client_memory(c, offset, length) : NULL;

	if (!s)
		return LIMPET_ENOENT;
	if (!data)
		return LIMPET_ERANGE;
	if (s->kind == KIND_DATAGRAMS)
		return datagram_send(s, data, (uint32_t)length, NULL, 0);
	return length ? stream_send(s, data, (uint32_t)length, deadline) : LIMPET_ERANGE;
}

long socket_serve_send(word badge, word number, word offset, word length, word deadline)
{
	core_enter();
	return core_leave(socket_send(client_find(badge), number, offset, length, deadline));
}

static long socket_send_to(struct client *c, word number, word offset, word length,
			   const ip_addr_t *to, word port)
{
	struct socket *s = socket_at(c, number);
	void *data = c ? client_memory(c, offset, length) : NULL;

	if (!s)
		return LIMPET_ENOENT;
	if (!data || !port || port > 0xffff)
		return LIMPET_ERANGE;
	if (s->kind != KIND_DATAGRAMS)
		return LIMPET_ESTATE;
	return datagram_send(s, data, (uint32_t)length, to, (uint16_t)port);
}

long socket_serve_send_to(word badge, word number, word offset, word length, word high, word low,
			  word port)
{
	ip_addr_t to;

	core_enter();
	address_take(high, low, &to);
	return core_leave(socket_send_to(client_find(badge), number, offset, length, &to, port));
}

static long socket_receive(struct client *c, word number, word offset, word length, word deadline,
			   struct socket_receive_results *out)
{
	struct socket *s = socket_at(c, number);
	void *to = c ? client_memory(c, offset, length) : NULL;
	ip_addr_t from = *IP_ANY_TYPE;
	uint16_t port = 0;
	long status;

	if (!s)
		return LIMPET_ENOENT;
	if (!to || !length)
		return LIMPET_ERANGE;
	if (s->kind == KIND_DATAGRAMS) {
		status = socket_wait(s, datagram_readable, deadline);
		if (!status)
			status = datagram_take(s, to, (uint32_t)length, &from, &port);
	} else {
		status = stream_receive(s, to, (uint32_t)length, deadline);
		if (status >= 0 && s->tcp) {
			from = s->tcp->remote_ip;
			port = s->tcp->remote_port;
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
	if (!backlog || backlog > BACKLOG_MOST)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(stream_listen(socket_at(client_find(badge), number), backlog));
}

static long socket_accept(struct socket *listener, word deadline, struct socket_accept_results *out)
{
	struct socket *s;
	long number = stream_accept(listener, deadline, &s);

	if (number < 0)
		return number;
	address_give(&s->tcp->remote_ip, &out->high, &out->low);
	out->port = s->tcp->remote_port;
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
