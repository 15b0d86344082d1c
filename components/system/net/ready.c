// SPDX-License-Identifier: BSD-2-Clause
/* States of sockets, and waits for any of several sockets. */
#include <export/socket.h>

#include "net.h"

static bool readable(const struct socket *socket)
{
	switch (socket->kind) {
	case KIND_DATAGRAMS:
		return datagram_readable(socket);
	case KIND_LISTENER:
		return listener_ready(socket);
	default:
		return stream_readable(socket);
	}
}

/* A datagram can always be sent. A listener never sends. */
static bool writable(const struct socket *socket)
{
	return socket->kind == KIND_DATAGRAMS ||
	       (socket->kind == KIND_STREAM && stream_writable(socket));
}

/* Returns the sockets of a set that pass a test. */
static word among(struct client *client, word sockets, socket_test *test)
{
	word found = 0;

	for (; sockets; sockets &= sockets - 1) {
		unsigned int i = (unsigned int)__builtin_ctzl(sockets);

		if (client->socket[i] && test(client->socket[i]))
			found |= 1ul << i;
	}
	return found;
}

static bool all_there(const struct client *client, word sockets)
{
	for (; sockets; sockets &= sockets - 1)
		if (!client->socket[__builtin_ctzl(sockets)])
			return false;
	return true;
}

static long found(struct client *client, word receive, word send, struct socket_wait_results *out)
{
	out->filled = among(client, receive, readable);
	out->room = among(client, send, writable);
	return bits_count(out->filled) + bits_count(out->room);
}

static long ready_wait(struct client *client, word receive, word send, word deadline,
		       struct socket_wait_results *out)
{
	long status, count;

	if (!client || !all_there(client, receive | send))
		return LIMPET_ENOENT;
	count = found(client, receive, send, out);
	if (count)
		return count;
	status = core_wait(&client->event, deadline);
	if (!all_there(client, receive | send))
		return LIMPET_ENOENT;
	count = found(client, receive, send, out);
	if (count)
		return count;
	return status ? status : LIMPET_EAGAIN;
}

long socket_serve_wait(word badge, word receive, word send, word deadline,
		       struct socket_wait_results *out)
{
	if (!receive && !send)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(ready_wait(client_find(badge), receive, send, deadline, out));
}

static bool has_failed(const struct socket *socket)
{
	return socket->kind == KIND_STREAM && socket->refused;
}

static bool has_ended(const struct socket *socket)
{
	return socket->kind == KIND_STREAM && (socket->ended || socket->refused);
}

/* Failed sockets are not watched, because they stay as they are. */
static long states_look(struct client *client, struct socket_look_results *out)
{
	word working;

	if (!client)
		return LIMPET_ESTATE;
	working = ~among(client, ~0ul, has_failed);
	out->receive = among(client, working, readable);
	out->send = among(client, working, writable);
	out->ended = among(client, ~0ul, has_ended);
	client->watched_receive = working & ~out->receive;
	client->watched_send = working & ~out->send;
	return LIMPET_OK;
}

long socket_serve_look(word badge, struct socket_look_results *out)
{
	core_enter();
	return core_leave(states_look(client_find(badge), out));
}

static bool watched_ready(struct client *client)
{
	return among(client, client->watched_receive, readable) ||
	       among(client, client->watched_send, writable);
}

static long watched_wait(struct client *client, word deadline)
{
	long status;

	if (!client)
		return LIMPET_ESTATE;
	if (watched_ready(client))
		return LIMPET_OK;
	status = core_wait(&client->event, deadline);
	if (watched_ready(client))
		return LIMPET_OK;
	return status ? status : LIMPET_EAGAIN;
}

long socket_serve_next(word badge, word deadline)
{
	core_enter();
	return core_leave(watched_wait(client_find(badge), deadline));
}
