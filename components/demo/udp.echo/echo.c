// SPDX-License-Identifier: BSD-2-Clause
/* Counts datagrams, and reports the counts after a second without datagrams. */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>
#include <socket/socket.h>

#include <import/sched.h>

#define SILENCE_US 1000000
#define AGAIN_US 100000

struct counts {
	uint64_t received, sent, bytes;
};

/* Opens the socket, and gets the shared memory for received datagrams. */
static long open_port(uint16_t port, char **part)
{
	struct net_address any = { .port = port };
	long status = net_begin(), socket;

	if (status < 0)
		return status;
	*part = net_memory_get();
	socket = *part ? net_create(NET_DATAGRAMS) : LIMPET_ENOMEM;
	if (socket < 0)
		return socket;
	status = net_bind(socket, any);
	return status < 0 ? status : socket;
}

static void report(struct counts *counts)
{
	if (counts->received)
		limpet_print("%lu datagrams received, %lu bytes; %lu answered\n", counts->received,
			     counts->bytes, counts->sent);
	*counts = (struct counts){ 0 };
}

/* Answers datagrams until the network stack fails. Returns the error. */
static long echo(long socket, char *part, bool back)
{
	struct counts counts = { 0 };

	for (;;) {
		uint64_t until = limpet_time() + limpet_us_to_ticks(SILENCE_US);
		struct net_address from;
		long got = net_receive(socket, part, NET_DATAGRAM_MAX, &from,
				       counts.received ? until : LIMPET_NEVER);

		if (got == LIMPET_ETIME || got == LIMPET_EAGAIN) {
			report(&counts);
			continue;
		}
		if (got < 0)
			return got;
		counts.received++;
		counts.bytes += (uint64_t)got;
		counts.sent += back && net_send_to(socket, part, (size_t)got, from) == got;
	}
}

void component_main(const struct limpet_info *info)
{
	uint16_t port = (uint16_t)limpet_arg_within(info, "port", 7, 1, 65535);
	bool back = limpet_arg_within(info, "echo", 1, 0, 1);
	long said = 0;

	for (;;) {
		char *part;
		long status = open_port(port, &part);

		if (status >= 0) {
			limpet_print("port %u is open\n", port);
			status = echo(status, part, back);
		}
		if (status != said)
			limpet_print("port %u: %s; it is tried again\n", port,
				     limpet_error_text(status));
		said = status;
		sched_sleep_until(limpet_time() + limpet_us_to_ticks(AGAIN_US));
	}
}
