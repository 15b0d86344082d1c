// SPDX-License-Identifier: BSD-2-Clause
/* The network card, but one kind of frame crashes the component. */
#include <lwip/netif.h>
#include <netif/ethernet.h>

#define FRAIL (14 + 20 + 8 + 666) /* an Ethernet frame with a ping of 666 bytes */

static err_t frail_input(struct pbuf *p, struct netif *netif)
{
	if (p->tot_len == FRAIL)
		*(volatile int *)0 = FRAIL;
	return ethernet_input(p, netif);
}

#define ethernet_input frail_input
#include "../../../../../components/system/net/link.c"
