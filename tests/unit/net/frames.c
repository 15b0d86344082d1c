// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "frames.h"

uint8_t mac_own[6];
static const uint8_t mac_peer[6] = { 2, 0, 0, 0, 0, 9 };
static uint32_t last_ack, last_seq; /* of the component's last segment */
static uint16_t last_port, last_local;

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static uint32_t sum(const uint8_t *at, uint64_t length, uint32_t start)
{
	for (; length > 1; length -= 2, at += 2)
		start += (uint32_t)at[0] << 8 | at[1];
	if (length)
		start += (uint32_t)at[0] << 8;
	while (start >> 16)
		start = (start & 0xffff) + (start >> 16);
	return start;
}

uint32_t below(uint32_t n)
{
	return world_random() % n;
}

void fill(uint8_t *at, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++)
		at[i] = (uint8_t)world_random();
}

static uint16_t port_any(void)
{
	static const uint16_t known[] = { 7, 53, 67, 68, 546, 547, 5353 };

	return below(4) ? known[below(7)] : (uint16_t)world_random();
}

/* Returns the length of the part after the IP header. */
static uint64_t udp_make(uint8_t *at)
{
	uint64_t length = 8 + below(200);

	fill(at, length);
	put16(at, below(3) ? 53 : port_any());
	put16(at + 2, port_any());
	put16(at + 4, (uint32_t)length);
	return length;
}

/* Returns a sequence number, often the one that the component's latest connection expects. */
static uint64_t tcp_make(uint8_t *at)
{
	uint64_t options = below(4) ? 0 : below(11) * 4, length = 20 + options + below(300);
	bool fits = below(2);

	fill(at, length);
	put16(at, fits && last_port ? last_port : 1024 + below(50));
	put16(at + 2, fits && last_local ? last_local : 7);
	put32(at + 4, fits ? last_ack : world_random());
	put32(at + 8, fits ? last_seq + below(3) : world_random());
	at[12] = (uint8_t)((5 + options / 4) << 4);
	at[13] = below(3) ? (uint8_t[]){ 2, 16, 24, 17, 4, 18 }[below(6)] : (uint8_t)world_random();
	put16(at + 14, below(65536));
	return length;
}

static uint64_t icmp_make(uint8_t *at, bool six)
{
	static const uint8_t types6[] = { 1, 2, 3, 4, 128, 129, 130, 131, 133, 134, 135, 136, 137 };
	uint64_t length = 8 + below(200);

	fill(at, length);
	if (below(4))
		at[0] = six ? types6[below(sizeof(types6))] : (uint8_t)(below(2) ? 8 : below(20));
	if (six && at[0] >= 133) { /* options of neighbour discovery */
		for (uint64_t i = at[0] == 134 ? 16 : 24; i + 8 < length; i += 8 * (1 + below(3))) {
			at[i] = (uint8_t)(1 + below(6));
			at[i + 1] = (uint8_t)below(5);
		}
	}
	return length;
}

static uint64_t payload_make(uint8_t *at, uint8_t *protocol, bool six)
{
	switch (below(8)) {
	case 0:
	case 1:
		*protocol = 17;
		return udp_make(at);
	case 2:
	case 3:
	case 4:
		*protocol = 6;
		return tcp_make(at);
	case 5:
		*protocol = (uint8_t)world_random();
		fill(at, 100);
		return below(100);
	default:
		*protocol = six ? 58 : 1;
		return icmp_make(at, six);
	}
}

/* Returns the offset of a protocol's checksum, or 0 if it has no checksum. */
static unsigned int sum_at(uint8_t protocol)
{
	return protocol == 17 ? 6 : protocol == 6 ? 16 : protocol == 58 || protocol == 1 ? 2 : 0;
}

static void sum_put(uint8_t *payload, uint64_t length, uint8_t protocol, const uint8_t *addresses,
		    unsigned int bytes)
{
	unsigned int at = sum_at(protocol);
	uint32_t pseudo = protocol == 1 ? 0 : sum(addresses, bytes, protocol + (uint32_t)length);

	if (!at || at + 2 > length)
		return;
	put16(payload + at, 0);
	put16(payload + at, ~sum(payload, length, pseudo) & 0xffff);
}

static uint64_t ipv4_make(uint8_t *at)
{
	uint64_t options = below(8) ? 0 : below(11) * 4, header = 20 + options, length;
	uint8_t *payload = at + header;

	fill(at, header);
	at[0] = (uint8_t)(0x40 | header / 4);
	length = payload_make(payload, &at[9], false);
	put16(at + 2, (uint32_t)(header + length));
	put16(at + 6, below(4) ? 0 : (below(2) ? 0x2000 : 0) | below(40)); /* a fragment */
	put16(at + 4, below(4));
	put32(at + 12, below(4) ? 0x0a000009 : world_random());
	put32(at + 16, below(8) ? 0x0a000001 : below(2) ? 0x0a0000ff : world_random());
	sum_put(payload, length, at[9], at + 12, 8);
	put16(at + 10, 0);
	put16(at + 10, ~sum(at, header, 0) & 0xffff);
	return header + length;
}

/* Makes the headers between the first one and the payload. */
static uint64_t extensions_make(uint8_t *at, uint8_t *next)
{
	static const uint8_t kinds[] = { 0, 43, 44, 60, 51, 59 };
	uint64_t length = 0;

	for (unsigned int n = below(3) ? 0 : below(4); n; n--) {
		uint8_t kind = kinds[below(6)];
		uint64_t size = kind == 44 ? 8 : 8 * (1 + below(3));

		*next = kind;
		fill(at, size);
		next = at;
		if (kind == 44)
			put16(at + 2, below(20) << 3 | below(2));
		else
			at[1] = (uint8_t)(size / 8 - 1);
		at += size;
		length += size;
	}
	return length;
}

static uint64_t ipv6_make(uint8_t *at)
{
	static const uint8_t all_nodes[16] = { 0xff, 2, [15] = 1 };
	uint64_t extensions, length;
	uint8_t protocol, *last = &at[6];
	uint8_t payload[600];

	fill(at, 40);
	at[0] = 0x60;
	length = payload_make(payload, &protocol, true);
	at[6] = 0;
	extensions = extensions_make(at + 40, &at[6]);
	for (uint64_t i = 40, n = at[6]; extensions && i < 40 + extensions;) {
		last = &at[i];
		i += n == 44 ? 8 : 8 * (at[i + 1] + 1ul);
		n = *last;
	}
	*last = protocol;
	put16(at + 4, (uint32_t)(extensions + length));
	at[7] = below(4) ? 255 : (uint8_t)world_random();
	put32(at + 8, 0xfe800000);
	memset(at + 12, 0, 8);
	at[22] = 9;
	memcpy(at + 24, all_nodes, 16);
	if (below(2)) { /* the component's own address */
		put32(at + 24, 0xfe800000);
		memset(at + 28, 0, 4);
		at[32] = mac_own[0] ^ 2;
		at[33] = mac_own[1];
		at[34] = mac_own[2];
		at[35] = 0xff;
		at[36] = 0xfe;
		memcpy(at + 37, mac_own + 3, 3);
	}
	sum_put(payload, length, protocol, at + 8, 32);
	memcpy(at + 40 + extensions, payload, length);
	return 40 + extensions + length;
}

static uint64_t arp_make(uint8_t *at)
{
	static const uint8_t start[] = { 0, 1, 8, 0, 6, 4, 0 };

	fill(at, 28);
	memcpy(at, start, sizeof(start));
	at[7] = (uint8_t)(1 + below(2));
	put32(at + 14, 0x0a000009);
	put32(at + 24, below(3) ? 0x0a000001 : world_random());
	return 28;
}

uint64_t frame_make(uint8_t *at)
{
	memcpy(at, below(8) ? mac_own : (const uint8_t[]){ 255, 255, 255, 255, 255, 255 }, 6);
	memcpy(at + 6, mac_peer, 6);
	switch (below(10)) {
	case 0:
		put16(at + 12, 0x0806);
		return 14 + arp_make(at + 14);
	case 1:
		fill(at + 12, 1506);
		return 14 + below(1505);
	case 2:
	case 3:
	case 4:
		put16(at + 12, 0x86dd);
		return 14 + ipv6_make(at + 14);
	default:
		put16(at + 12, 0x0800);
		return 14 + ipv4_make(at + 14);
	}
}

void frame_damage(uint8_t *at, uint64_t *length)
{
	for (unsigned int n = below(4); n; n--)
		at[below((uint32_t)*length)] = (uint8_t)world_random();
	if (!below(3))
		*length = 1 + below((uint32_t)*length);
	if (!below(6) && *length < 1470)
		*length += below(40);
}

bool frame_answer(const struct stack *from, uint8_t *message, uint64_t *length)
{
	const uint8_t *ip = message + sizeof(struct limpet_frame) + 14, *tcp = ip + 20;

	if (from == &a && *length > 8 + 14 + 40 && ip[-2] == 8 && !ip[-1] && ip[9] == 6) {
		last_local = (uint16_t)(tcp[0] << 8 | tcp[1]);
		last_port = (uint16_t)(tcp[2] << 8 | tcp[3]);
		last_seq = get32(tcp + 4);
		last_ack = get32(tcp + 8);
	}
	return false;
}
