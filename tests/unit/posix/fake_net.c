// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include <socket/socket.h>

#include "fake.h"
#include "fake_net.h"

struct fake_net fake_net;

long net_begin(void)
{
	if (!fake_net.is_imported)
		return LIMPET_ESLOT;
	fake_net.has_crashed = false;
	fake_net.open = 0;
	return LIMPET_OK;
}

static long number_new(void)
{
	const long number = __builtin_ctzl(~fake_net.open);

	fake_net.open |= 1ul << number;
	return number;
}

long net_create(unsigned int type)
{
	(void)type;
	return number_new();
}

long net_close(long socket)
{
	assert_true(fake_net.open >> socket & 1);
	fake_net.open &= ~(1ul << socket);
	return LIMPET_OK;
}

long net_bind(long socket, struct net_address address)
{
	(void)socket;
	(void)address;
	return LIMPET_OK;
}

long net_listen(long socket, unsigned int backlog)
{
	(void)socket;
	assert_true(backlog >= 1 && backlog <= 16);
	return LIMPET_OK;
}

long net_accept(long socket, struct net_address *from, uint64_t deadline)
{
	(void)socket;
	assert_int_equal(deadline, 0);
	*from = (struct net_address){ 0 };
	return fake_net.accept < 0 ? fake_net.accept : number_new();
}

long net_connect(long socket, struct net_address to, uint64_t deadline)
{
	(void)socket;
	(void)to;
	assert_int_equal(deadline, 0);
	return fake_net.connect;
}

long net_send(long socket, const void *data, size_t length, uint64_t deadline)
{
	const size_t sent = length < fake_net.space ? length : fake_net.space;

	(void)socket;
	(void)data;
	assert_int_equal(deadline, 0);
	fake_net.space -= sent;
	fake_net.sends++;
	return sent ? (long)sent : LIMPET_ETIME;
}

long net_send_to(long socket, const void *data, size_t length, struct net_address to)
{
	(void)socket;
	(void)data;
	(void)to;
	return (long)length;
}

long net_receive(long socket, void *buffer, size_t size, struct net_address *from,
		 uint64_t deadline)
{
	size_t length;

	(void)socket;
	assert_int_equal(deadline, 0);
	*from = (struct net_address){ 0 };
	if (!fake_net.data)
		return fake_net.received;
	length = strlen(fake_net.data) < size ? strlen(fake_net.data) : size;
	memcpy(buffer, fake_net.data, length);
	fake_net.data = NULL;
	return (long)length;
}

long net_shutdown(long socket)
{
	(void)socket;
	return LIMPET_OK;
}

long net_option(long socket, unsigned int option, unsigned int value)
{
	(void)socket;
	(void)option;
	(void)value;
	return LIMPET_OK;
}

long net_local(long socket, struct net_address *address)
{
	(void)socket;
	*address = (struct net_address){ .port = 7 };
	return LIMPET_OK;
}

long net_peer(long socket, struct net_address *address)
{
	return net_local(socket, address);
}

long net_look(uint64_t *receive, uint64_t *send, uint64_t *ended)
{
	*receive = fake_net.receive;
	*send = fake_net.send;
	*ended = fake_net.ended;
	return fake_net.has_crashed ? LIMPET_ECRASH : LIMPET_OK;
}

long net_next(uint64_t deadline)
{
	(void)deadline;
	abort(); /* the watcher does not run */
}

void *net_memory_get(void)
{
	return malloc(NET_MEMORY_PART);
}

void net_memory_put(void *part)
{
	free(part);
}
