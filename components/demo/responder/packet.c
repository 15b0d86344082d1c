// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>

#include "packet.h"

#define IPV4_PLAIN 0x45 /* version 4, five words of header */
#define FRAGMENT 0xff3f /* more fragments, or an offset; big endian */
#define ARP_ETHERNET 1
#define ECHO_REQUEST 8
#define ECHO_REPLY 0

/* Returns the Internet checksum. */
static uint16_t checksum(const void *data, uint64_t length)
{
	const uint8_t *byte = data;
	uint32_t sum = 0;

	for (uint64_t i = 0; i < length; i++)
		sum += (uint32_t)byte[i] << (i & 1 ? 8 : 0);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void ethernet_turn(const struct host *host, struct ethernet *e)
{
	memcpy(e->to, e->from, sizeof(e->to));
	memcpy(e->from, host->mac, sizeof(e->from));
}

static uint64_t arp_answer(const struct host *host, struct arp *arp, uint64_t length)
{
	if (length < sizeof(*arp) || arp->hardware != swapped(ARP_ETHERNET) ||
	    arp->protocol != swapped(PACKET_IPV4) || arp->hardware_size != 6 ||
	    arp->protocol_size != 4 || arp->operation != swapped(1) || arp->target_ip != host->ip)
		return 0;
	ethernet_turn(host, &arp->ethernet);
	arp->operation = swapped(2);
	memcpy(arp->target, arp->sender, sizeof(arp->target));
	arp->target_ip = arp->sender_ip;
	memcpy(arp->sender, host->mac, sizeof(arp->sender));
	arp->sender_ip = host->ip;
	return sizeof(*arp);
}

/* Returns whether it is a complete packet of that protocol for this host. */
static bool is_mine(const struct host *host, const struct ipv4 *p, uint64_t length,
		    uint8_t protocol)
{
	uint64_t total = length < sizeof(*p) ? 0 : sizeof(struct ethernet) + swapped(p->length);

	return total >= sizeof(*p) + 8 && total <= length && p->version == IPV4_PLAIN &&
	       !(p->fragment & FRAGMENT) && p->protocol == protocol && p->to == host->ip &&
	       !checksum(&p->version, sizeof(*p) - sizeof(struct ethernet));
}

/*
 * The reply differs from the request only in the type, so its checksum is derived from that of the
 * request.
 */
static uint64_t icmp_answer(const struct host *host, struct icmp *p, uint64_t length)
{
	uint64_t size;

	if (!is_mine(host, &p->ipv4, length, PACKET_ICMP) || p->type != ECHO_REQUEST || p->code)
		return 0;
	size = swapped(p->ipv4.length) - (sizeof(struct ipv4) - sizeof(struct ethernet));
	if (checksum(&p->type, size))
		return 0;
	ethernet_turn(host, &p->ipv4.ethernet);
	p->ipv4.to = p->ipv4.from;
	p->ipv4.from = host->ip;
	p->type = ECHO_REPLY;
	p->checksum = 0;
	p->checksum = checksum(&p->type, size);
	return sizeof(struct ipv4) + size;
}

uint64_t packet_answer(const struct host *host, void *frame, uint64_t length)
{
	const struct ethernet *e = frame;

	if (length < sizeof(*e))
		return 0;
	if (e->type == swapped(PACKET_ARP))
		return arp_answer(host, frame, length);
	return e->type == swapped(PACKET_IPV4) ? icmp_answer(host, frame, length) : 0;
}

uint64_t packet_return(const struct host *host, void *frame, uint64_t length)
{
	struct udp *p = frame;
	uint16_t port;

	if (!packet_port(host, frame, length))
		return 0;
	ethernet_turn(host, &p->ipv4.ethernet);
	p->ipv4.to = p->ipv4.from;
	p->ipv4.from = host->ip;
	port = p->to;
	p->to = p->from;
	p->from = port;
	p->checksum = 0;
	return sizeof(struct ethernet) + swapped(p->ipv4.length);
}

uint16_t packet_port(const struct host *host, const void *frame, uint64_t length)
{
	const struct udp *p = frame;

	if (length < sizeof(*p) || p->ipv4.ethernet.type != swapped(PACKET_IPV4) ||
	    !is_mine(host, &p->ipv4, length, PACKET_UDP))
		return 0;
	return swapped(p->to);
}

uint32_t packet_address(const char *text)
{
	uint32_t address = 0;

	for (unsigned int i = 0; i < 4; i++) {
		uint32_t byte = 0, digits = 0;

		for (; *text >= '0' && *text <= '9' && digits < 3; text++, digits++)
			byte = byte * 10 + (uint32_t)(*text - '0');
		if (!digits || byte > 255 || *text != (i < 3 ? '.' : 0))
			return 0;
		text++;
		address |= byte << (8 * i);
	}
	return address;
}
