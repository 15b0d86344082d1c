/* SPDX-License-Identifier: BSD-2-Clause */
/* Where lwIP asks what to do. */
#ifndef HOOKS_H
#define HOOKS_H

#include <lwip/err.h>

struct pbuf;
struct tcp_hdr;
struct tcp_pcb;

/* over.c: a packet for a connection, its header in the host's order. Other than ERR_OK: it has been dealt with. */
err_t over_input(struct tcp_pcb *pcb, struct tcp_hdr *header, u16_t options, const u8_t *more,
		 struct pbuf *p);
#define LWIP_HOOK_TCP_INPACKET_PCB(pcb, header, options, first, more, p)                           \
	over_input(pcb, header, options, more, p)

#endif
