/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets, for components that import interface `socket` under the name socket, and mem under the name mem.
 *
 *	net_begin();                                 in component_main(), or in component_init()
 *	s = net_create(NET_STREAM);
 *	net_bind(s, (struct net_address){ .port = 7 });
 *	net_listen(s, 4);
 *	c = net_accept(s, &from, LIMPET_NEVER);
 *	n = net_receive(c, buffer, sizeof(buffer), NULL, LIMPET_NEVER);
 *	net_send(c, buffer, n, LIMPET_NEVER);
 *	net_close(c);
 *
 * All return a status: 0 or more, or an error. Each deadline is a time stamp, LIMPET_NEVER, or 0: do not
 * wait; LIMPET_ETIME: it came first. LIMPET_EPEER: the other side refused or reset the connection.
 * LIMPET_ECRASH: the server has crashed; all sockets are gone, net_begin() begins anew. What copies data or a
 * name, net_send(), net_receive(), net_send_to() and net_resolve(), has LIMPET_EBUSY when all parts of the memory
 * are in use. All other errors are those of the function of that name in interface `socket`, whose page has them.
 *
 * All threads of a component may use them, also the same socket. Data lie in memory that the component and
 * the server share: what is not there is copied. Who wants to save that gets a part of it, makes or finds the
 * data there, and gives it to net_send() and net_receive() like any other memory:
 *
 *	char *page = net_memory_get();               NET_MEMORY_PART bytes
 *
 * The shared memory is the caller's and the server's alone. A component that is to outlive a restart of the
 * server calls net_begin() in component_init(); else it loses the memory with the server.
 */
#ifndef SOCKET_SOCKET_H
#define SOCKET_SOCKET_H

#include <runtime/types.h>

#define NET_STREAM 1u	 /* TCP */
#define NET_DATAGRAMS 2u /* UDP */

#define NET_NODELAY 1u	 /* stream: small pieces are sent at once: 0 or 1 */
#define NET_KEEPALIVE 2u /* stream: 0 or 1 */
#define NET_HOPS 3u	 /* 1 to 255 */
#define NET_BROADCAST 4u /* datagrams: 0 or 1 */

#define NET_SOCKETS 64	      /* a component's, 0 to 63 */
#define NET_MEMORY_PART 4096u /* bytes */
#define NET_DATAGRAM_MAX 1472u
#define NET_ADDRESS_TEXT 40u /* bytes that any address takes as text */

/* An IPv6 address, its first byte the most significant; IPv4: ::ffff:a.b.c.d. All zero: any. */
struct net_address {
	uint64_t high, low;
	uint16_t port;
};

#define NET_IPV4_PREFIX 0xffff00000000ul
#define NET_IPV4(a, b, c, d, port)                                                                 \
	((struct net_address){                                                                     \
		0, NET_IPV4_PREFIX | (uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d), (port) })

/*
 * Begins, or begins anew: sockets that the component had are gone, and its connections reset; parts of the
 * memory are free. Waits for no packet, but for the memory manager. EQUOTA, ENOMEM: the server, or this component,
 * has no room for that.
 */
long net_begin(void);

/* Status: the socket. ESTATE: net_begin() was not called. EQUOTA: there are too many. */
long net_create(unsigned int type);
long net_close(long socket);
/* Port 0: one that is free. EBUSY: somebody has the port. */
long net_bind(long socket, struct net_address address);
/* backlog: 1 to 16. EBUSY: somebody listens there. */
long net_listen(long socket, unsigned int backlog);
/* Status: socket of the connection. `from` may be NULL. */
long net_accept(long socket, struct net_address *from, uint64_t deadline);
/* ENOENT: no way to the address; EPEER: refused, or no answer. After ETIME it may be called again. */
long net_connect(long socket, struct net_address to, uint64_t deadline);

/*
 * Stream: sends all of it. Status: how many bytes went, fewer than `length` only when the time came or the
 * connection failed after some had gone. Datagrams: one, to where the socket is connected.
 */
long net_send(long socket, const void *data, size_t length, uint64_t deadline);
/*
 * What has come, at most `size` bytes, waiting until there is something. Status: bytes; stream, 0: the other
 * side has ended it. `from` may be NULL.
 */
long net_receive(long socket, void *buffer, size_t size, struct net_address *from,
		 uint64_t deadline);
/* One datagram, at most NET_DATAGRAM_MAX bytes. Does not wait. */
long net_send_to(long socket, const void *data, size_t length, struct net_address to);
/* Nothing more will be sent. */
long net_shutdown(long socket);
long net_option(long socket, unsigned int option, unsigned int value);
/* This side's address, and the other's. */
long net_local(long socket, struct net_address *address);
long net_peer(long socket, struct net_address *address);
/*
 * Waits until one of the sockets in *receive is ready for receive or accept, or one of those in *send for
 * send or connect; bit n is socket n. Afterwards they say which are. Status: how many.
 */
long net_wait(uint64_t *receive, uint64_t *send, uint64_t deadline);
/* The address of a name, or of an address as text; its port is 0. ENOENT: there is none. */
long net_resolve(const char *name, struct net_address *address, uint64_t deadline);

/* NET_MEMORY_PART bytes of the shared memory; NULL: all parts are in use, or net_begin() was not called. */
void *net_memory_get(void);
void net_memory_put(void *part);

/*
 * The address as text, without its port: "10.0.2.15", "fe80::1"; `text` has NET_ADDRESS_TEXT bytes.
 * Returns its length.
 */
size_t net_address_text(const struct net_address *address, char *text);

#endif
