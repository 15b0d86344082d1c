// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/time.h>

#include "files.h"

/*
 * More handles than the proxy can have open. A handle that does not fit is closed when the proxy
 * ends.
 */
#define CLOSES_MAX (2 * HANDLES_MAX)

static struct request requests[REQUESTS_MAX];
static uint64_t last_id;
static uint32_t closes[CLOSES_MAX]; /* handles that the proxy must close */
static uint32_t close_count;

static void kick(void)
{
	limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, FILES_KICK);
}

/* Returns a free record. NULL: all are in use, or the component or all components have the maximum number. */
static struct request *request_take(word badge)
{
	struct request *found = NULL;
	uint32_t own = 0, waited = 0;

	for (uint32_t i = 0; i < REQUESTS_MAX; i++) {
		if (requests[i].state == REQUEST_FREE) {
			found = &requests[i];
			continue;
		}
		own += requests[i].badge == badge;
		waited += requests[i].badge != 0;
	}
	return own >= REQUESTS_EACH || (badge && waited >= LIMPET_FILES_REQUESTS) ? NULL : found;
}

/* Ends the request: wakes its waiter, or frees the request if no thread waits for it. */
static void request_end(struct request *request, long status)
{
	request->status = status;
	request->state = request->badge ? REQUEST_DONE : REQUEST_FREE;
	if (request->badge)
		condition_signal(&request->done, &files.lock);
}

static struct request *request_make(word badge, const struct limpet_files_request *wire)
{
	struct request *request = request_take(badge);

	if (!request)
		return NULL;
	request->wire = *wire;
	request->wire.id = ++last_id;
	request->state = REQUEST_READY;
	request->badge = badge;
	request->value = 0;
	return request;
}

/* Copies the checked name, because the client can still change it in its memory. */
static void request_bytes(struct request *request, const char *from, char *to)
{
	request->from = from;
	request->to = to;
	if (request->wire.what != LIMPET_FILES_OPEN)
		return;
	memcpy(request->name, from, request->wire.length);
	request->from = request->name;
}

long request_do(word badge, const struct limpet_files_request *wire, const char *from, char *to,
		word ms, uint64_t *value)
{
	uint64_t deadline = limpet_time() + limpet_us_to_ticks(ms * 1000);
	struct request *request;
	long status = LIMPET_OK;

	if (!files.peer)
		return LIMPET_ECRASH;
	request = request_make(badge, wire);
	if (!request)
		return LIMPET_EBUSY;
	request_bytes(request, from, to);
	kick();
	while (request->state != REQUEST_DONE && status == LIMPET_OK)
		status = condition_wait(&request->done, &files.lock, deadline);
	if (request->state == REQUEST_DONE) {
		status = request->status;
		*value = request->value;
	}
	request->state = REQUEST_FREE;
	return status;
}

void request_close(uint32_t remote)
{
	if (close_count < CLOSES_MAX)
		closes[close_count++] = remote;
	kick();
}

/* Makes close requests while the table has space for them. */
static void closes_make(void)
{
	while (close_count) {
		const struct limpet_files_request wire = { .what = LIMPET_FILES_CLOSE,
							   .handle = closes[close_count - 1] };

		if (!request_make(0, &wire))
			return;
		close_count--;
	}
}

void requests_renew(void)
{
	handles_drop();
	close_count = 0;
	for (uint32_t i = 0; i < REQUESTS_MAX; i++) {
		if (requests[i].state == REQUEST_READY || requests[i].state == REQUEST_SENT)
			request_end(&requests[i], LIMPET_ECRASH);
		else if (requests[i].state == REQUEST_DONE)
			requests[i].status =
				LIMPET_ECRASH; /* its thread has not used the handle yet */
	}
}

static struct request *request_oldest(enum request_state state)
{
	struct request *oldest = NULL;

	for (uint32_t i = 0; i < REQUESTS_MAX; i++)
		if (requests[i].state == state &&
		    (!oldest || requests[i].wire.id < oldest->wire.id))
			oldest = &requests[i];
	return oldest;
}

static bool has_bytes(const struct limpet_files_request *wire)
{
	return wire->what == LIMPET_FILES_OPEN || wire->what == LIMPET_FILES_PUT;
}

void requests_send(struct limpet_channel *channel)
{
	struct request *request;

	closes_make();
	while ((request = request_oldest(REQUEST_READY))) {
		uint32_t more = has_bytes(&request->wire) ? request->wire.length : 0;
		char *space = channel_reserve(channel, sizeof(request->wire) + more);

		if (!space)
			return;
		memcpy(space, &request->wire, sizeof(request->wire));
		if (more)
			memcpy(space + sizeof(request->wire), request->from, more);
		channel_commit(channel, sizeof(request->wire) + more);
		request->state = REQUEST_SENT;
	}
}

/* Checks the result and the number of bytes of an answer. */
static bool answer_good(const struct request *request, const struct limpet_files_answer *answer,
			uint64_t bytes)
{
	const struct limpet_files_request *wire = &request->wire;

	if (answer->status < 0)
		return answer->status >= LIMPET_EQUOTA && !bytes;
	if (wire->what == LIMPET_FILES_GET)
		return answer->status <= wire->length && bytes == (uint64_t)answer->status;
	if (wire->what == LIMPET_FILES_PUT)
		return answer->status <= wire->length && !bytes;
	return !answer->status && !bytes &&
	       (wire->what != LIMPET_FILES_OPEN || answer->value <= UINT32_MAX);
}

static void answer_use(struct request *request, const struct limpet_files_answer *answer,
		       const char *data, uint64_t bytes)
{
	if (!answer_good(request, answer, bytes)) {
		request_end(request, LIMPET_ESTATE);
		return;
	}
	if (bytes && request->badge)
		memcpy(request->to, data, bytes);
	request->value = answer->value;
	request_end(request, answer->status);
}

static struct request *request_of(const struct limpet_files_answer *answer)
{
	for (uint32_t i = 0; i < REQUESTS_MAX; i++)
		if (requests[i].state == REQUEST_SENT && requests[i].wire.id == answer->id &&
		    requests[i].wire.what == answer->what)
			return &requests[i];
	return NULL;
}

/* The caller has given up. A handle that was opened for it is closed; other results are ignored. */
static void answer_late(const struct limpet_files_answer *answer)
{
	if (answer->what == LIMPET_FILES_OPEN && !answer->status && answer->value <= UINT32_MAX)
		request_close((uint32_t)answer->value);
	else if (answer->what == LIMPET_FILES_BEGIN)
		requests_renew();
}

bool requests_answer(struct limpet_channel *channel)
{
	struct limpet_files_answer answer;
	struct request *request;
	uint64_t length;
	const char *at = channel_peek(channel, &length);

	if (!at)
		return false;
	if (length >= sizeof(answer)) {
		memcpy(&answer, at, sizeof(answer));
		request = request_of(&answer);
		if (request)
			answer_use(request, &answer, at + sizeof(answer), length - sizeof(answer));
		else
			answer_late(&answer);
	}
	channel_release(channel);
	return true;
}
