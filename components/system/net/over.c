// SPDX-License-Identifier: BSD-2-Clause
/*
 * Closed connections (TIME-WAIT) whose client opens a new connection with the same port. The new
 * connection is accepted immediately, as RFC 1122, 4.2.2.13, allows. lwIP would refuse it for two
 * minutes. A client that makes many connections, or shares its address with many others, reuses a
 * port sooner.
 */
#include <lwip/ip.h>
#include <lwip/priv/tcp_priv.h>

#include "hooks.h"
#include "net.h"

/*
 * Returns whether the segment opens a new connection. Its sequence number is above all of the
 * earlier connection, so it is not a delayed segment of that connection.
 */
static bool opens_connection(const struct tcp_pcb *pcb, const struct tcp_hdr *header)
{
	return (TCPH_FLAGS(header) & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN &&
	       TCP_SEQ_GEQ(header->seqno, pcb->rcv_nxt);
}

/*
 * Accepts a new connection in place of a closed one. Headers in two pieces, of fragmented packets,
 * are not handled.
 */
err_t over_input(struct tcp_pcb *pcb, struct tcp_hdr *header, u16_t options, const u8_t *more,
		 struct pbuf *p)
{
	if (pcb->state != TIME_WAIT || more || !opens_connection(pcb, header))
		return ERR_OK;
	tcp_abort(pcb); /* frees the pcb, and reports it to a socket that still has it */
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
