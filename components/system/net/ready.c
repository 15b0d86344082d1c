// SPDX-License-Identifier: BSD-2-Clause
/* Waiting for any of several sockets. */
#include <sync/core.h>

#include <export/socket.h>

#include "net.h"

static bool readable(const struct socket *s)
{
	switch (s->kind) {
	case KIND_DATAGRAMS:
		return datagram_readable(s);
	case KIND_LISTENER:
		return listener_ready(s);
	default:
		return stream_readable(s);
	}
}

/* A datagram can always be sent; who listens has nothing to send. */
static bool writable(const struct socket *s)
{
	return s->kind == KIND_DATAGRAMS || (s->kind == KIND_STREAM && stream_writable(s));
}

/* Which of some sockets pass a test. */
static word among(struct client *c, word sockets, socket_test *test)
{
	word found = 0;

	for (; sockets; sockets &= sockets - 1) {
		unsigned int i = (unsigned int)__builtin_ctzl(sockets);

		if (c->socket[i] && test(c->socket[i]))
			found |= 1ul << i;
	}
	return found;
}

static bool all_there(const struct client *c, word sockets)
{
	for (; sockets; sockets &= sockets - 1)
		if (!c->socket[__builtin_ctzl(sockets)])
			return false;
	return true;
}

/* The calling thread waits for them, or does not any more. */
static void attend(struct client *c, word sockets, bool begin)
{
	for (; sockets; sockets &= sockets - 1) {
		struct socket *s = c->socket[__builtin_ctzl(sockets)];

		if (s && begin)
			s->waiters |= sync_self();
		else if (s)
			s->waiters &= ~sync_self();
	}
}

static long found(struct client *c, word receive, word send, struct socket_wait_results *out)
{
	out->filled = among(c, receive, readable);
	out->room = among(c, send, writable);
	return bits_count(out->filled) + bits_count(out->room);
}

static long wait(struct client *c, word receive, word send, word deadline,
		 struct socket_wait_results *out)
{
	long status, count;

	if (!c || !all_there(c, receive | send))
		return LIMPET_ENOENT;
	count = found(c, receive, send, out);
	if (count)
		return count;
	attend(c, receive | send, true);
	status = core_wait(deadline);
	attend(c, receive | send, false);
	if (!all_there(c, receive | send))
		return LIMPET_ENOENT;
	count = found(c, receive, send, out);
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
	return core_leave(wait(client_find(badge), receive, send, deadline, out));
}
