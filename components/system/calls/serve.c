// SPDX-License-Identifier: BSD-2-Clause
#include <limpet/host_call.h>
#include <runtime/memory.h>

#include <import/server.h>

#include "serve.h"

#define FUNCTIONS_MAX 64

/*
 * Slots of the functions, indexed by the number in the interface. 0 means that Linux may not
 * call the function.
 */
static uint16_t slot_of[FUNCTIONS_MAX];

void serve_begin(void)
{
	word slot = server_slot(), functions = server_functions();

	for (uint32_t i = 0; i < FUNCTIONS_MAX; i++)
		slot_of[i] = functions >> i & 1 ? (uint16_t)slot++ : 0;
}

/* Returns the reason to refuse a request, or LIMPET_HOST_DONE if it is valid. */
static enum limpet_host_outcome refusal(const struct limpet_host_call *call)
{
	if (call->interface != server_interface())
		return LIMPET_HOST_INTERFACE;
	if (call->function >= FUNCTIONS_MAX || !slot_of[call->function])
		return LIMPET_HOST_FUNCTION;
	return LIMPET_HOST_DONE;
}

/* Executes a request. `call` is private memory, which other code does not change. */
static void answer_call(const struct limpet_host_call *call, struct limpet_host_answer *answer)
{
	word out[LIMPET_HOST_ANSWER_WORDS];

	answer->id = call->id;
	answer->outcome = refusal(call);
	if (answer->outcome != LIMPET_HOST_DONE)
		return;
	answer->status = server_invoke(slot_of[call->function], call->word, out);
	for (int i = 0; i < LIMPET_HOST_ANSWER_WORDS && answer->status >= 0; i++)
		answer->word[i] = out[i];
}

bool serve_one(struct limpet_channel *channel)
{
	uint64_t length;
	const void *request = channel_peek(channel, &length);
	struct limpet_host_answer *space, answer = { .outcome = LIMPET_HOST_LENGTH };
	struct limpet_host_call call;

	space = request ? channel_reserve(channel, sizeof(answer)) : NULL;
	if (!space)
		return false;
	if (length == sizeof(call)) {
		memcpy(&call, request, sizeof(call));
		answer_call(&call, &answer);
	}
	memcpy(space, &answer, sizeof(answer));
	channel_release(channel);
	channel_commit(channel, sizeof(answer));
	return true;
}
