// SPDX-License-Identifier: BSD-2-Clause
/*
 * Channel "echo" returns each message, except the commands:
 *
 *   crash    crashes
 *   hold     stops reading "sink"
 *   go       resumes reading "sink"
 *   count    answers with the number of messages from "sink"
 *   open     answers whether a process has "sink" open
 *   fill     puts numbered messages into "source" until it is full, and answers with their number
 *   tick     waits only for time, and answers with the number of waits that ended in time
 *
 * Channel "bytes" returns each byte. In "shared" the first word counts the received events. Each event is answered by
 * one.
 */
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/memory.h>
#include <runtime/time.h>

#define SOURCE_BYTES 100
#define TICKS 5
#define TICK_US 10000

static struct limpet_channel echo, bytes, shared, sink, source;
static bool held;
static uint64_t taken, put;

static void answer(const char *text, uint64_t number)
{
	char line[64];

	channel_send(&echo, line, limpet_format(line, sizeof(line), "%s %lu", text, number));
}

static uint64_t fill(void)
{
	uint64_t *message;
	uint64_t count = 0;

	while ((message = channel_reserve(&source, SOURCE_BYTES))) {
		*message = put++;
		channel_commit(&source, SOURCE_BYTES);
		count++;
	}
	return count;
}

/* Other processes open and close the channels at the same time, which causes events. */
static uint64_t tick(void)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < TICKS; i++) {
		uint64_t deadline = limpet_time() + limpet_us_to_ticks(TICK_US);
		long status;
		word came;

		while (!(status = channel_wait_until(0, &came, deadline)) && came)
			;
		count += status == LIMPET_ETIME && !came && limpet_time() >= deadline;
	}
	return count;
}

static bool is(const char *message, uint64_t length, const char *word)
{
	return length == strlen(word) && !memcmp(message, word, length);
}

/* Returns false if the channel has no space for the answer yet. The message then stays. */
static bool serve(const char *message, uint64_t length)
{
	if (is(message, length, "crash"))
		__builtin_trap();
	if (is(message, length, "hold"))
		held = true;
	else if (is(message, length, "go"))
		held = false;
	else if (is(message, length, "count"))
		answer("count", taken);
	else if (is(message, length, "open"))
		answer("open", channel_opened(&sink));
	else if (is(message, length, "fill"))
		answer("filled", fill());
	else if (is(message, length, "tick"))
		answer("ticked", tick());
	else
		return channel_send(&echo, message, length) != LIMPET_EFULL;
	return true;
}

static void echo_all(void)
{
	uint64_t length;
	const void *message;

	while ((message = channel_peek(&echo, &length)) && serve(message, length))
		channel_release(&echo);
}

static void bytes_all(void)
{
	static char buffer[1000];
	static long have, sent;

	for (;;) {
		long done;

		if (sent == have) {
			sent = 0;
			have = channel_take(&bytes, buffer, sizeof(buffer));
			if (have <= 0)
				have = 0;
		}
		if (sent == have)
			return;
		done = channel_put(&bytes, buffer + sent, have - sent);
		if (done == LIMPET_ESTATE)
			sent = have;
		if (done <= 0)
			return;
		sent += done;
	}
}

static void sink_all(void)
{
	uint64_t length;

	while (!held && channel_peek(&sink, &length)) {
		channel_release(&sink);
		taken++;
	}
}

static void shared_all(void)
{
	uint64_t size, events = channel_events(&shared);
	volatile uint64_t *memory = channel_memory(&shared, &size);

	memory[0] += events;
	for (; events && events < 1000; events--)
		channel_event(&shared);
}

void component_main(const struct limpet_info *info)
{
	word bits;

	(void)info;
	channel_open(&echo, "echo");
	channel_open(&bytes, "bytes");
	channel_open(&shared, "shared");
	channel_open(&sink, "sink");
	channel_open(&source, "source");
	held = false;
	bits = echo.bit | bytes.bit | shared.bit | sink.bit | source.bit;
	for (;;) {
		word wait = bits;

		echo_all();
		bytes_all();
		sink_all();
		shared_all();
		if (held)
			wait &= ~sink.bit;
		channel_wait(wait);
	}
}
