// SPDX-License-Identifier: BSD-2-Clause
/* Reports the component's addresses and counters. */
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/stats.h>

#include <runtime/memory.h>

#include <export/socket.h>

#include "net.h"

#define NAME 16

struct figure {
	char name[NAME];
	uint64_t (*value)(void);
};

#if MEMP_STATS
#define HELD(pool, what) memp_pools[pool]->stats->what
#else
#define HELD(pool, what) 0 /* a test build, which counts by itself */
#endif

#define FIGURE(NAME, VALUE)                                                                        \
	static uint64_t NAME(void)                                                                 \
	{                                                                                          \
		return VALUE;                                                                      \
	}

static uint64_t listed(const struct tcp_pcb *pcb)
{
	uint64_t count = 0;

	for (; pcb; pcb = pcb->next)
		count++;
	return count;
}

FIGURE(link_up, netif_is_link_up(&link_netif))
FIGURE(frames_in, link_figures.received)
FIGURE(bytes_in, link_figures.received_bytes)
FIGURE(frames_out, link_figures.sent)
FIGURE(bytes_out, link_figures.sent_bytes)
FIGURE(frames_bad, link_figures.bad)
FIGURE(no_memory, link_figures.no_memory)
FIGURE(ring_full, link_figures.ring_full)
FIGURE(links_lost, link_figures.lost)
FIGURE(ip4_in, lwip_stats.ip.recv)
FIGURE(ip4_dropped, lwip_stats.ip.drop)
FIGURE(ip6_in, lwip_stats.ip6.recv)
FIGURE(ip6_dropped, lwip_stats.ip6.drop)
FIGURE(icmp_in, lwip_stats.icmp.recv)
FIGURE(icmp6_in, lwip_stats.icmp6.recv)
FIGURE(udp_in, lwip_stats.udp.recv)
FIGURE(udp_out, lwip_stats.udp.xmit)
FIGURE(udp_dropped, lwip_stats.udp.drop)
FIGURE(udp_lost, datagrams_lost)
FIGURE(tcp_in, lwip_stats.tcp.recv)
FIGURE(tcp_out, lwip_stats.tcp.xmit)
FIGURE(tcp_dropped, lwip_stats.tcp.drop)
FIGURE(tcp_connections, listed(tcp_active_pcbs))
FIGURE(tcp_time_wait, listed(tcp_tw_pcbs))
FIGURE(sockets, sockets_used)
FIGURE(clients, clients_used)
FIGURE(frames_held, HELD(MEMP_PBUF_POOL, used))
FIGURE(frames_max, HELD(MEMP_PBUF_POOL, max))
FIGURE(segments_held, HELD(MEMP_TCP_SEG, used))

static const struct figure figures[] = {
	{ "link up", link_up },
	{ "frames in", frames_in },
	{ "bytes in", bytes_in },
	{ "frames out", frames_out },
	{ "bytes out", bytes_out },
	{ "frames bad", frames_bad },
	{ "no memory", no_memory },
	{ "ring full", ring_full },
	{ "links lost", links_lost },
	{ "ipv4 in", ip4_in },
	{ "ipv4 dropped", ip4_dropped },
	{ "ipv6 in", ip6_in },
	{ "ipv6 dropped", ip6_dropped },
	{ "icmp in", icmp_in },
	{ "icmpv6 in", icmp6_in },
	{ "udp in", udp_in },
	{ "udp out", udp_out },
	{ "udp dropped", udp_dropped },
	{ "udp unread lost", udp_lost },
	{ "tcp in", tcp_in },
	{ "tcp out", tcp_out },
	{ "tcp dropped", tcp_dropped },
	{ "tcp connections", tcp_connections },
	{ "tcp time-wait", tcp_time_wait },
	{ "sockets", sockets },
	{ "clients", clients },
	{ "frames held", frames_held },
	{ "frames held max", frames_max },
	{ "tcp segments", segments_held },
};

long socket_serve_figure(word badge, word index, struct socket_figure_results *out)
{
	word name[2];

	(void)badge;
	if (index >= array_size(figures))
		return LIMPET_ENOENT;
	core_enter();
	out->value = figures[index].value();
	memcpy(name, figures[index].name, sizeof(name));
	out->name0 = name[0];
	out->name1 = name[1];
	return core_leave(array_size(figures));
}

static long address6(word index, struct socket_address_results *out)
{
	if (index >= LWIP_IPV6_NUM_ADDRESSES)
		return LIMPET_ENOENT;
	address_give(netif_ip_addr6(&link_netif, index), &out->high, &out->low);
	out->prefix = 64;
	return ip6_addr_isvalid(netif_ip6_addr_state(&link_netif, index)) ? 1 : 0;
}

static long address4(struct socket_address_results *out)
{
	const ip4_addr_t *mask = netif_ip4_netmask(&link_netif);

	address_give(netif_ip_addr4(&link_netif), &out->high, &out->low);
	out->prefix = 96 + (word)bits_count(mask->addr);
	return !ip4_addr_isany(netif_ip4_addr(&link_netif));
}

long socket_serve_address(word badge, word index, struct socket_address_results *out)
{
	(void)badge;
	core_enter();
	return core_leave(index ? address6(index - 1, out) : address4(out));
}
