// SPDX-License-Identifier: BSD-2-Clause
/* TCP sockets. lwIP calls the callbacks with the lock taken. A pcb that lwIP has freed is never used again. */
#include <sync/core.h>

#include "net.h"

/* --- connections that wait to be accepted */

static void queue_put(struct socket *listener, struct socket *socket)
{
	struct socket **at = &listener->next;

	while (*at)
		at = &(*at)->next;
	*at = socket;
	socket->next = NULL;
	socket->listener = listener;
}

static void queue_take(struct socket *socket)
{
	struct socket **at = &socket->listener->next;

	while (*at != socket)
		at = &(*at)->next;
	*at = socket->next;
	socket->next = socket->listener = NULL;
}

/* lwIP frees a cleanly closed connection without calling on_error(): when TIME_WAIT ends, or when memory runs low. */
static void on_freed(u8_t id, void *of)
{
	struct socket *socket = of;

	(void)id;
	if (!socket)
		return;
	socket->tcp = NULL;
	socket->ended = true;
	socket_wake(socket);
}

static const struct tcp_ext_arg_callbacks freed = { .destroy = on_freed };

static void pcb_detach(struct tcp_pcb *pcb)
{
	tcp_ext_arg_set(pcb, 0, NULL);
	tcp_arg(pcb, NULL);
	tcp_recv(pcb, NULL);
	tcp_sent(pcb, NULL);
	tcp_err(pcb, NULL);
}

/*
 * Detaches a pcb from its socket, and gives it the lowest priority. Its remaining work can take hours, so lwIP frees it
 * first when memory runs low.
 */
static void pcb_release(struct tcp_pcb *pcb)
{
	pcb_detach(pcb);
	tcp_setprio(pcb, TCP_PRIO_MIN);
}

/* --- callbacks of lwIP */

static err_t on_received(void *of, struct tcp_pcb *pcb, struct pbuf *p, err_t error)
{
	struct socket *socket = of;

	(void)error;
	if (p)
		return socket_arrived(socket, p, &pcb->remote_ip, pcb->remote_port) ? ERR_OK
										    : ERR_MEM;
	socket->ended = true;
	socket_wake(socket);
	return ERR_OK;
}

static err_t on_sent(void *of, struct tcp_pcb *pcb, u16_t length)
{
	(void)pcb, (void)length;
	socket_wake(of);
	return ERR_OK;
}

/* lwIP has freed the pcb. ERR_CLSD means that both sides had closed it, which is not a failure. */
static void on_error(void *of, err_t error)
{
	struct socket *socket = of;

	socket->tcp = NULL;
	socket->connecting = false;
	socket->ended = true;
	socket->refused = error != ERR_CLSD;
	socket_wake(socket);
	if (socket->listener) {
		queue_take(socket);
		socket_free(socket);
	}
}

static err_t on_connected(void *of, struct tcp_pcb *pcb, err_t error)
{
	struct socket *socket = of;

	(void)pcb, (void)error;
	socket->connecting = false;
	socket->connected = true;
	socket_wake(socket);
	return ERR_OK;
}

/* Registers the callbacks of a socket's connection. */
static void pcb_attach(struct socket *socket, struct tcp_pcb *pcb)
{
	socket->tcp = pcb;
	tcp_ext_arg_set_callbacks(pcb, 0, &freed);
	tcp_ext_arg_set(pcb, 0, socket);
	tcp_arg(pcb, socket);
	tcp_recv(pcb, on_received);
	tcp_sent(pcb, on_sent);
	tcp_err(pcb, on_error);
}

/* Queues a new connection at its listener. If this returns an error, lwIP resets the connection. */
static err_t on_accept(void *of, struct tcp_pcb *pcb, err_t error)
{
	struct socket *listener = of, *socket;

	if (error != ERR_OK || !pcb)
		return ERR_VAL;
	socket = socket_new(listener->client, KIND_STREAM);
	if (!socket)
		return ERR_MEM;
	pcb_attach(socket, pcb);
	socket->connected = true;
	tcp_backlog_delayed(pcb);
	queue_put(listener, socket);
	socket_wake(listener);
	return ERR_OK;
}

/* --- start and end */

long stream_begin(struct socket *socket)
{
	struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);

	if (!pcb)
		return LIMPET_ENOMEM;
	ip_set_option(pcb, SOF_REUSEADDR); /* closed connections do not keep their port */
	pcb_attach(socket, pcb);
	return LIMPET_OK;
}

static void connection_drop(struct socket *socket, bool abort)
{
	struct tcp_pcb *pcb = socket->tcp;

	if (socket->listener)
		queue_take(socket);
	if (pcb) {
		pcb_release(pcb);
		if (abort || tcp_close(pcb) != ERR_OK)
			tcp_abort(pcb);
	}
	socket_free(socket);
}

void stream_drop(struct socket *socket, bool abort)
{
	if (socket->kind != KIND_LISTENER) {
		connection_drop(socket, abort);
		return;
	}
	while (socket->next)
		connection_drop(socket->next, true);
	tcp_close(socket->tcp);
	socket_free(socket);
}

/* --- listen, accept */

long stream_listen(struct socket *socket, word backlog)
{
	struct tcp_pcb *pcb;
	err_t error;

	if (!socket)
		return LIMPET_ENOENT;
	if (socket->kind != KIND_STREAM || !socket->tcp || socket->connecting ||
	    socket->connected || !socket->tcp->local_port)
		return LIMPET_ESTATE;
	pcb = tcp_listen_with_backlog_and_err(socket->tcp, (u8_t)backlog, &error);
	if (!pcb)
		return status_of(error);
	socket->kind = KIND_LISTENER;
	socket->tcp = pcb;
	tcp_arg(pcb, socket);
	tcp_accept(pcb, on_accept);
	return LIMPET_OK;
}

bool listener_ready(const struct socket *socket)
{
	return socket->next;
}

long stream_accept(struct socket *listener, uint64_t deadline, struct socket **accepted)
{
	long status, given;

	if (!listener)
		return LIMPET_ENOENT;
	if (listener->kind != KIND_LISTENER)
		return LIMPET_ESTATE;
	status = socket_wait(listener, listener_ready, deadline);
	if (status)
		return status;
	given = client_number(listener->client);
	if (given < 0)
		return LIMPET_EQUOTA;
	*accepted = listener->next;
	queue_take(*accepted);
	tcp_backlog_accepted((*accepted)->tcp);
	listener->client->socket[given] = *accepted;
	return given;
}

/* --- connect */

static bool connect_done(const struct socket *socket)
{
	return !socket->connecting;
}

/* Returns the result of this or an earlier connect call. */
static long connect_status(const struct socket *socket, const ip_addr_t *to, uint16_t port)
{
	if (socket->refused)
		return socket->connected ? LIMPET_ESTATE : LIMPET_EPEER;
	if (!socket->tcp || socket->tcp->remote_port != port ||
	    !ip_addr_cmp(&socket->tcp->remote_ip, to))
		return LIMPET_ESTATE;
	return LIMPET_OK;
}

long stream_connect(struct socket *socket, const ip_addr_t *to, uint16_t port, uint64_t deadline)
{
	long status;

	if (socket->kind == KIND_LISTENER)
		return LIMPET_ESTATE;
	if (socket->connected || socket->refused)
		return connect_status(socket, to, port);
	if (!port || ip_addr_isany(to))
		return LIMPET_ERANGE;
	if (!socket->connecting) {
		status = status_of(tcp_connect(socket->tcp, to, port, on_connected));
		if (status)
			return status;
		socket->connecting = true;
	}
	status = socket_wait(socket, connect_done, deadline);
	return status ? status : connect_status(socket, to, port);
}

/* --- data */

static bool has_space(const struct tcp_pcb *pcb)
{
	return tcp_sndbuf(pcb) && tcp_sndqueuelen(pcb) < TCP_SND_QUEUELEN;
}

bool stream_writable(const struct socket *socket)
{
	return !socket->connecting &&
	       (!socket->connected || socket->refused || !socket->tcp || has_space(socket->tcp));
}

bool stream_readable(const struct socket *socket)
{
	return socket->first || socket->ended || socket->refused ||
	       (!socket->connecting && !socket->connected);
}

/*
 * Queues as many bytes as there is memory for, and returns their number. Without memory it waits until the connection's
 * own data in flight are acknowledged, then returns LIMPET_EAGAIN. LIMPET_ENOMEM: the connection has none in flight.
 */
static long stream_write(struct socket *socket, const void *data, uint32_t length,
			 uint64_t deadline)
{
	uint32_t part = tcp_sndbuf(socket->tcp);
	err_t error;
	long status;

	part = length < part ? length : part;
	error = tcp_write(socket->tcp, data, (u16_t)part, TCP_WRITE_FLAG_COPY);
	if (error == ERR_MEM && part > TCP_MSS) {
		part = TCP_MSS;
		error = tcp_write(socket->tcp, data, (u16_t)part, TCP_WRITE_FLAG_COPY);
	}
	tcp_output(socket->tcp);
	if (error != ERR_MEM)
		return error == ERR_OK ? (long)part : status_of(error);
	if (!tcp_sndqueuelen(socket->tcp))
		return LIMPET_ENOMEM;
	status = core_wait(&socket->event, deadline);
	return status ? status : LIMPET_EAGAIN;
}

long stream_send(struct socket *socket, const void *data, uint32_t length, uint64_t deadline)
{
	long status;

	if (socket->kind == KIND_LISTENER || !socket->connected || socket->shut)
		return socket->refused ? LIMPET_EPEER : LIMPET_ESTATE;
	status = socket_wait(socket, stream_writable, deadline);
	if (status)
		return status;
	if (!socket->tcp)
		return socket->refused ? LIMPET_EPEER : LIMPET_ESTATE;
	return stream_write(socket, data, length, deadline);
}

/* Copies received data until `size` bytes are copied or all data are read. Returns the number of bytes. */
static uint32_t arrivals_read(struct socket *socket, char *to, uint32_t size)
{
	uint32_t done = 0;

	while (socket->first && done < size) {
		struct pbuf *p = socket->first->data;
		uint32_t part = p->tot_len - socket->taken;

		part = size - done < part ? size - done : part;
		pbuf_copy_partial(p, to + done, (u16_t)part, (u16_t)socket->taken);
		socket->taken += part;
		done += part;
		if (socket->taken == p->tot_len)
			socket_taken(socket);
	}
	return done;
}

long stream_receive(struct socket *socket, void *to, uint32_t size, uint64_t deadline)
{
	uint32_t done;
	long status;

	if (socket->kind == KIND_LISTENER || (!socket->connected && !socket->refused))
		return LIMPET_ESTATE;
	status = socket_wait(socket, stream_readable, deadline);
	if (status)
		return status;
	done = arrivals_read(socket, to, size < 0xffff ? size : 0xffff);
	if (done && socket->tcp)
		tcp_recved(socket->tcp, (u16_t)done);
	if (!done && socket->refused)
		return LIMPET_EPEER;
	return done;
}

long stream_shutdown(struct socket *socket)
{
	long status;

	if (!socket)
		return LIMPET_ENOENT;
	if (socket->kind != KIND_STREAM || !socket->connected)
		return LIMPET_ESTATE;
	if (socket->shut)
		return LIMPET_OK;
	if (!socket->tcp)
		return LIMPET_ESTATE;
	status = status_of(tcp_shutdown(socket->tcp, 0, 1));
	socket->shut = !status;
	return status;
}
