// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>
#include <socket/server.h>

#include <import/http.h>
#include <import/mem.h>

#include "connection.h"

#define MS_MAX 3600000

static struct server server = { .serve = connection_serve };
static long opened; /* result of slots_open() */

static uint64_t ms(const struct limpet_info *info, const char *name, int64_t otherwise)
{
	return limpet_us_to_ticks((uint64_t)limpet_arg_within(info, name, otherwise, 1, MS_MAX) *
				  1000);
}

static void settings_read(const struct limpet_info *info)
{
	server.port = (uint16_t)limpet_arg_within(info, "port", 80, 1, 65535);
	server.connections =
		(unsigned int)limpet_arg_within(info, "connections", 8, 1, HTTP_SLOTS_MAX);
	settings.requests = (unsigned int)limpet_arg_within(info, "requests", 1000, 1, 1 << 30);
	settings.idle = ms(info, "idle-ms", 5000);
	settings.request = ms(info, "request-ms", 10000);
	settings.send = ms(info, "send-ms", 10000);
	settings.log = limpet_arg_within(info, "log-requests", 0, 0, 1);
}

static long areas_attach(word count)
{
	for (word i = 0; i < count && i < HTTP_AREAS_MAX; i++) {
		word address;
		long pages = http_area(i, &address);

		if (!pages)
			pages = mem_attach(address);
		if (pages < 0)
			return pages;
		settings.areas[i] = (struct area){ address, address + (word)pages * LIMPET_PAGE };
	}
	return LIMPET_OK;
}

/* Attaches the memory of requests, answers and bodies. */
static long slots_open(void)
{
	word address, areas;
	long status = http_open(server.connections, &address, &areas);

	if (!status)
		status = mem_attach(address);
	if (status < 0)
		return status;
	if ((word)status * LIMPET_PAGE < server.connections * sizeof(struct http_slot))
		return LIMPET_ERANGE;
	settings.slots = (struct http_slot *)address;
	return areas_attach(areas);
}

/*
 * Opens the slots before the components' checkpoints are taken. The checkpoints then include the
 * shared memory, so each component can be restarted alone while the others keep using its memory.
 * If the network stack cannot accept another client yet, server_run() reports it and tries again.
 */
long component_init(const struct limpet_info *info)
{
	settings_read(info);
	net_begin();
	opened = slots_open();
	return LIMPET_OK;
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	if (opened)
		limpet_print("no component answers requests: %s\n", limpet_error_text(opened));
	else
		server_run(&server);
}
