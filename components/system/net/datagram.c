// SPDX-License-Identifier: BSD-2-Clause
/* UDP. */
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

long datagram_begin(struct socket *s)
{
	s->udp = udp_new_ip_type(IPADDR_TYPE_ANY);
	if (!s->udp)
		return LIMPET_ENOMEM;
	udp_recv(s->udp, on_received, s);
	return LIMPET_OK;
}

void datagram_drop(struct socket *s)
{
	udp_remove(s->udp);
	socket_free(s);
}

bool datagram_readable(const struct socket *s)
{
	return s->first;
}

static long transmit(struct socket *s, struct pbuf *p, const ip_addr_t *to, uint16_t port)
{
	return status_of(to ? udp_sendto(s->udp, p, to, port) : udp_send(s->udp, p));
}

long datagram_send(struct socket *s, const void *data, uint32_t length, const ip_addr_t *to,
		   uint16_t port)
{
	struct pbuf *p;
	long status;

	if (length > DATAGRAM_MOST || (to && ip_addr_isany(to)))
		return LIMPET_ERANGE;
	if (!to && !(s->udp->flags & UDP_FLAGS_CONNECTED))
		return LIMPET_ESTATE;
	p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)length, PBUF_RAM);
	if (!p)
		return LIMPET_ENOMEM;
	if (length)
		pbuf_take(p, data, (u16_t)length);
	status = transmit(s, p, to, port);
	pbuf_free(p);
	return status ? status : (long)length;
}

long datagram_connect(struct socket *s, const ip_addr_t *to, uint16_t port)
{
	if (ip_addr_isany(to) && !port) {
		udp_disconnect(s->udp);
		return LIMPET_OK;
	}
	if (ip_addr_isany(to) || !port)
		return LIMPET_ERANGE;
	return status_of(udp_connect(s->udp, to, port));
}

long datagram_take(struct socket *s, void *to, uint32_t size, ip_addr_t *from, uint16_t *port)
{
	const struct arrival *a = s->first;
	uint32_t length = a->data->tot_len;

	length = length < size ? length : size;
	pbuf_copy_partial(a->data, to, (u16_t)length, 0);
	*from = a->from;
	*port = a->port;
	socket_taken(s);
	return length;
}
