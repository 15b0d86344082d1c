/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks that lwIP calls. */
#ifndef HOOKS_H
#define HOOKS_H

#include <lwip/err.h>

struct pbuf;
struct tcp_hdr;
struct tcp_pcb;

/*
 * over.c: handles a TCP segment, with its header in host byte order. A result other than ERR_OK
 * means that it was consumed.
 */
err_t over_input(struct tcp_pcb *pcb, struct tcp_hdr *header, u16_t options, const u8_t *more,
		 struct pbuf *p);
#define LWIP_HOOK_TCP_INPACKET_PCB(pcb, header, options, first, more, p)                           \
	over_input(pcb, header, options, more, p)

#endif
