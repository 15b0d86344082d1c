// SPDX-License-Identifier: BSD-2-Clause
/*
 * A client can use only this thread and its slot, for a bounded time. There are time limits for a
 * request, for sending an answer, for silence, and for the end of a connection.
 */
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/count.h>
#include <import/http.h>

#include "connection.h"

#define LINGER_US 1000000
#define LINGER_BYTES (64u << 10)
#define LINE 100 /* characters of a request in the log */

struct settings settings;

struct connection {
	word number;
	long socket;
	const struct net_address *from;
	struct http_slot *slot;
	char *part;	/* part of the memory that the stack shares */
	size_t have;	/* bytes in the slot's request */
	uint64_t until; /* time by which the request must be complete */
};

/* --- receiving */

/*
 * Receives more bytes of requests. Returns false if the connection has ended; a timeout is not an
 * end.
 */
static bool more(struct connection *connection, bool *late)
{
	uint64_t idle = limpet_time() + settings.idle;
	long got = net_receive(connection->socket, connection->slot->request + connection->have,
			       HTTP_REQUEST_MAX - connection->have, NULL,
			       connection->have ? connection->until : idle);

	*late = got == LIMPET_ETIME && connection->have;
	if (got <= 0)
		return *late;
	if (!connection->have)
		connection->until = limpet_time() + settings.request;
	connection->have += (size_t)got;
	return true;
}

/* Discards the body of a request. */
static bool skip(struct connection *connection, uint64_t bytes)
{
	while (bytes) {
		size_t max = bytes < NET_MEMORY_PART ? bytes : NET_MEMORY_PART;
		long got = net_receive(connection->socket, connection->part, max, NULL,
				       connection->until);

		if (got <= 0)
			return false;
		bytes -= (uint64_t)got;
	}
	return true;
}

/* Removes the answered request. Keeps the bytes that follow it. */
static bool used(struct connection *connection, const struct http_answer *answer)
{
	size_t body = connection->have - answer->used < answer->skip
			      ? connection->have - answer->used
			      : answer->skip;
	size_t consumed = answer->used + body;

	if (!skip(connection, answer->skip - body))
		return false;
	connection->have -= consumed;
	memmove(connection->slot->request, connection->slot->request + consumed, connection->have);
	connection->until = limpet_time() + settings.request;
	return true;
}

/* --- answering */

static bool body_known(const struct http_answer *answer)
{
	if (!answer->length)
		return true;
	for (unsigned int i = 0; i < HTTP_AREAS_MAX; i++) {
		const struct area *area = &settings.areas[i];

		if (answer->body >= area->begin && answer->body < area->end &&
		    answer->length <= area->end - answer->body)
			return true;
	}
	return false;
}

/* Returns the answer to the first request of the slot, if the request is complete. */
static long ask(struct connection *connection, bool last, bool late, struct http_answer *answer)
{
	long status = late ? http_late(connection->number)
			   : http_answer(connection->number, connection->have, last);

	if (status)
		return status;
	memcpy(answer, &connection->slot->answer, offsetof(struct http_answer, text));
	if (answer->used > connection->have || answer->head > sizeof(answer->text) ||
	    !body_known(answer))
		return LIMPET_ERANGE;
	return LIMPET_OK;
}

/* Sends the head together with as much of the body as fits. */
static bool answer_send(struct connection *connection, const struct http_answer *answer)
{
	const char *body = (const char *)answer->body;
	size_t left = answer->length, filled = answer->head;

	memcpy(connection->part, connection->slot->answer.text, filled);
	do {
		size_t piece = left < NET_MEMORY_PART - filled ? left : NET_MEMORY_PART - filled;

		if (piece)
			memcpy(connection->part + filled, body, piece);
		body += piece;
		left -= piece;
		filled += piece;
		if (net_send(connection->socket, connection->part, filled,
			     limpet_time() + settings.send) != (long)filled)
			return false;
		filled = 0;
	} while (left);
	return true;
}

static size_t line_length(const struct connection *connection)
{
	size_t length = 0;

	while (length < connection->have && length < LINE &&
	       connection->slot->request[length] != '\r' &&
	       connection->slot->request[length] != '\n')
		length++;
	return length;
}

static void note(const struct connection *connection, const struct http_answer *answer,
		 uint64_t ticks)
{
	char address[NET_ADDRESS_TEXT], line[LINE + 1];
	size_t length = line_length(connection);

	count_served(answer->code, answer->head + answer->length, ticks);
	if (!settings.log)
		return;
	net_address_text(connection->from, address);
	memcpy(line, connection->slot->request, length);
	line[length] = 0;
	limpet_print("%s \"%s\" %u %lu bytes %lu ns\n", address, line, answer->code, answer->length,
		     limpet_ticks_to_ns(ticks));
}

/*
 * Reports that the component that answers requests has crashed. The start of the next request is
 * then unknown.
 */
static bool crashed_send(struct connection *connection, struct http_answer *answer)
{
	static const char head[] = "HTTP/1.1 503 Service Unavailable\r\nServer: Limpet\r\n"
				   "Connection: close\r\nRetry-After: 1\r\n"
				   "Content-Length: 0\r\n\r\n";

	answer->code = 503;
	answer->head = sizeof(head) - 1;
	answer->length = 0;
	memcpy(connection->part, head, answer->head);
	return net_send(connection->socket, connection->part, answer->head,
			limpet_time() + settings.send) == answer->head;
}

/* Answers one request. Returns false if it was the last one. */
static bool request_serve(struct connection *connection, bool last)
{
	struct http_answer answer;
	bool late = false;
	uint64_t begin = limpet_time();
	long status = connection->have ? ask(connection, last, false, &answer) : LIMPET_EEMPTY;

	while (status == LIMPET_EEMPTY) {
		if (!more(connection, &late))
			return false;
		begin = limpet_time();
		status = ask(connection, last, late, &answer);
	}
	if (status == LIMPET_ECRASH && crashed_send(connection, &answer))
		note(connection, &answer, limpet_time() - begin);
	if (status || !answer_send(connection, &answer))
		return false;
	note(connection, &answer, limpet_time() - begin);
	return !answer.close && used(connection, &answer);
}

/*
 * Reads the remaining data for a while. If the connection were closed with unread data, TCP would
 * reset it, and the client might not receive the last answer.
 */
static void linger(struct connection *connection)
{
	uint64_t until = limpet_time() + limpet_us_to_ticks(LINGER_US);
	size_t bytes = 0;
	long got = net_shutdown(connection->socket);

	if (got < 0)
		return;
	do {
		got = net_receive(connection->socket, connection->part, NET_MEMORY_PART, NULL,
				  until);
		bytes += got > 0 ? (size_t)got : 0;
	} while (got > 0 && bytes < LINGER_BYTES);
}

void connection_serve(unsigned int number, long socket, const struct net_address *from)
{
	struct connection connection = { .number = number,
					 .socket = socket,
					 .from = from,
					 .slot = &settings.slots[number],
					 .part = net_memory_get() };
	unsigned int requests = 1;

	if (!connection.part) {
		limpet_print(
			"a client is refused, because the stack has no more memory to share\n");
		return;
	}
	count_connected();
	net_option(socket, NET_NODELAY, 1);
	while (request_serve(&connection, requests >= settings.requests))
		requests++;
	linger(&connection);
	count_left();
	net_memory_put(connection.part);
}
