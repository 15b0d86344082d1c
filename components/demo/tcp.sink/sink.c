// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>
#include <socket/server.h>

#define SILENCE_US 30000000 /* a client that is silent for this time is disconnected */

static void report(const struct net_address *from, uint64_t bytes, uint64_t ticks)
{
	uint64_t us = ticks * 1000 / limpet_info()->ticks_per_ms;
	char address[NET_ADDRESS_TEXT];

	net_address_text(from, address);
	limpet_print("%s: %lu bytes in %lu us, %lu kbit/s\n", address, bytes, us,
		     us ? bytes * 8000 / us : 0);
}

static void take(unsigned int number, long socket, const struct net_address *from)
{
	char *part = net_memory_get();
	uint64_t bytes = 0, begin = limpet_time(), end = begin;
	long got = part ? 1 : LIMPET_ENOMEM;

	(void)number;
	while (got > 0) {
		got = net_receive(socket, part, NET_MEMORY_PART, NULL,
				  end + limpet_us_to_ticks(SILENCE_US));
		end = limpet_time();
		bytes += got > 0 ? (uint64_t)got : 0;
	}
	report(from, bytes, end - begin);
	if (part)
		net_memory_put(part);
	if (got < 0)
		limpet_print("the connection failed: %s\n", limpet_error_text(got));
}

static struct server server = { .serve = take };

void component_main(const struct limpet_info *info)
{
	server.port = (uint16_t)limpet_arg_within(info, "port", 5001, 1, 65535);
	server.connections = (unsigned int)limpet_arg_within(info, "connections", 4, 1, 62);
	server_run(&server);
}
