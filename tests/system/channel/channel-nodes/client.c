// SPDX-License-Identifier: GPL-2.0
/* Uses the channels of nodes.toml through liblimpet. Exits with 0, or prints the failure on stdout. */
#include <client/channel.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../../lib/device.h"

#define ROUNDS 3000
#define MANY (1 << 19)
#define PATIENCE 20000 /* ms */

static void opens(struct limpet_channel *c, const char *name)
{
	int error = limpet_channel_open(c, name);

	if (error)
		die("%s: %s", name, strerror(-error));
}

static void is(const char *what, long wanted, long got)
{
	if (wanted != got)
		die("%s: %ld instead of %ld", what, got, wanted);
}

/* Checks the first answer of the component. */
static void hears(struct limpet_channel *c, const char *wanted)
{
	char got[256] = "";
	long length = limpet_channel_receive(c, got, sizeof(got) - 1, PATIENCE);

	if (length != (long)strlen(wanted) || strcmp(got, wanted))
		die("'%s' (%ld) instead of '%s'", got, length, wanted);
}

static void messages(void)
{
	struct limpet_channel c;
	char text[32];

	opens(&c, "echo");
	is("nothing there", -EAGAIN, limpet_channel_receive(&c, text, sizeof(text), 0));
	is("nothing in time", -EAGAIN, limpet_channel_receive(&c, text, sizeof(text), 20));
	for (int i = 0; i < ROUNDS; i++) {
		int length = snprintf(text, sizeof(text), "message %d", i);

		is("send", 0, limpet_channel_send(&c, text, length, -1));
		if (i % 3)
			is("wait", 0,
			   limpet_channel_wait(&c, LIMPET_SLEEP_DATA, i % 3 == 1 ? -1 : PATIENCE));
		hears(&c, text);
	}
	is("send", 0, limpet_channel_send(&c, "too long for it", 15, -1));
	is("wait", 0, limpet_channel_wait(&c, LIMPET_SLEEP_DATA, -1));
	is("receive", -EMSGSIZE, limpet_channel_receive(&c, text, 3, 0));
	limpet_channel_close(&c);
	/* The message remains, and the next reader receives it. */
	opens(&c, "echo");
	hears(&c, "too long for it");
	limpet_channel_close(&c);
	is("no channel", -ENOENT, limpet_channel_open(&c, "none"));
	is("by path", 0, limpet_channel_open(&c, "/dev/limpet/echo"));
	is("bytes of messages", -EINVAL, limpet_channel_put(&c, "x", 1, 0));
	is("too long", -EMSGSIZE, limpet_channel_send(&c, text, limpet_channel_max(&c) + 1, 0));
	limpet_channel_close(&c);
}

/* A monitor uses every call of a node while a message is on its way. It changes nothing. */
static void monitored(void)
{
	struct limpet_channel c;
	const int monitor = open("/dev/limpet/echo", LIMPET_NODE_MONITOR);
	struct pollfd asks = { .fd = monitor, .events = POLLIN | POLLOUT };
	uint64_t events;

	opens(&c, "echo");
	for (int i = 0; i < 100; i++) {
		is("send", 0, limpet_channel_send(&c, "hello", 5, -1));
		is("poll", 1, poll(&asks, 1, PATIENCE));
		is("events of a monitor", -1, ioctl(monitor, LIMPET_NODE_EVENTS, &events));
		is("its error", EBADF, errno);
		is("event of a monitor", -1, ioctl(monitor, LIMPET_NODE_EVENT));
		is("its error", EBADF, errno);
		hears(&c, "hello");
	}
	limpet_channel_close(&c);
	close(monitor);
}

/* Waits until the component has seen the open channel. A component that holds reads nothing. */
static void connects(struct limpet_channel *c)
{
	for (int tries = 0; !limpet_channel_connected(c); tries++) {
		if (tries == 1000)
			die("%s", "the component never looked at the channel");
		limpet_channel_wait(c, LIMPET_SLEEP_SPACE, 20);
	}
}

static void full(void)
{
	struct limpet_channel sink, echo;
	char message[1000] = "";
	int puts = 0;
	long error;

	opens(&sink, "sink");
	opens(&echo, "echo");
	connects(&sink);
	is("hold", 0, limpet_channel_send(&echo, "hold", 4, -1));
	/* The answer to the next message shows that the component holds. */
	is("count", 0, limpet_channel_send(&echo, "count", 5, -1));
	if (limpet_channel_receive(&echo, message, sizeof(message), PATIENCE) <= 0)
		die("%s", "count");
	is("space", 0, limpet_channel_wait(&sink, LIMPET_SLEEP_SPACE, PATIENCE));
	while (!(error = limpet_channel_send(&sink, message, sizeof(message), 20)))
		puts++;
	is("a full ring", -EAGAIN, error);
	if (puts < 3 || puts > 4)
		die("%d messages in a ring for four", puts);
	is("go", 0, limpet_channel_send(&echo, "go", 2, -1));
	is("wait for space", 0, limpet_channel_send(&sink, message, sizeof(message), -1));
	limpet_channel_close(&sink);
	limpet_channel_close(&echo);
}

static unsigned char byte_of(long at)
{
	return (unsigned char)(at * 2654435761u >> 11);
}

/* One thread sends and receives without a deadlock. */
static void bytes(void)
{
	static unsigned char out[MANY], in[MANY];
	struct limpet_channel c;
	long sent = 0, got = 0, part;

	for (long i = 0; i < MANY; i++)
		out[i] = byte_of(i);
	opens(&c, "bytes");
	while (got < MANY) {
		part = sent < MANY ? limpet_channel_put(&c, out + sent, MANY - sent, 0) : 0;
		sent += part > 0 ? part : 0;
		part = limpet_channel_take(&c, in + got, MANY - got, sent < MANY ? 0 : PATIENCE);
		if (part < 0 && part != -EAGAIN)
			die("take: %ld", part);
		got += part > 0 ? part : 0;
		if (part == -EAGAIN && sent < MANY)
			limpet_channel_wait(&c, LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE, 2000);
		else if (part == -EAGAIN)
			die("bytes: %ld of %d came", got, MANY);
	}
	if (memcmp(in, out, MANY))
		die("bytes: they are others");
	limpet_channel_close(&c);
}

static void shared(void)
{
	struct limpet_channel c;
	uint64_t *memory;
	size_t size = 0;
	long sum = 0;

	opens(&c, "shared");
	memory = limpet_channel_memory(&c, &size);
	is("size", 8192, (long)size);
	__atomic_store_n(&memory[0], 0, __ATOMIC_SEQ_CST);
	is("no event", -EAGAIN, limpet_channel_events_wait(&c, 20));
	for (int i = 0; i < 10; i++)
		is("event", 0, limpet_channel_event(&c));
	while (sum < 10) {
		long count = limpet_channel_events_wait(&c, PATIENCE);

		if (count <= 0)
			die("events: %ld after %ld", count, sum);
		sum += count;
	}
	is("events", 10, sum);
	is("events that came", 10, (long)memory[0]);
	limpet_channel_close(&c);
}

static void crash(void)
{
	struct limpet_channel c;
	char text[8];

	opens(&c, "echo");
	is("send", 0, limpet_channel_send(&c, "crash", 5, -1));
	is("asleep", -EPIPE, limpet_channel_receive(&c, text, sizeof(text), -1));
	is("afterwards", -EPIPE, limpet_channel_receive(&c, text, sizeof(text), 100));
	pause_us(200000);
	is("when it runs again", -EPIPE, limpet_channel_send(&c, text, 1, 100));
	limpet_channel_close(&c);
	opens(&c, "echo");
	is("reconnected", 0, limpet_channel_send(&c, "again", 5, PATIENCE));
	hears(&c, "again");
	limpet_channel_close(&c);
}

/* A process that is killed during a transfer leaves the channel usable for another one. */
static void killed(void)
{
	struct limpet_channel c;
	char text[64];

	for (int i = 0; i < 10; i++) {
		pid_t child = fork();
		long length;

		if (!child) {
			opens(&c, "echo");
			for (;;)
				if (!limpet_channel_send(&c, "on and on", 9, 0))
					limpet_channel_receive(&c, text, sizeof(text), 0);
		}
		pause_us(10000 + 777 * i);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		opens(&c, "echo");
		is("send", 0, limpet_channel_send(&c, "last", 4, PATIENCE));
		while ((length = limpet_channel_receive(&c, text, sizeof(text), PATIENCE)) == 9)
			;
		is("the last one", 4, length);
		limpet_channel_close(&c);
	}
}

int main(void)
{
	alarm(120);
	messages();
	monitored();
	full();
	bytes();
	shared();
	killed();
	crash();
	return 0;
}
