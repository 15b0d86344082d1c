// SPDX-License-Identifier: BSD-2-Clause
/* TCP. What lwIP tells comes as callbacks, with the lock taken; a pcb that it has given up is never used again. */
#include <sync/core.h>

#include <export/socket.h>

#include "net.h"

/* --- connections that wait for accept */

static void queue_put(struct socket *listener, struct socket *s)
{
	struct socket **at = &listener->next;

	while (*at)
		at = &(*at)->next;
	*at = s;
	s->next = NULL;
	s->listener = listener;
}

static void queue_take(struct socket *s)
{
	struct socket **at = &s->listener->next;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->next = s->listener = NULL;
}

/* lwIP forgets one that both sides have ended without an error: when its time is over, or its memory is wanted. */
static void on_freed(u8_t id, void *of)
{
	struct socket *s = of;

	(void)id;
	if (!s)
		return;
	s->tcp = NULL;
	s->ended = true;
	core_wake(s->waiters);
}

static const struct tcp_ext_arg_callbacks freed = { .destroy = on_freed };

static void detach(struct tcp_pcb *pcb)
{
	tcp_ext_arg_set(pcb, 0, NULL);
	tcp_arg(pcb, NULL);
	tcp_recv(pcb, NULL);
	tcp_sent(pcb, NULL);
	tcp_err(pcb, NULL);
}

/* Nobody has it any more, and what it still does may take hours: it goes first when memory is wanted. */
static void forsake(struct tcp_pcb *pcb)
{
	detach(pcb);
	tcp_setprio(pcb, TCP_PRIO_MIN);
}

/* --- what lwIP tells */

static err_t on_received(void *of, struct tcp_pcb *pcb, struct pbuf *p, err_t error)
{
	struct socket *s = of;

	(void)error;
	if (p)
		return socket_arrived(s, p, &pcb->remote_ip, pcb->remote_port) ? ERR_OK : ERR_MEM;
	s->ended = true;
	core_wake(s->waiters);
	return ERR_OK;
}

static err_t on_sent(void *of, struct tcp_pcb *pcb, u16_t length)
{
	(void)pcb, (void)length;
	core_wake(((struct socket *)of)->waiters);
	return ERR_OK;
}

/* The pcb is gone. One that both sides have ended is no failure. */
static void on_error(void *of, err_t error)
{
	struct socket *s = of;

	s->tcp = NULL;
	s->connecting = false;
	s->ended = true;
	s->refused = error != ERR_CLSD;
	core_wake(s->waiters);
	if (s->listener) {
		queue_take(s);
		socket_free(s);
	}
}

static err_t on_connected(void *of, struct tcp_pcb *pcb, err_t error)
{
	struct socket *s = of;

	(void)pcb, (void)error;
	s->connecting = false;
	s->connected = true;
	core_wake(s->waiters);
	return ERR_OK;
}

/* From now on the socket hears of its connection. */
static void attach(struct socket *s, struct tcp_pcb *pcb)
{
	s->tcp = pcb;
	tcp_ext_arg_set_callbacks(pcb, 0, &freed);
	tcp_ext_arg_set(pcb, 0, s);
	tcp_arg(pcb, s);
	tcp_recv(pcb, on_received);
	tcp_sent(pcb, on_sent);
	tcp_err(pcb, on_error);
}

/* lwIP resets a connection for which there is no socket. */
static err_t on_accept(void *of, struct tcp_pcb *pcb, err_t error)
{
	struct socket *listener = of, *s;

	if (error != ERR_OK || !pcb)
		return ERR_VAL;
	s = socket_new(listener->client, KIND_STREAM);
	if (!s)
		return ERR_MEM;
	attach(s, pcb);
	s->connected = true;
	tcp_backlog_delayed(pcb);
	queue_put(listener, s);
	core_wake(listener->waiters);
	return ERR_OK;
}

/* --- beginning and end */

long stream_begin(struct socket *s)
{
	struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);

	if (!pcb)
		return LIMPET_ENOMEM;
	ip_set_option(pcb, SOF_REUSEADDR); /* connections that are over do not keep their port */
	attach(s, pcb);
	return LIMPET_OK;
}

static void connection_drop(struct socket *s, bool abort)
{
	struct tcp_pcb *pcb = s->tcp;

	if (s->listener)
		queue_take(s);
	if (pcb) {
		forsake(pcb);
		if (abort || tcp_close(pcb) != ERR_OK)
			tcp_abort(pcb);
	}
	socket_free(s);
}

void stream_drop(struct socket *s, bool abort)
{
	if (s->kind != KIND_LISTENER) {
		connection_drop(s, abort);
		return;
	}
	while (s->next)
		connection_drop(s->next, true);
	tcp_close(s->tcp);
	socket_free(s);
}

/* --- listen, accept */

static long listen(struct socket *s, word backlog)
{
	struct tcp_pcb *pcb;
	err_t error;

	if (!s)
		return LIMPET_ENOENT;
	if (s->kind != KIND_STREAM || !s->tcp || s->connecting || s->connected ||
	    !s->tcp->local_port)
		return LIMPET_ESTATE;
	pcb = tcp_listen_with_backlog_and_err(s->tcp, (u8_t)backlog, &error);
	if (!pcb)
		return status_of(error);
	s->kind = KIND_LISTENER;
	s->tcp = pcb;
	tcp_arg(pcb, s);
	tcp_accept(pcb, on_accept);
	return LIMPET_OK;
}

long socket_serve_listen(word badge, word number, word backlog)
{
	if (!backlog || backlog > BACKLOG_MOST)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(listen(socket_at(client_find(badge), number), backlog));
}

bool listener_ready(const struct socket *s)
{
	return s->next;
}

static long accept(struct client *c, word number, word deadline, struct socket_accept_results *out)
{
	struct socket *listener = socket_at(c, number), *s;
	long status, given;

	if (!listener)
		return LIMPET_ENOENT;
	if (listener->kind != KIND_LISTENER)
		return LIMPET_ESTATE;
	status = socket_wait(listener, listener_ready, deadline);
	if (status)
		return status;
	given = client_number(c);
	if (given < 0)
		return LIMPET_EQUOTA;
	s = listener->next;
	queue_take(s);
	tcp_backlog_accepted(s->tcp);
	c->socket[given] = s;
	address_give(&s->tcp->remote_ip, &out->high, &out->low);
	out->port = s->tcp->remote_port;
	return given;
}

long socket_serve_accept(word badge, word number, word deadline, struct socket_accept_results *out)
{
	core_enter();
	return core_leave(accept(client_find(badge), number, deadline, out));
}

/* --- connect */

static bool connect_done(const struct socket *s)
{
	return !s->connecting;
}

/* What an earlier call, or this one, has come to. */
static long connect_status(const struct socket *s, const ip_addr_t *to, uint16_t port)
{
	if (s->refused)
		return s->connected ? LIMPET_ESTATE : LIMPET_EPEER;
	if (!s->tcp || s->tcp->remote_port != port || !ip_addr_cmp(&s->tcp->remote_ip, to))
		return LIMPET_ESTATE;
	return LIMPET_OK;
}

long stream_connect(struct socket *s, const ip_addr_t *to, uint16_t port, uint64_t deadline)
{
	long status;

	if (s->kind == KIND_LISTENER)
		return LIMPET_ESTATE;
	if (s->connected || s->refused)
		return connect_status(s, to, port);
	if (!port || ip_addr_isany(to))
		return LIMPET_ERANGE;
	if (!s->connecting) {
		status = status_of(tcp_connect(s->tcp, to, port, on_connected));
		if (status)
			return status;
		s->connecting = true;
	}
	status = socket_wait(s, connect_done, deadline);
	return status ? status : connect_status(s, to, port);
}

/* --- data */

static bool room(const struct tcp_pcb *pcb)
{
	return tcp_sndbuf(pcb) && tcp_sndqueuelen(pcb) < TCP_SND_QUEUELEN;
}

bool stream_writable(const struct socket *s)
{
	return !s->connecting && (!s->connected || s->refused || !s->tcp || room(s->tcp));
}

bool stream_readable(const struct socket *s)
{
	return s->first || s->ended || s->refused || (!s->connecting && !s->connected);
}

/*
 * As much as there is memory for. None: what is under way will leave some, if it is the connection's own.
 */
static long write(struct socket *s, const void *data, uint32_t length, uint64_t deadline)
{
	uint32_t part = tcp_sndbuf(s->tcp);
	uint32_t life = s->life;
	err_t error;
	long status;

	part = length < part ? length : part;
	error = tcp_write(s->tcp, data, (u16_t)part, TCP_WRITE_FLAG_COPY);
	if (error == ERR_MEM && part > TCP_MSS) {
		part = TCP_MSS;
		error = tcp_write(s->tcp, data, (u16_t)part, TCP_WRITE_FLAG_COPY);
	}
	tcp_output(s->tcp);
	if (error != ERR_MEM)
		return error == ERR_OK ? (long)part : status_of(error);
	if (!tcp_sndqueuelen(s->tcp))
		return LIMPET_ENOMEM;
	s->waiters |= sync_self();
	status = core_wait(deadline);
	if (s->life == life)
		s->waiters &= ~sync_self();
	return status ? status : LIMPET_EAGAIN;
}

long stream_send(struct socket *s, const void *data, uint32_t length, uint64_t deadline)
{
	long status;

	if (s->kind == KIND_LISTENER || !s->connected || s->shut)
		return s->refused ? LIMPET_EPEER : LIMPET_ESTATE;
	status = socket_wait(s, stream_writable, deadline);
	if (status)
		return status;
	if (!s->tcp)
		return s->refused ? LIMPET_EPEER : LIMPET_ESTATE;
	return write(s, data, length, deadline);
}

/* Copies out of as many arrivals as it takes. */
static uint32_t read(struct socket *s, char *to, uint32_t size)
{
	uint32_t done = 0;

	while (s->first && done < size) {
		struct pbuf *p = s->first->data;
		uint32_t part = p->tot_len - s->taken;

		part = size - done < part ? size - done : part;
		pbuf_copy_partial(p, to + done, (u16_t)part, (u16_t)s->taken);
		s->taken += part;
		done += part;
		if (s->taken == p->tot_len)
			socket_taken(s);
	}
	return done;
}

long stream_receive(struct socket *s, void *to, uint32_t size, uint64_t deadline)
{
	uint32_t done;
	long status;

	if (s->kind == KIND_LISTENER || (!s->connected && !s->refused))
		return LIMPET_ESTATE;
	status = socket_wait(s, stream_readable, deadline);
	if (status)
		return status;
	done = read(s, to, size < 0xffff ? size : 0xffff);
	if (done && s->tcp)
		tcp_recved(s->tcp, (u16_t)done);
	if (!done && s->refused)
		return LIMPET_EPEER;
	return done;
}

static long shutdown(struct socket *s)
{
	long status;

	if (!s)
		return LIMPET_ENOENT;
	if (s->kind != KIND_STREAM || !s->connected)
		return LIMPET_ESTATE;
	if (s->shut)
		return LIMPET_OK;
	if (!s->tcp)
		return LIMPET_ESTATE;
	status = status_of(tcp_shutdown(s->tcp, 0, 1));
	s->shut = !status;
	return status;
}

long socket_serve_shutdown(word badge, word number)
{
	core_enter();
	return core_leave(shutdown(socket_at(client_find(badge), number)));
}
