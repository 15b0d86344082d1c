// SPDX-License-Identifier: BSD-2-Clause
/*
 * All threads accept connections from one socket. If that socket fails for any reason, all sockets are lost. Each
 * thread detects this, because its connection fails, too. The last thread that detects it opens the port again. Until
 * then no thread has a socket number that could refer to a new socket.
 */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>
#include <socket/server.h>
#include <sync/barrier.h>

#include <import/sched.h>

#define BACKLOG 16
#define AGAIN_US 100000
#define SPARE_US 10000 /* between two checks for a spare thread */
#define SPARE_LOOKS 1000

static const struct server *served;
static struct barrier reopening;
static long listener;

static void pause_us(uint64_t us)
{
	sched_sleep_until(limpet_time() + limpet_us_to_ticks(us));
}

static long port_open(void)
{
	struct net_address any = { .port = served->port };
	long status = net_begin();

	if (status < 0)
		return status;
	listener = net_create(NET_STREAM);
	if (listener < 0)
		return listener;
	status = net_bind(listener, any);
	return status < 0 ? status : net_listen(listener, BACKLOG);
}

static void port_open_at_last(void)
{
	long status, said = 0;

	while ((status = port_open()) < 0) {
		if (status != said)
			limpet_print("port %u cannot be opened: %s; it is tried again\n",
				     served->port, limpet_error_text(status));
		said = status;
		pause_us(AGAIN_US);
	}
	limpet_print("port %u is open, for %u connections at a time\n", served->port,
		     reopening.total);
}

static bool lasting(long error)
{
	return error != LIMPET_EAGAIN && error != LIMPET_ETIME && error != LIMPET_EQUOTA;
}

static word worker(word number)
{
	for (;;) {
		struct net_address from;
		long socket = net_accept(listener, &from, LIMPET_NEVER);

		if (socket >= 0) {
			served->serve((unsigned int)number, socket, &from);
			net_close(socket);
			continue;
		}
		if (!lasting(socket)) {
			pause_us(AGAIN_US);
			continue;
		}
		if (barrier_wait(&reopening, LIMPET_NEVER) == 1)
			port_open_at_last();
		barrier_wait(&reopening, LIMPET_NEVER);
	}
	return 0;
}

/* Returns the number of the component's threads, including this one. */
static unsigned int threads_spare(const struct limpet_info *info)
{
	unsigned int count = 1;

	for (unsigned int id = 1; id <= info->threads; id++)
		count += info->thread_of[id].component == info->index &&
			 (info->thread_of[id].flags & LIMPET_THREAD_SPARE);
	return count;
}

/* After a restart a spare thread can still be in its earlier life for a while. */
static bool worker_create(unsigned int number)
{
	unsigned int looks = SPARE_LOOKS;
	long id;

	while ((id = sched_create((word)worker, number, 0)) == LIMPET_EQUOTA && --looks)
		pause_us(SPARE_US);
	return id >= 0;
}

void server_run(const struct server *server)
{
	unsigned int max = threads_spare(limpet_info());

	served = server;
	reopening.total = server->connections < max ? server->connections : max;
	if (reopening.total < server->connections)
		limpet_print("%u connections need %u spare threads, there are %u\n",
			     server->connections, server->connections - 1, max - 1);
	port_open_at_last();
	for (unsigned int number = 1; number < reopening.total; number++)
		if (!worker_create(number)) {
			limpet_print("thread %u cannot be created\n", number);
			reopening.total = number;
		}
	worker(0);
	__builtin_unreachable();
}
