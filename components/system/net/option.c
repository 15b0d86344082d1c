// SPDX-License-Identifier: BSD-2-Clause
/* Serves the calls for options and addresses of sockets. */
#include <export/socket.h>

#include "net.h"

#define OPTION_NODELAY 1
#define OPTION_KEEPALIVE 2
#define OPTION_HOPS 3
#define OPTION_BROADCAST 4

static long flag_set(u8_t *flags, u8_t flag, word value)
{
	if (value > 1)
		return LIMPET_ERANGE;
	*flags = value ? *flags | flag : *flags & (u8_t)~flag;
	return LIMPET_OK;
}

static long option_hops(u8_t *hops, word value)
{
	if (!value || value > 255)
		return LIMPET_ERANGE;
	*hops = (u8_t)value;
	return LIMPET_OK;
}

static long datagram_option(struct udp_pcb *pcb, word option, word value)
{
	if (option == OPTION_HOPS)
		return option_hops(&pcb->ttl, value);
	if (option == OPTION_BROADCAST)
		return flag_set(&pcb->so_options, SOF_BROADCAST, value);
	return LIMPET_ESTATE;
}

static long stream_option(struct tcp_pcb *pcb, word option, word value)
{
	if (option == OPTION_HOPS)
		return option_hops(&pcb->ttl, value);
	if (option == OPTION_KEEPALIVE)
		return flag_set(&pcb->so_options, SOF_KEEPALIVE, value);
	if (option == OPTION_BROADCAST)
		return LIMPET_ESTATE;
	if (value > 1)
		return LIMPET_ERANGE;
	if (value)
		tcp_nagle_disable(pcb);
	else
		tcp_nagle_enable(pcb);
	return LIMPET_OK;
}

static long option_set(struct socket *socket, word option, word value)
{
	if (!socket)
		return LIMPET_ENOENT;
	if (socket->kind == KIND_DATAGRAMS)
		return datagram_option(socket->udp, option, value);
	if (socket->kind == KIND_LISTENER || !socket->tcp)
		return LIMPET_ESTATE;
	return stream_option(socket->tcp, option, value);
}

long socket_serve_option(word badge, word number, word option, word value)
{
	if (option < OPTION_NODELAY || option > OPTION_BROADCAST)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(option_set(socket_at(client_find(badge), number), option, value));
}

/* Returns the address of one side of a socket. LIMPET_ESTATE: not connected, or the connection is over. */
static long name_give(struct socket *socket, word side, struct socket_name_results *out)
{
	bool datagrams;

	if (!socket)
		return LIMPET_ENOENT;
	datagrams = socket->kind == KIND_DATAGRAMS;
	if (!datagrams && !socket->tcp)
		return LIMPET_ESTATE;
	if (side && !(datagrams ? socket->udp->flags & UDP_FLAGS_CONNECTED : socket->connected))
		return LIMPET_ESTATE;
	if (datagrams) {
		address_give(side ? &socket->udp->remote_ip : &socket->udp->local_ip, &out->high,
			     &out->low);
		out->port = side ? socket->udp->remote_port : socket->udp->local_port;
	} else {
		address_give(side ? &socket->tcp->remote_ip : &socket->tcp->local_ip, &out->high,
			     &out->low);
		out->port = side ? socket->tcp->remote_port : socket->tcp->local_port;
	}
	return LIMPET_OK;
}

long socket_serve_name(word badge, word number, word side, struct socket_name_results *out)
{
	if (side > 1)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(name_give(socket_at(client_find(badge), number), side, out));
}
