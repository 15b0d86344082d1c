// SPDX-License-Identifier: BSD-2-Clause
/* Like the component tcp.sink, but some bytes crash it. */
#include <runtime/memory.h>
#include <socket/server.h>

#define FRAIL "crash"

static long frail_receive(long socket, void *buffer, size_t size, struct net_address *from,
			  uint64_t deadline)
{
	long got = net_receive(socket, buffer, size, from, deadline);

	if (got >= (long)sizeof(FRAIL) - 1 && !memcmp(buffer, FRAIL, sizeof(FRAIL) - 1))
		*(volatile word *)0 = size;
	return got;
}

#define net_receive frail_receive
#include "../../../../../components/demo/tcp.sink/sink.c"
