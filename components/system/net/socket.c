// SPDX-License-Identifier: BSD-2-Clause
/* What all sockets have: their records, what has come and waits, who waits for them. */
#include <lwip/dns.h>
#include <lwip/netif.h>

#include <runtime/memory.h>
#include <sync/core.h>

#include <export/socket.h>

#include "net.h"

#define IPV4_MAPPED 0xffffu /* above the 32 bits of an IPv4 address */

#define OPTION_NODELAY 1
#define OPTION_KEEPALIVE 2
#define OPTION_HOPS 3
#define OPTION_BROADCAST 4

static struct socket sockets[SOCKETS];
static struct arrival arrivals[ARRIVALS];
static struct arrival *arrivals_free;
static uint32_t arrivals_fresh;

uint32_t sockets_used;

/* --- addresses and errors */

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

/* --- records */

struct socket *socket_new(struct client *client, enum kind kind)
{
	for (unsigned int i = 0; i < SOCKETS; i++) {
		struct socket *s = &sockets[i];

		if (s->kind != KIND_FREE)
			continue;
		*s = (struct socket){ .kind = kind, .client = client, .life = s->life + 1 };
		sockets_used++;
		return s;
	}
	return NULL;
}

struct socket *socket_at(struct client *client, word number)
{
	return client && number < CLIENT_SOCKETS ? client->socket[number] : NULL;
}

void socket_free(struct socket *s)
{
	while (s->first)
		socket_taken(s);
	for (unsigned int i = 0; i < CLIENT_SOCKETS; i++)
		if (s->client->socket[i] == s)
			s->client->socket[i] = NULL;
	core_wake(s->waiters);
	s->waiters = 0;
	s->kind = KIND_FREE;
	s->life++;
	sockets_used--;
}

void socket_drop(struct socket *s, bool abort)
{
	if (s->kind == KIND_DATAGRAMS)
		datagram_drop(s);
	else
		stream_drop(s, abort);
}

/* --- what has come */

static struct arrival *arrival_new(void)
{
	struct arrival *a = arrivals_free;

	if (a)
		arrivals_free = a->next;
	else if (arrivals_fresh < ARRIVALS)
		a = &arrivals[arrivals_fresh++];
	return a;
}

/* No client has so much that there is nothing left for another one. */
bool socket_arrived(struct socket *s, struct pbuf *p, const ip_addr_t *from, uint16_t port)
{
	struct arrival *a = s->client->held < client_share() ? arrival_new() : NULL;

	if (!a)
		return false;
	*a = (struct arrival){ .data = p, .from = *from, .port = port };
	if (s->first)
		s->last->next = a;
	else
		s->first = a;
	s->last = a;
	s->client->held++;
	core_wake(s->waiters);
	return true;
}

void socket_taken(struct socket *s)
{
	struct arrival *a = s->first;

	s->first = a->next;
	s->taken = 0;
	s->client->held--;
	pbuf_free(a->data);
	a->next = arrivals_free;
	arrivals_free = a;
}

long socket_wait(struct socket *s, socket_test *test, uint64_t deadline)
{
	uint32_t life = s->life;
	long status;

	if (test(s))
		return LIMPET_OK;
	s->waiters |= sync_self();
	status = core_wait(deadline);
	if (s->life != life)
		return LIMPET_ENOENT;
	s->waiters &= ~sync_self();
	if (test(s))
		return LIMPET_OK;
	return status ? status : LIMPET_EAGAIN;
}

/* --- the interface: what is the same for both types, or is told to the one that it is */

static long create(word badge, word type)
{
	struct client *c = client_find(badge);
	long number, status;
	struct socket *s;

	if (!c)
		return LIMPET_ESTATE;
	number = client_number(c);
	if (number < 0)
		return LIMPET_EQUOTA;
	s = socket_new(c, type == 1 ? KIND_STREAM : KIND_DATAGRAMS);
	if (!s)
		return LIMPET_EQUOTA;
	status = type == 1 ? stream_begin(s) : datagram_begin(s);
	if (status) {
		socket_free(s);
		return LIMPET_EQUOTA;
	}
	c->socket[number] = s;
	return number;
}

long socket_serve_create(word badge, word type)
{
	if (type != 1 && type != 2)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(create(badge, type));
}

long socket_serve_close(word badge, word number)
{
	struct socket *s;

	core_enter();
	s = socket_at(client_find(badge), number);
	if (s)
		socket_drop(s, false);
	return core_leave(s ? LIMPET_OK : LIMPET_ENOENT);
}

static long bind(struct socket *s, const ip_addr_t *address, word port)
{
	if (!s)
		return LIMPET_ENOENT;
	if (s->kind == KIND_LISTENER || s->connecting || s->connected)
		return LIMPET_ESTATE;
	if (s->kind == KIND_DATAGRAMS)
		return status_of(udp_bind(s->udp, address, (u16_t)port));
	return s->tcp ? status_of(tcp_bind(s->tcp, address, (u16_t)port)) : LIMPET_ESTATE;
}

long socket_serve_bind(word badge, word number, word high, word low, word port)
{
	ip_addr_t address;

	if (port > 0xffff)
		return LIMPET_ERANGE;
	core_enter();
	address_take(high, low, &address);
	return core_leave(bind(socket_at(client_find(badge), number), &address, port));
}

long socket_serve_connect(word badge, word number, word high, word low, word port, word deadline)
{
	ip_addr_t to;
	struct socket *s;
	long status;

	if (port > 0xffff)
		return LIMPET_ERANGE;
	core_enter();
	address_take(high, low, &to);
	s = socket_at(client_find(badge), number);
	if (!s)
		status = LIMPET_ENOENT;
	else if (s->kind == KIND_DATAGRAMS)
		status = datagram_connect(s, &to, (uint16_t)port);
	else
		status = stream_connect(s, &to, (uint16_t)port, deadline);
	return core_leave(status);
}

static long send(struct client *c, word number, word offset, word length, word deadline)
{
	struct socket *s = socket_at(c, number);
	void *data = c ? client_memory(c, offset, length) : NULL;

	if (!s)
		return LIMPET_ENOENT;
	if (!data)
		return LIMPET_ERANGE;
	if (s->kind == KIND_DATAGRAMS)
		return datagram_send(s, data, (uint32_t)length, NULL, 0);
	return length ? stream_send(s, data, (uint32_t)length, deadline) : LIMPET_ERANGE;
}

long socket_serve_send(word badge, word number, word offset, word length, word deadline)
{
	core_enter();
	return core_leave(send(client_find(badge), number, offset, length, deadline));
}

static long send_to(struct client *c, word number, word offset, word length, const ip_addr_t *to,
		    word port)
{
	struct socket *s = socket_at(c, number);
	void *data = c ? client_memory(c, offset, length) : NULL;

	if (!s)
		return LIMPET_ENOENT;
	if (!data || !port || port > 0xffff)
		return LIMPET_ERANGE;
	if (s->kind != KIND_DATAGRAMS)
		return LIMPET_ESTATE;
	return datagram_send(s, data, (uint32_t)length, to, (uint16_t)port);
}

long socket_serve_send_to(word badge, word number, word offset, word length, word high, word low,
			  word port)
{
	ip_addr_t to;

	core_enter();
	address_take(high, low, &to);
	return core_leave(send_to(client_find(badge), number, offset, length, &to, port));
}

static long receive(struct client *c, word number, word offset, word length, word deadline,
		    struct socket_receive_results *out)
{
	struct socket *s = socket_at(c, number);
	void *to = c ? client_memory(c, offset, length) : NULL;
	ip_addr_t from = *IP_ANY_TYPE;
	uint16_t port = 0;
	long status;

	if (!s)
		return LIMPET_ENOENT;
	if (!to || !length)
		return LIMPET_ERANGE;
	if (s->kind == KIND_DATAGRAMS) {
		status = socket_wait(s, datagram_readable, deadline);
		if (!status)
			status = datagram_take(s, to, (uint32_t)length, &from, &port);
	} else {
		status = stream_receive(s, to, (uint32_t)length, deadline);
		if (status >= 0 && s->tcp) {
			from = s->tcp->remote_ip;
			port = s->tcp->remote_port;
		}
	}
	address_give(&from, &out->high, &out->low);
	out->port = port;
	return status;
}

long socket_serve_receive(word badge, word number, word offset, word length, word deadline,
			  struct socket_receive_results *out)
{
	core_enter();
	return core_leave(receive(client_find(badge), number, offset, length, deadline, out));
}

/* --- options and names */

static long flag_set(u8_t *flags, u8_t flag, word value)
{
	if (value > 1)
		return LIMPET_ERANGE;
	*flags = value ? *flags | flag : *flags & (u8_t)~flag;
	return LIMPET_OK;
}

static long option_hops(u8_t *hops, word value)
{
	if (!value || value > 255)
		return LIMPET_ERANGE;
	*hops = (u8_t)value;
	return LIMPET_OK;
}

static long datagram_option(struct udp_pcb *pcb, word option, word value)
{
	if (option == OPTION_HOPS)
		return option_hops(&pcb->ttl, value);
	if (option == OPTION_BROADCAST)
		return flag_set(&pcb->so_options, SOF_BROADCAST, value);
	return LIMPET_ESTATE;
}

static long stream_option(struct tcp_pcb *pcb, word option, word value)
{
	if (option == OPTION_HOPS)
		return option_hops(&pcb->ttl, value);
	if (option == OPTION_KEEPALIVE)
		return flag_set(&pcb->so_options, SOF_KEEPALIVE, value);
	if (option == OPTION_BROADCAST)
		return LIMPET_ESTATE;
	if (value > 1)
		return LIMPET_ERANGE;
	if (value)
		tcp_nagle_disable(pcb);
	else
		tcp_nagle_enable(pcb);
	return LIMPET_OK;
}

static long option_set(struct socket *s, word option, word value)
{
	if (!s)
		return LIMPET_ENOENT;
	if (s->kind == KIND_DATAGRAMS)
		return datagram_option(s->udp, option, value);
	if (s->kind == KIND_LISTENER || !s->tcp)
		return LIMPET_ESTATE;
	return stream_option(s->tcp, option, value);
}

long socket_serve_option(word badge, word number, word option, word value)
{
	if (option < OPTION_NODELAY || option > OPTION_BROADCAST)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(option_set(socket_at(client_find(badge), number), option, value));
}

/* A connection that is over has no names any more. */
static long name_give(struct socket *s, word side, struct socket_name_results *out)
{
	bool datagrams;

	if (!s)
		return LIMPET_ENOENT;
	datagrams = s->kind == KIND_DATAGRAMS;
	if (!datagrams && !s->tcp)
		return LIMPET_ESTATE;
	if (side && !(datagrams ? s->udp->flags & UDP_FLAGS_CONNECTED : s->connected))
		return LIMPET_ESTATE;
	if (datagrams) {
		address_give(side ? &s->udp->remote_ip : &s->udp->local_ip, &out->high, &out->low);
		out->port = side ? s->udp->remote_port : s->udp->local_port;
	} else {
		address_give(side ? &s->tcp->remote_ip : &s->tcp->local_ip, &out->high, &out->low);
		out->port = side ? s->tcp->remote_port : s->tcp->local_port;
	}
	return LIMPET_OK;
}

long socket_serve_name(word badge, word number, word side, struct socket_name_results *out)
{
	if (side > 1)
		return LIMPET_ERANGE;
	core_enter();
	return core_leave(name_give(socket_at(client_find(badge), number), side, out));
}
