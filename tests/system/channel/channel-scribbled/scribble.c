// SPDX-License-Identifier: GPL-2.0
/*
 * scribble CHANNEL SEED: a process overwrites all memory shared with the component at full speed: the words of both
 * sides and both rings. Meanwhile another process sends and receives. The first one is killed, and then the channel
 * must work again. With seed 0 no process overwrites it. scribble verdict 0: prints the component's result. Exits with
 * 0, or prints the failure on stdout.
 */
#include <client/channel.h>
#include <signal.h>
#include <sys/wait.h>

#include "../../lib/device.h"

#define TRAFFIC 2.0 /* seconds */
#define ROUNDS 200
#define PATIENCE 20000 /* ms */

static void opens(struct limpet_channel *c, const char *name)
{
	int error = limpet_channel_open(c, name);

	if (error)
		die("%s: %s", name, strerror(-error));
}

static bool is_bytes(const struct limpet_channel *c)
{
	return c->info.mode == LIMPET_CHANNEL_BYTES;
}

static long put(struct limpet_channel *c, const void *data, size_t length, int timeout_ms)
{
	return is_bytes(c) ? limpet_channel_put(c, data, length, timeout_ms)
			   : limpet_channel_send(c, data, length, timeout_ms);
}

static long take(struct limpet_channel *c, void *buffer, size_t size, int timeout_ms)
{
	return is_bytes(c) ? limpet_channel_take(c, buffer, size, timeout_ms)
			   : limpet_channel_receive(c, buffer, size, timeout_ms);
}

/* Never returns. Half of the writes change the header, and half of these are nearly right. */
static void __attribute__((noreturn)) scribble(struct limpet_channel *c, uint64_t seed)
{
	volatile uint64_t *word = (volatile uint64_t *)c->memory;
	const uint64_t words = c->info.size / sizeof(*word);
	const uint64_t header = sizeof(struct limpet_channel_header) / sizeof(*word);

	for (;;) {
		uint64_t random = random_next(&seed), value = random_next(&seed);
		volatile uint64_t *at = &word[(random >> 8) % (random & 1 ? header : words)];

		*at = random & 2 ? *at + value % 65 - 32 : value >> (random >> 2 & 63);
	}
}

static void traffic(struct limpet_channel *c)
{
	static char buffer[4096];
	double end = seconds() + TRAFFIC;

	while (seconds() < end) {
		put(c, buffer, 100, 0);
		take(c, buffer, sizeof(buffer), 0);
		limpet_channel_notify(c);
	}
}

/* Checks that the channel works. Remaining messages may arrive first. */
static void works(struct limpet_channel *c)
{
	static char got[4096];
	double end = seconds() + 60;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t sent = 0x5eed000000000000ul + i;
		size_t have = 0;
		long done = put(c, &sent, sizeof(sent), PATIENCE);

		if (done < 0)
			die("round %lu: nothing can be put in: %ld", i, done);
		while (have < sizeof(sent) ||
		       memcmp(got + have - sizeof(sent), &sent, sizeof(sent))) {
			if (have == sizeof(got) || !is_bytes(c))
				have = 0;
			done = take(c, got + have, is_bytes(c) ? 1 : sizeof(got), PATIENCE);
			if (done < 0 || seconds() > end)
				die("round %lu: it does not come back: %ld", i, done);
			have += (size_t)done;
		}
	}
}

static void play(const char *name, uint64_t seed)
{
	struct limpet_channel c;
	pid_t child;
	int status;

	opens(&c, name);
	if (seed) {
		child = fork();
		if (!child)
			scribble(&c, seed);
		traffic(&c);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			die("who wrote over it ended by itself: %x", status);
		limpet_channel_close(&c);
		opens(&c, name);
	}
	works(&c);
	if (c.info.stops)
		die("the component was stopped %u times", c.info.stops);
	limpet_channel_close(&c);
}

static void verdict(void)
{
	struct limpet_channel c;
	unsigned long echo, bytes;
	char text[64] = "";
	long length;

	opens(&c, "echo");
	limpet_channel_send(&c, "broken", 6, PATIENCE);
	length = limpet_channel_receive(&c, text, sizeof(text) - 1, PATIENCE);
	if (length < 0 || sscanf(text, "broken %lu %lu", &echo, &bytes) != 2)
		die("no answer: %ld '%s'", length, text);
	if (echo < 3 || bytes < 3)
		die("it found nonsense %lu and %lu times: too few to be a test", echo, bytes);
	if (c.info.stops)
		die("it was stopped %u times", c.info.stops);
	limpet_channel_close(&c);
}

int main(int count, char **arguments)
{
	alarm(100);
	if (count != 3)
		return 2;
	if (!strcmp(arguments[1], "verdict"))
		verdict();
	else
		play(arguments[1], strtoul(arguments[2], NULL, 10));
	return 0;
}
