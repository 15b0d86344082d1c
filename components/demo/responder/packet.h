/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ethernet, ARP, IPv4, ICMP and UDP, as far as a host needs them for answers. All numbers are big
 * endian.
 */
#ifndef RESPONDER_PACKET_H
#define RESPONDER_PACKET_H

#include <runtime/types.h>

#define PACKET_IPV4 0x0800
#define PACKET_ARP 0x0806
#define PACKET_ICMP 1
#define PACKET_UDP 17
#define PACKET_MAX 1518 /* bytes of a frame */

struct ethernet {
	uint8_t to[6], from[6];
	uint16_t type;
} __attribute__((packed));

struct arp {
	struct ethernet ethernet;
	uint16_t hardware, protocol;
	uint8_t hardware_size, protocol_size;
	uint16_t operation; /* 1: request, 2: reply */
	uint8_t sender[6];
	uint32_t sender_ip;
	uint8_t target[6];
	uint32_t target_ip;
} __attribute__((packed));

struct ipv4 {
	struct ethernet ethernet;
	uint8_t version; /* 0x45: no options */
	uint8_t service;
	uint16_t length; /* bytes from the version on */
	uint16_t id, fragment;
	uint8_t life, protocol;
	uint16_t checksum;
	uint32_t from, to;
} __attribute__((packed));

struct icmp {
	struct ipv4 ipv4;
	uint8_t type, code; /* 8: echo request, 0: echo reply */
	uint16_t checksum;
} __attribute__((packed));

struct udp {
	struct ipv4 ipv4;
	uint16_t from, to, length, checksum;
} __attribute__((packed));

/* The host that answers. */
struct host {
	uint8_t mac[6];
	uint32_t ip; /* address in network byte order */
};

static inline uint16_t swapped(uint16_t value)
{
	return __builtin_bswap16(value);
}

/*
 * Turns a request of `length` bytes, at most PACKET_MAX, into the answer, in place. Returns the
 * answer's length. 0: this host does not answer it.
 */
uint64_t packet_answer(const struct host *host, void *frame, uint64_t length);
/*
 * Turns a UDP datagram into a reply with the same data, in place, without a checksum. Returns its
 * length. 0: it is not a datagram for this host.
 */
uint64_t packet_return(const struct host *host, void *frame, uint64_t length);
/* Returns the UDP port of a frame if it is a complete datagram for this host, otherwise 0. */
uint16_t packet_port(const struct host *host, const void *frame, uint64_t length);
/* Parses an address such as "10.0.0.1". Returns it in network byte order, or 0 if it is invalid. */
uint32_t packet_address(const char *text);

#endif
