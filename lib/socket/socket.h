/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provides sockets to components that import the interface `socket` under the name socket, and mem
 * under the name mem.
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
 * All functions return a status: 0 or more, or an error. A deadline is a time stamp, LIMPET_NEVER,
 * or 0 to not wait. LIMPET_ETIME: the deadline passed first. LIMPET_EPEER: the peer refused or
 * reset the connection. LIMPET_ECRASH: the server has crashed and all sockets are closed; call
 * net_begin() again. The functions that copy data or a name, net_send(), net_receive(),
 * net_send_to() and net_resolve(), return LIMPET_EBUSY if all parts of the memory are in use. All
 * other errors are those of the function of that name in interface `socket`, see its reference
 * page.
 *
 * All threads of a component may use these functions, also with the same socket. Data outside the
 * memory that the component and the server share are copied. To avoid the copy, get a part of the
 * shared memory for the data, and pass it to net_send() and net_receive() like other memory:
 *
 *	char *page = net_memory_get();               NET_MEMORY_PART bytes
 *
 * Only the component and the server can access the shared memory. A component that must survive a
 * restart of the server calls net_begin() in component_init(). Otherwise it loses the memory with
 * the server.
 */
#ifndef SOCKET_SOCKET_H
#define SOCKET_SOCKET_H

#include <runtime/types.h>

#define NET_STREAM 1u	 /* TCP */
#define NET_DATAGRAMS 2u /* UDP */

#define NET_NODELAY 1u	 /* stream: small segments are sent immediately: 0 or 1 */
#define NET_KEEPALIVE 2u /* stream: 0 or 1 */
#define NET_HOPS 3u	 /* 1 to 255 */
#define NET_BROADCAST 4u /* datagrams: 0 or 1 */

#define NET_SOCKETS 64	      /* sockets of a component, 0 to 63 */
#define NET_MEMORY_PART 4096u /* bytes */
#define NET_DATAGRAM_MAX 1472u
#define NET_ADDRESS_TEXT 40u /* maximum bytes of an address as text */

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
 * Starts or restarts the use of sockets: closes all sockets of the component, resets its
 * connections, and frees all parts of the memory. It does not wait for packets. EQUOTA, ENOMEM: the
 * server or the component has not enough memory or entries for this.
 */
long net_begin(void);

/*
 * Creates a socket. Status: the socket. ESTATE: net_begin() was not called. EQUOTA: there are too
 * many sockets.
 */
long net_create(unsigned int type);
long net_close(long socket);
/*
 * Binds a socket to an address; port 0 selects a free port. EBUSY: another socket uses the port.
 * ESTATE: the socket already has a port.
 */
long net_bind(long socket, struct net_address address);
/*
 * Makes a bound stream socket accept connections. backlog: 1 to 16. EBUSY: another socket listens
 * on the port.
 */
long net_listen(long socket, unsigned int backlog);
/* Waits for a connection and accepts it. Status: its socket. `from` may be NULL. */
long net_accept(long socket, struct net_address *from, uint64_t deadline);
/*
 * Connects a socket. ENOENT: no route; EPEER: refused, or no answer. After ETIME it may be called
 * again.
 */
long net_connect(long socket, struct net_address to, uint64_t deadline);

/*
 * Sends all data on a stream, or one datagram to the connected address. Status: number of bytes
 * sent. It is smaller than `length` only if the deadline passed or the connection failed after some
 * bytes were sent.
 */
long net_send(long socket, const void *data, size_t length, uint64_t deadline);
/*
 * Waits for data and receives at most `size` bytes. Status: number of bytes; 0 for a stream that
 * the peer has closed. `from` may be NULL.
 */
long net_receive(long socket, void *buffer, size_t size, struct net_address *from,
		 uint64_t deadline);
/* Sends one datagram of at most NET_DATAGRAM_MAX bytes. Does not wait. */
long net_send_to(long socket, const void *data, size_t length, struct net_address to);
/* Closes the sending direction of a stream. */
long net_shutdown(long socket);
long net_option(long socket, unsigned int option, unsigned int value);
/* Return the local address, and the peer's address. */
long net_local(long socket, struct net_address *address);
long net_peer(long socket, struct net_address *address);
/*
 * Waits until a socket in *receive is ready for receive or accept, or a socket in *send for send or
 * connect. Bit n is socket n. Stores the ready sockets in both bitmaps. Status: number of bits that
 * are set.
 */
long net_wait(uint64_t *receive, uint64_t *send, uint64_t deadline);
/*
 * Stores the states of all sockets of the component as bitmaps, and watches those that are not ready for net_next(). `ended`: the
 * peer sends no more, or the connection has failed; a failed socket is in no other bitmap. Does not wait.
 */
long net_look(uint64_t *receive, uint64_t *send, uint64_t *ended);
/*
 * Waits until a socket that net_look() watches is ready. EAGAIN: the thread was woken for another reason, such as a socket that
 * was closed.
 */
long net_next(uint64_t deadline);
/*
 * Resolves a name, or an address as text, to an address with port 0. ENOENT: there is no address.
 */
long net_resolve(const char *name, struct net_address *address, uint64_t deadline);

/*
 * Returns NET_MEMORY_PART bytes of the shared memory; NULL: all parts are in use, or net_begin()
 * was not called.
 */
void *net_memory_get(void);
void net_memory_put(void *part);

/*
 * Writes the address as text without its port, such as "10.0.2.15" or "fe80::1", into `text` of
 * NET_ADDRESS_TEXT bytes. Returns the length of the text.
 */
size_t net_address_text(const struct net_address *address, char *text);

#endif
