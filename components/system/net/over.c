// SPDX-License-Identifier: BSD-2-Clause
/*
 * Connections that are over (TIME-WAIT), and whose client begins another one with the same port: that is served at
 * once, as RFC 1122, 4.2.2.13, allows. lwIP would refuse it for two minutes, and a client that makes many
 * connections, or stands behind an address that many share, uses a port again sooner.
 */
#include <lwip/ip.h>
#include <lwip/priv/tcp_priv.h>

#include "hooks.h"
#include "net.h"

/* Not something of the earlier connection that was on its way: its numbers are beyond all of that one's. */
static bool begins_anew(const struct tcp_pcb *pcb, const struct tcp_hdr *header)
{
	return (TCPH_FLAGS(header) & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN &&
	       TCP_SEQ_GEQ(header->seqno, pcb->rcv_nxt);
}

/* Headers in two pieces, of packets that came in fragments, have no second chance. */
err_t over_input(struct tcp_pcb *pcb, struct tcp_hdr *header, u16_t options, const u8_t *more,
		 struct pbuf *p)
{
	if (pcb->state != TIME_WAIT || more || !begins_anew(pcb, header))
		return ERR_OK;
	tcp_abort(pcb); /* frees it, and tells a socket that still has it */
	header->src = lwip_htons(header->src);
	header->dest = lwip_htons(header->dest);
	header->seqno = lwip_htonl(header->seqno);
	header->ackno = lwip_htonl(header->ackno);
	header->wnd = lwip_htons(header->wnd);
	pbuf_add_header(p, TCP_HLEN + (size_t)options);
	pbuf_ref(p);
	tcp_input(p, ip_current_input_netif());
	return ERR_ABRT;
}
