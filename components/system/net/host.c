// SPDX-License-Identifier: BSD-2-Clause
/*
 * The network host: its card, its addresses from the arguments, and the component's own thread.
 * Component mqtt uses it, too.
 */
#include <lwip/dhcp.h>
#include <lwip/dns.h>
#include <lwip/netif.h>

#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include "net.h"

#define ETHERNET_LOCAL 2 /* an address that its user has chosen */

static bool digit_take(char c, unsigned int *value)
{
	if (c >= '0' && c <= '9')
		*value = (unsigned int)(c - '0');
	else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		*value = (unsigned int)((c | 0x20) - 'a' + 10);
	else
		return false;
	return true;
}

/* "02:00:00:00:00:01"; not a group's. */
static bool mac_take(const char *text, uint8_t mac[6])
{
	for (unsigned int i = 0; i < 6; i++, text += 2) {
		unsigned int high, low;

		if (i && *text++ != ':')
			return false;
		if (!digit_take(text[0], &high) || !digit_take(text[1], &low))
			return false;
		mac[i] = (uint8_t)(high << 4 | low);
	}
	return !*text && !(mac[0] & 1);
}

/* Derives the address from the component's name, so it is the same in each boot. */
static void mac_make(const char *name, uint32_t cpu, uint8_t mac[6])
{
	uint64_t hash = 0xcbf29ce484222325ul + cpu;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 0x100000001b3ul;
	mac[0] = ETHERNET_LOCAL;
	for (unsigned int i = 1; i < 6; i++)
		mac[i] = (uint8_t)(hash >> 8 * i);
}

static long mac_setup(const struct limpet_info *info)
{
	const char *text = limpet_arg_text(info, "mac", NULL);

	link_netif.hwaddr_len = 6;
	if (!text)
		mac_make(info->name, info->cpu, link_netif.hwaddr);
	else if (!mac_take(text, link_netif.hwaddr))
		return LIMPET_ERANGE;
	return LIMPET_OK;
}

/* Splits "ADDRESS/PREFIX". Returns the prefix, -1 if it is missing, or -2 if it is invalid. */
static int prefix_split(const char *text, char address[40], int max)
{
	size_t length = 0;
	int prefix = 0;

	while (text[length] && text[length] != '/' && length < 39) {
		address[length] = text[length];
		length++;
	}
	address[length] = 0;
	if (!text[length])
		return -1;
	text += length + 1;
	if (!*text)
		return -2;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -2;
		prefix = prefix * 10 + (*text - '0');
		if (prefix > max)
			return -2;
	}
	return prefix;
}

static long address4_setup(const struct limpet_info *info, const char *text)
{
	const char *router = limpet_arg_text(info, "gateway", "0.0.0.0");
	ip4_addr_t address, mask, gateway;
	char alone[40];
	int prefix = prefix_split(text, alone, 30);

	if (prefix < 1 || !ip4addr_aton(alone, &address) || !ip4addr_aton(router, &gateway))
		return LIMPET_ERANGE;
	ip4_addr_set_u32(&mask, lwip_htonl(~0u << (32 - prefix)));
	netif_set_addr(&link_netif, &address, &mask, &gateway);
	return LIMPET_OK;
}

/* The prefix must be 64, because lwIP supports no other. */
static long address6_setup(const char *text)
{
	ip6_addr_t address;
	char alone[40];
	int prefix = prefix_split(text, alone, 128);
	s8_t index;

	if ((prefix != -1 && prefix != 64) || !ip6addr_aton(alone, &address))
		return LIMPET_ERANGE;
	ip6_addr_assign_zone(&address, IP6_UNICAST, &link_netif);
	if (netif_add_ip6_address(&link_netif, &address, &index) != ERR_OK)
		return LIMPET_ENOMEM;
	return LIMPET_OK;
}

static long dns_setup(const char *text)
{
	ip_addr_t server;

	if (!ipaddr_aton(text, &server))
		return LIMPET_ERANGE;
	dns_setserver(0, &server);
	return LIMPET_OK;
}

/* DHCP starts when the link comes up, and again each time. */
static long addresses_setup(const struct limpet_info *info)
{
	const char *address = limpet_arg_text(info, "address", "dhcp");
	const char *address6 = limpet_arg_text(info, "address6", NULL);
	const char *dns = limpet_arg_text(info, "dns", NULL);
	long status = LIMPET_OK;

	netif_create_ip6_linklocal_address(&link_netif, 1);
	link_netif.ip6_autoconfig_enabled = 1;
	link_netif.hostname = info->name;
	netif_set_up(&link_netif);
	if (strcmp(address, "dhcp") == 0)
		status = dhcp_start(&link_netif) == ERR_OK ? LIMPET_OK : LIMPET_ENOMEM;
	else
		status = address4_setup(info, address);
	if (!status && address6)
		status = address6_setup(address6);
	if (!status && dns)
		status = dns_setup(dns);
	return status;
}

long host_setup(const struct limpet_info *info)
{
	long status = link_setup();

	if (!status)
		status = mac_setup(info);
	return status ? status : addresses_setup(info);
}

void component_main(const struct limpet_info *info)
{
	long status = core_begin();
	struct limpet_out out;

	if (!status)
		status = link_begin(limpet_arg_text(info, "channel", NULL));
	if (status)
		limpet_print("no network: %s\n", limpet_error_text(status));
	while (!status)
		if (!link_turn())
			limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
}
