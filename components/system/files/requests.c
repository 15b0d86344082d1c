// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/time.h>

#include "files.h"

/* More than the proxy can have open: what does not fit is closed when it ends. */
#define CLOSES_MOST (2 * HANDLES_MOST)

static struct request requests[REQUESTS_MOST];
static uint64_t last_id;
static uint32_t closes[CLOSES_MOST]; /* handles of the proxy that are to be closed */
static uint32_t close_count;

static void kick(void)
{
	limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, FILES_KICK);
}

static struct request *request_take(void)
{
	for (uint32_t i = 0; i < REQUESTS_MOST; i++)
		if (requests[i].state == REQUEST_FREE)
			return &requests[i];
	return NULL;
}

/* Nobody waits for the end of it, or is woken to see it. */
static void request_end(struct request *r, long status)
{
	r->status = status;
	r->state = r->waited ? REQUEST_DONE : REQUEST_FREE;
	if (r->waited)
		condition_signal(&r->done, &files_lock);
}

static struct request *request_make(const struct limpet_files_request *wire, bool waited)
{
	struct request *r = request_take();

	if (!r)
		return NULL;
	r->wire = *wire;
	r->wire.id = ++last_id;
	r->state = REQUEST_READY;
	r->waited = waited;
	r->value = 0;
	return r;
}

/* The name is copied: it was checked, and the client can change it where it stands. */
static void request_bytes(struct request *r, const char *from, char *to)
{
	r->from = from;
	r->to = to;
	if (r->wire.what != LIMPET_FILES_OPEN)
		return;
	memcpy(r->name, from, r->wire.length);
	r->from = r->name;
}

long request_do(const struct limpet_files_request *wire, const char *from, char *to, word ms,
		uint64_t *value)
{
	uint64_t deadline = limpet_time() + limpet_us_to_ticks(ms * 1000);
	struct request *r;
	long status = LIMPET_OK;

	if (!files_proxied())
		return LIMPET_ECRASH;
	r = request_make(wire, true);
	if (!r)
		return LIMPET_EBUSY;
	request_bytes(r, from, to);
	kick();
	while (r->state != REQUEST_DONE && status == LIMPET_OK)
		status = condition_wait(&r->done, &files_lock, deadline);
	if (r->state == REQUEST_DONE) {
		status = r->status;
		*value = r->value;
	}
	r->state = REQUEST_FREE;
	return status;
}

void request_close(uint32_t remote)
{
	if (close_count < CLOSES_MOST)
		closes[close_count++] = remote;
	kick();
}

/* As many as there is room for in the table. */
static void closes_make(void)
{
	while (close_count) {
		const struct limpet_files_request wire = { .what = LIMPET_FILES_CLOSE,
							   .handle = closes[close_count - 1] };

		if (!request_make(&wire, false))
			return;
		close_count--;
	}
}

void requests_drop(void)
{
	close_count = 0;
	for (uint32_t i = 0; i < REQUESTS_MOST; i++)
		if (requests[i].state == REQUEST_READY || requests[i].state == REQUEST_SENT)
			request_end(&requests[i], LIMPET_ECRASH);
}

static struct request *request_oldest(enum request_state state)
{
	struct request *oldest = NULL;

	for (uint32_t i = 0; i < REQUESTS_MOST; i++)
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
	struct request *r;

	closes_make();
	while ((r = request_oldest(REQUEST_READY))) {
		uint32_t more = has_bytes(&r->wire) ? r->wire.length : 0;
		char *room = channel_reserve(channel, sizeof(r->wire) + more);

		if (!room)
			return;
		memcpy(room, &r->wire, sizeof(r->wire));
		if (more)
			memcpy(room + sizeof(r->wire), r->from, more);
		channel_commit(channel, sizeof(r->wire) + more);
		r->state = REQUEST_SENT;
	}
}

/* What an answer may say, of how many bytes with it. */
static bool answer_good(const struct request *r, const struct limpet_files_answer *answer,
			uint64_t bytes)
{
	const struct limpet_files_request *wire = &r->wire;

	if (answer->status < 0)
		return answer->status >= LIMPET_EQUOTA && !bytes;
	if (wire->what == LIMPET_FILES_GET)
		return answer->status <= wire->length && bytes == (uint64_t)answer->status;
	if (wire->what == LIMPET_FILES_PUT)
		return answer->status <= wire->length && !bytes;
	return !answer->status && !bytes &&
	       (wire->what != LIMPET_FILES_OPEN || answer->value <= UINT32_MAX);
}

static void answer_use(struct request *r, const struct limpet_files_answer *answer,
		       const char *data, uint64_t bytes)
{
	if (!answer_good(r, answer, bytes)) {
		request_end(r, LIMPET_ESTATE);
		return;
	}
	if (bytes && r->waited)
		memcpy(r->to, data, bytes);
	r->value = answer->value;
	request_end(r, answer->status);
}

static struct request *request_of(const struct limpet_files_answer *answer)
{
	for (uint32_t i = 0; i < REQUESTS_MOST; i++)
		if (requests[i].state == REQUEST_SENT && requests[i].wire.id == answer->id &&
		    requests[i].wire.what == answer->what)
			return &requests[i];
	return NULL;
}

/* Who asked has given up: what was opened is closed, all else need not be known. */
static void answer_late(const struct limpet_files_answer *answer)
{
	if (answer->what == LIMPET_FILES_OPEN && !answer->status && answer->value <= UINT32_MAX)
		request_close((uint32_t)answer->value);
	else if (answer->what == LIMPET_FILES_BEGIN)
		files_renew();
}

bool requests_answer(struct limpet_channel *channel)
{
	struct limpet_files_answer answer;
	struct request *r;
	uint64_t length;
	const char *at = channel_peek(channel, &length);

	if (!at)
		return false;
	if (length >= sizeof(answer)) {
		memcpy(&answer, at, sizeof(answer));
		r = request_of(&answer);
		if (r)
			answer_use(r, &answer, at + sizeof(answer), length - sizeof(answer));
		else
			answer_late(&answer);
	}
	channel_release(channel);
	return true;
}
