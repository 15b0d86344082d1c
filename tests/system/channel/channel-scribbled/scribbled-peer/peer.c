// SPDX-License-Identifier: BSD-2-Clause
/*
 * Channel "echo" returns each message, except "broken". Its answer is the number of invalid states that the component
 * found in its two channels. Channel "bytes" returns each byte. The work between two waits is bounded, because a
 * hostile side can send endlessly.
 */
#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/memory.h>

#define STEPS_MAX 64

static struct limpet_channel echo, bytes;

static bool is(const char *message, uint64_t length, const char *word)
{
	return length == strlen(word) && !memcmp(message, word, length);
}

static long answer(const char *message, uint64_t length)
{
	char line[64];

	if (!is(message, length, "broken"))
		return channel_send(&echo, message, length);
	return channel_send(&echo, line,
			    limpet_format(line, sizeof(line), "broken %lu %lu", echo.end.broken,
					  bytes.end.broken));
}

static void echo_some(void)
{
	const void *message;
	uint64_t length;

	for (int i = 0; i < STEPS_MAX && (message = channel_peek(&echo, &length)); i++) {
		if (answer(message, length) == LIMPET_EFULL)
			return;
		channel_release(&echo);
	}
}

/* All received bytes must fit, so the sender checks for space again. */
static void bytes_some(void)
{
	static char buffer[256];
	static long have, sent;

	for (int i = 0; i < STEPS_MAX; i++) {
		long done;

		if (sent == have) {
			sent = 0;
			have = channel_take(&bytes, buffer, sizeof(buffer));
		}
		if (have <= 0) {
			have = 0;
			return;
		}
		done = channel_put(&bytes, buffer + sent, have - sent);
		if (done == LIMPET_ESTATE)
			sent = have = 0;
		if (done <= 0)
			return;
		sent += done;
	}
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	channel_open(&echo, "echo");
	channel_open(&bytes, "bytes");
	for (;;) {
		echo_some();
		bytes_some();
		channel_wait(echo.bit | bytes.bit);
	}
}
