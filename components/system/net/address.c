// SPDX-License-Identifier: BSD-2-Clause
/* Converts addresses and errors between the interface and lwIP. */
#include <lwip/netif.h>

#include <runtime/memory.h>

#include "net.h"

#define IPV4_MAPPED 0xffffu /* bits above the 32 bits of an IPv4 address */

bool address_take(word high, word low, ip_addr_t *address)
{
	uint64_t words[2] = { __builtin_bswap64(high), __builtin_bswap64(low) };
	ip6_addr_t six;

	if (!high && !low) {
		*address = *IP_ANY_TYPE;
		return true;
	}
	if (!high && low >> 32 == IPV4_MAPPED) {
		IP_ADDR4(address, (u8_t)(low >> 24), (u8_t)(low >> 16), (u8_t)(low >> 8),
			 (u8_t)low);
		return true;
	}
	memcpy(six.addr, words, sizeof(six.addr));
	ip6_addr_clear_zone(&six);
	ip6_addr_assign_zone(&six, IP6_UNKNOWN, &link_netif);
	ip_addr_copy_from_ip6(*address, six);
	return true;
}

void address_give(const ip_addr_t *address, word *high, word *low)
{
	uint64_t words[2];

	*high = *low = 0;
	if (ip_addr_isany(address))
		return;
	if (IP_IS_V4(address)) {
		*low = (word)IPV4_MAPPED << 32 | lwip_ntohl(ip_2_ip4(address)->addr);
		return;
	}
	memcpy(words, ip_2_ip6(address)->addr, sizeof(words));
	*high = __builtin_bswap64(words[0]);
	*low = __builtin_bswap64(words[1]);
}

long status_of(err_t error)
{
	switch (error) {
	case ERR_OK:
		return LIMPET_OK;
	case ERR_MEM:
	case ERR_BUF:
		return LIMPET_ENOMEM;
	case ERR_TIMEOUT:
	case ERR_ABRT:
	case ERR_RST:
	case ERR_CLSD:
		return LIMPET_EPEER;
	case ERR_RTE:
	case ERR_IF:
		return LIMPET_ENOENT;
	case ERR_USE:
		return LIMPET_EBUSY;
	case ERR_VAL:
	case ERR_ARG:
		return LIMPET_ERANGE;
	default:
		return LIMPET_ESTATE;
	}
}
