// SPDX-License-Identifier: BSD-2-Clause
/* UDP sockets. */
#include "net.h"

uint64_t datagrams_lost;

static void on_received(void *of, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
			u16_t port)
{
	(void)pcb;
	if (socket_arrived(of, p, from, port))
		return;
	datagrams_lost++;
	pbuf_free(p);
}

long datagram_begin(struct socket *socket)
{
	socket->udp = udp_new_ip_type(IPADDR_TYPE_ANY);
	if (!socket->udp)
		return LIMPET_ENOMEM;
	udp_recv(socket->udp, on_received, socket);
	return LIMPET_OK;
}

void datagram_drop(struct socket *socket)
{
	udp_remove(socket->udp);
	socket_free(socket);
}

bool datagram_readable(const struct socket *socket)
{
	return socket->first;
}

static long datagram_transmit(struct socket *socket, struct pbuf *p, const ip_addr_t *to,
			      uint16_t port)
{
	return status_of(to ? udp_sendto(socket->udp, p, to, port) : udp_send(socket->udp, p));
}

long datagram_send(struct socket *socket, const void *data, uint32_t length, const ip_addr_t *to,
		   uint16_t port)
{
	struct pbuf *p;
	long status;

	if (length > DATAGRAM_MAX || (to && ip_addr_isany(to)))
		return LIMPET_ERANGE;
	if (!to && !(socket->udp->flags & UDP_FLAGS_CONNECTED))
		return LIMPET_ESTATE;
	p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)length, PBUF_RAM);
	if (!p)
		return LIMPET_ENOMEM;
	if (length)
		pbuf_take(p, data, (u16_t)length);
	status = datagram_transmit(socket, p, to, port);
	pbuf_free(p);
	return status ? status : (long)length;
}

long datagram_connect(struct socket *socket, const ip_addr_t *to, uint16_t port)
{
	if (ip_addr_isany(to) && !port) {
		udp_disconnect(socket->udp);
		return LIMPET_OK;
	}
	if (ip_addr_isany(to) || !port)
		return LIMPET_ERANGE;
	return status_of(udp_connect(socket->udp, to, port));
}

long datagram_take(struct socket *socket, void *to, uint32_t size, ip_addr_t *from, uint16_t *port)
{
	const struct arrival *arrival = socket->first;
	uint32_t length = arrival->data->tot_len;

	length = length < size ? length : size;
	pbuf_copy_partial(arrival->data, to, (u16_t)length, 0);
	*from = arrival->from;
	*port = arrival->port;
	socket_taken(socket);
	return length;
}
