// SPDX-License-Identifier: BSD-2-Clause
/*
 * Answers the requests of http.accept, which has a slot for each connection. Any of its threads can
 * call, one for each slot. After open, only slots are written, so there is no lock.
 */
#include <runtime/component.h>
#include <runtime/memory.h>

#include <export/http.h>
#include <http/share.h>
#include <import/files.h>
#include <import/live.h>
#include <import/mem.h>

#include "answer.h"
#include "request.h"

enum content_source { FILES, LIVE, SOURCES };

struct source {
	char (*paths)[HTTP_PATH_SIZE]; /* path of each slot */
	word bodies;
};

static struct source sources[SOURCES];
static struct http_slot *slots;
static word count, client; /* client: its badge */

static long paths_attach(enum content_source source, word paths, word wanted)
{
	long pages = mem_attach(paths);

	if (pages < 0)
		return pages;
	sources[source].paths = (void *)paths;
	return (word)pages * LIMPET_PAGE < wanted * HTTP_PATH_SIZE ? LIMPET_ERANGE : LIMPET_OK;
}

static long sources_open(word badge, word wanted)
{
	word paths;
	long status = files_open(badge - 1, wanted, &paths, &sources[FILES].bodies);

	if (!status)
		status = paths_attach(FILES, paths, wanted);
	if (!status)
		status = live_open(badge - 1, wanted, &paths, &sources[LIVE].bodies);
	return status ? status : paths_attach(LIVE, paths, wanted);
}

long http_serve_open(word badge, word wanted, struct http_open_results *out)
{
	word address;
	long status;

	if (!wanted || wanted > HTTP_SLOTS_MAX)
		return LIMPET_ERANGE;
	if (client)
		return LIMPET_ESTATE;
	client = badge;
	status = http_share(wanted * sizeof(struct http_slot), badge - 1,
			    LIMPET_READ | LIMPET_WRITE, &address);
	if (status)
		return status;
	status = sources_open(badge, wanted);
	if (status)
		return status;
	slots = (struct http_slot *)address;
	count = wanted;
	out->address = address;
	out->areas = SOURCES;
	return LIMPET_OK;
}

long http_serve_area(word badge, word index, struct http_area_results *out)
{
	if (badge != client || index >= SOURCES)
		return LIMPET_ENOENT;
	out->address = sources[index].bodies;
	return LIMPET_OK;
}

/* Asks for a file first, then for a live page. */
static long find(word slot, const struct request *request, struct found *found)
{
	word live = 0;
	long status;

	memcpy(sources[FILES].paths[slot], request->path, request->length);
	status = files_find(slot, request->length, &found->body, &found->size, &live);
	if (status == LIMPET_ENOENT) {
		memcpy(sources[LIVE].paths[slot], request->path, request->length);
		status = live_find(slot, request->length, &found->body, &found->size, &live);
	}
	found->live = live;
	return status;
}

static void found_or_not(word slot, const struct request *request, struct http_answer *answer)
{
	struct found found;
	long status = find(slot, request, &found);

	if (status == LIMPET_ENOENT)
		answer_error(answer, request, 404);
	else if (status < 0)
		answer_error(answer, request, status == LIMPET_ECRASH ? 503 : 500);
	else
		answer_found(answer, request, &found);
}

static long slot_check(word badge, word slot)
{
	if (!slots || badge != client)
		return LIMPET_ESTATE;
	return slot < count ? LIMPET_OK : LIMPET_ERANGE;
}

long http_serve_answer(word badge, word slot, word length, word last)
{
	long status = slot_check(badge, slot);
	struct request request;
	unsigned int code;

	if (status)
		return status;
	if (length > HTTP_REQUEST_MAX)
		return LIMPET_ERANGE;
	code = request_parse(slots[slot].request, length, &request);
	if (code == REQUEST_INCOMPLETE)
		return LIMPET_EEMPTY;
	request.close |= last != 0;
	if (code == REQUEST_GOOD)
		found_or_not(slot, &request, &slots[slot].answer);
	else
		answer_error(&slots[slot].answer, &request, code);
	return LIMPET_OK;
}

long http_serve_late(word badge, word slot)
{
	struct request request = { .close = true };
	long status = slot_check(badge, slot);

	if (status)
		return status;
	answer_error(&slots[slot].answer, &request, 408);
	return LIMPET_OK;
}
