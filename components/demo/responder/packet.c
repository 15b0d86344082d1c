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

static void ethernet_turn(const struct host *host, struct ethernet *ethernet)
{
	memcpy(ethernet->to, ethernet->from, sizeof(ethernet->to));
	memcpy(ethernet->from, host->mac, sizeof(ethernet->from));
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
static bool is_mine(const struct host *host, const struct ipv4 *ipv4, uint64_t length,
		    uint8_t protocol)
{
	uint64_t total = length < sizeof(*ipv4) ? 0
						: sizeof(struct ethernet) + swapped(ipv4->length);

	return total >= sizeof(*ipv4) + 8 && total <= length && ipv4->version == IPV4_PLAIN &&
	       !(ipv4->fragment & FRAGMENT) && ipv4->protocol == protocol && ipv4->to == host->ip &&
	       !checksum(&ipv4->version, sizeof(*ipv4) - sizeof(struct ethernet));
}

/*
 * The reply differs from the request only in the type, so its checksum is derived from that of the
 * request.
 */
static uint64_t icmp_answer(const struct host *host, struct icmp *icmp, uint64_t length)
{
	uint64_t size;

	if (!is_mine(host, &icmp->ipv4, length, PACKET_ICMP) || icmp->type != ECHO_REQUEST ||
	    icmp->code)
		return 0;
	size = swapped(icmp->ipv4.length) - (sizeof(struct ipv4) - sizeof(struct ethernet));
	if (checksum(&icmp->type, size))
		return 0;
	ethernet_turn(host, &icmp->ipv4.ethernet);
	icmp->ipv4.to = icmp->ipv4.from;
	icmp->ipv4.from = host->ip;
	icmp->type = ECHO_REPLY;
	icmp->checksum = 0;
	icmp->checksum = checksum(&icmp->type, size);
	return sizeof(struct ipv4) + size;
}

uint64_t packet_answer(const struct host *host, void *frame, uint64_t length)
{
	const struct ethernet *ethernet = frame;

	if (length < sizeof(*ethernet))
		return 0;
	if (ethernet->type == swapped(PACKET_ARP))
		return arp_answer(host, frame, length);
	return ethernet->type == swapped(PACKET_IPV4) ? icmp_answer(host, frame, length) : 0;
}

uint64_t packet_return(const struct host *host, void *frame, uint64_t length)
{
	struct udp *udp = frame;
	uint16_t port;

	if (!packet_port(host, frame, length))
		return 0;
	ethernet_turn(host, &udp->ipv4.ethernet);
	udp->ipv4.to = udp->ipv4.from;
	udp->ipv4.from = host->ip;
	port = udp->to;
	udp->to = udp->from;
	udp->from = port;
	udp->checksum = 0;
	return sizeof(struct ethernet) + swapped(udp->ipv4.length);
}

uint16_t packet_port(const struct host *host, const void *frame, uint64_t length)
{
	const struct udp *udp = frame;

	if (length < sizeof(*udp) || udp->ipv4.ethernet.type != swapped(PACKET_IPV4) ||
	    !is_mine(host, &udp->ipv4, length, PACKET_UDP))
		return 0;
	return swapped(udp->to);
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
