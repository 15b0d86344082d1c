// SPDX-License-Identifier: BSD-2-Clause
/* Sockets as functions; one call of the interface each, again when a wait ended early. */
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/time.h>
#include <socket/socket.h>

#include <import/mem.h>
#include <import/socket.h>

#define PARTS 64 /* of the memory that can be used; bits of a word */

static char *memory;
static uint64_t parts_free; /* bit n: part n is free */
static word memory_size;

long net_begin(void)
{
	word at, parts;
	long size = socket_begin(&at), status;

	if (size < 0)
		return size;
	status = mem_attach(at);
	if (status < 0 && status != LIMPET_EBUSY)
		return status;
	memory = (char *)at;
	memory_size = (word)size;
	parts = memory_size / NET_MEMORY_PART;
	__atomic_store_n(&parts_free, parts < PARTS ? (1ul << parts) - 1 : ~0ul, __ATOMIC_RELEASE);
	return LIMPET_OK;
}

/* --- memory */

void *net_memory_get(void)
{
	uint64_t free = __atomic_load_n(&parts_free, __ATOMIC_ACQUIRE);

	while (free)
		if (__atomic_compare_exchange_n(&parts_free, &free, free & (free - 1), false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return memory + (word)__builtin_ctzl(free) * NET_MEMORY_PART;
	return NULL;
}

void net_memory_put(void *part)
{
	word index = (word)((char *)part - memory) / NET_MEMORY_PART;

	if (index < PARTS)
		__atomic_fetch_or(&parts_free, 1ul << index, __ATOMIC_RELEASE);
}

/* Returns whether the data are already in the shared memory. */
static bool shared(const void *data, size_t length)
{
	word offset = (word)data - (word)memory;

	return memory && offset < memory_size && length <= memory_size - offset;
}

static word offset_of(const void *data)
{
	return (word)data - (word)memory;
}

/*
 * Returns a part of the shared memory for the data, or the data themselves if they are in it. NULL:
 * no part is free.
 */
static void *place(const void *data, size_t length)
{
	return shared(data, length) ? (void *)data : net_memory_get();
}

static void place_end(void *at, const void *data)
{
	if (at != data)
		net_memory_put(at);
}

/* --- sockets */

long net_create(unsigned int type)
{
	return socket_create(type);
}

long net_close(long socket)
{
	return socket_close((word)socket);
}

long net_bind(long socket, struct net_address address)
{
	return socket_bind((word)socket, address.high, address.low, address.port);
}

long net_listen(long socket, unsigned int backlog)
{
	return socket_listen((word)socket, backlog);
}

static void address_store(struct net_address *to, word high, word low, word port)
{
	if (to)
		*to = (struct net_address){ high, low, (uint16_t)port };
}

long net_accept(long socket, struct net_address *from, uint64_t deadline)
{
	word high, low, port;
	long status;

	do
		status = socket_accept((word)socket, deadline, &high, &low, &port);
	while (status == LIMPET_EAGAIN);
	if (status >= 0)
		address_store(from, high, low, port);
	return status;
}

long net_connect(long socket, struct net_address to, uint64_t deadline)
{
	long status;

	do
		status = socket_connect((word)socket, to.high, to.low, to.port, deadline);
	while (status == LIMPET_EAGAIN);
	return status;
}

static long send_piece(long socket, const void *at, size_t length, uint64_t deadline)
{
	long status;

	do
		status = socket_send((word)socket, offset_of(at), length, deadline);
	while (status == LIMPET_EAGAIN);
	return status;
}

/* Data that are in the memory. */
static long send_shared(long socket, const char *data, size_t length, uint64_t deadline)
{
	size_t sent = 0;
	long status = 0;

	do {
		status = send_piece(socket, data + sent, length - sent, deadline);
		sent += status > 0 ? (size_t)status : 0;
	} while (status > 0 && sent < length);
	return sent ? (long)sent : status;
}

/* By parts, by way of the one at `by`. */
static long send_copied(long socket, char *by, const char *data, size_t length, uint64_t deadline)
{
	size_t sent = 0, part;
	long status;

	do {
		part = length - sent < NET_MEMORY_PART ? length - sent : NET_MEMORY_PART;
		memcpy(by, data + sent, part);
		status = send_shared(socket, by, part, deadline);
		sent += status > 0 ? (size_t)status : 0;
	} while (status == (long)part && sent < length);
	return sent ? (long)sent : status;
}

long net_send(long socket, const void *data, size_t length, uint64_t deadline)
{
	void *at = place(data, length);
	long status;

	if (!at)
		return LIMPET_EBUSY;
	status = at == data ? send_shared(socket, data, length, deadline)
			    : send_copied(socket, at, data, length, deadline);
	place_end(at, data);
	return status;
}

long net_receive(long socket, void *buffer, size_t size, struct net_address *from,
		 uint64_t deadline)
{
	void *at = place(buffer, size);
	word high, low, port;
	long status;

	if (!at)
		return LIMPET_EBUSY;
	if (at != buffer && size > NET_MEMORY_PART)
		size = NET_MEMORY_PART;
	do
		status = socket_receive((word)socket, offset_of(at), size, deadline, &high, &low,
					&port);
	while (status == LIMPET_EAGAIN);
	if (status >= 0)
		address_store(from, high, low, port);
	if (status > 0 && at != buffer)
		memcpy(buffer, at, (size_t)status < size ? (size_t)status : size);
	place_end(at, buffer);
	return status;
}

long net_send_to(long socket, const void *data, size_t length, struct net_address to)
{
	void *at;
	long status;

	if (length > NET_DATAGRAM_MAX)
		return LIMPET_ERANGE;
	at = place(data, length);
	if (!at)
		return LIMPET_EBUSY;
	if (at != data)
		memcpy(at, data, length);
	status = socket_send_to((word)socket, offset_of(at), length, to.high, to.low, to.port);
	place_end(at, data);
	return status;
}

long net_shutdown(long socket)
{
	return socket_shutdown((word)socket);
}

long net_option(long socket, unsigned int option, unsigned int value)
{
	return socket_option((word)socket, option, value);
}

static long name_ask(long socket, word side, struct net_address *address)
{
	word high, low, port;
	long status = socket_name((word)socket, side, &high, &low, &port);

	if (status >= 0)
		address_store(address, high, low, port);
	return status;
}

long net_local(long socket, struct net_address *address)
{
	return name_ask(socket, 0, address);
}

long net_peer(long socket, struct net_address *address)
{
	return name_ask(socket, 1, address);
}

long net_wait(uint64_t *receive, uint64_t *send, uint64_t deadline)
{
	word filled, space;
	long status;

	do
		status = socket_wait(*receive, *send, deadline, &filled, &space);
	while (status == LIMPET_EAGAIN);
	*receive = status >= 0 ? filled : 0;
	*send = status >= 0 ? space : 0;
	return status;
}

long net_look(uint64_t *receive, uint64_t *send, uint64_t *ended)
{
	word states[3] = { 0 };
	long status = socket_look(&states[0], &states[1], &states[2]);

	*receive = states[0];
	*send = states[1];
	*ended = states[2];
	return status;
}

long net_next(uint64_t deadline)
{
	return socket_next(deadline);
}

static long name_resolve(const char *at, size_t length, struct net_address *address,
			 uint64_t deadline)
{
	word high, low;
	long status;

	do
		status = socket_resolve(offset_of(at), length, 0, deadline, &high, &low);
	while (status == LIMPET_EAGAIN);
	if (status >= 0)
		address_store(address, high, low, 0);
	return status;
}

long net_resolve(const char *name, struct net_address *address, uint64_t deadline)
{
	size_t length = strlen(name);
	char *at;
	long status;

	if (length > NET_MEMORY_PART)
		return LIMPET_ERANGE;
	at = net_memory_get();
	if (!at)
		return LIMPET_EBUSY;
	memcpy(at, name, length);
	status = name_resolve(at, length, address, deadline);
	net_memory_put(at);
	return status;
}
