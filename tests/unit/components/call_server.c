// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <import/server.h>

#include "call_server.h"
#include "serve.h"

extern struct limpet_info call_info asm("__limpet_info");
struct limpet_info call_info;
struct call_invoked call_invoked;
long call_status;
unsigned long call_functions, call_interface;
char *call_memory;

static struct limpet_info_channel channel_info;
static struct limpet_channel channel;
static unsigned int life;

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	(void)in;
	*out = (struct limpet_out){ op == LIMPET_CALL(LIMPET_CALL_CHANNEL_STATE) ? life : 0, 0, 0 };
	return LIMPET_OK;
}

word server_functions(void)
{
	return call_functions;
}

word server_interface(void)
{
	return call_interface;
}

word server_slot(void)
{
	return CALL_SLOT;
}

long server_invoke(word slot, const word in[6], word out[3])
{
	call_invoked.count++;
	call_invoked.slot = slot;
	memcpy(call_invoked.in, in, sizeof(call_invoked.in));
	for (int i = 0; i < 3; i++)
		out[i] = in[i + 1];
	return call_status;
}

void call_server_begin(unsigned int stops)
{
	life = stops;
	channel_info =
		(struct limpet_info_channel){ "call", LIMPET_CHANNEL_MESSAGES, CALL_RING, CALL_RING,
					      32,     (uint64_t)call_memory,   0,	  0,
					      0 };
	call_info.channels = 1;
	call_info.channel_info = (uint64_t)&channel_info;
	if (channel_open_index(&channel, 0))
		abort();
	serve_begin();
}

bool call_server_step(void)
{
	return serve_one(&channel);
}

void call_server_look(void)
{
	channel_connected(&channel);
}

bool call_server_say(const void *bytes, uint64_t length)
{
	void *space = channel_reserve(&channel, length);

	if (!space)
		return false;
	memcpy(space, bytes, length);
	channel_commit(&channel, length);
	return true;
}
