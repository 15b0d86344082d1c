// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cli/command/debug/loop.h>

#define RUNNING_MS 10	/* time between two polls while gdb waits for a stop */
#define STOPPED_MS 1000 /* otherwise, to keep the session */

static volatile sig_atomic_t quit;

static void quit_set(int signal)
{
	(void)signal;
	quit = 1;
}

void loop_signals(void)
{
	const struct sigaction end = { .sa_handler = quit_set };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

static bool write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		const ssize_t written = write(fd, bytes, length);

		if (written < 0 && errno == EINTR && !quit)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		length -= (size_t)written;
	}
	return true;
}

static bool answer_send(const struct remote *remote, int out)
{
	char packet[PACKET_MAX + PACKET_FRAME];

	return write_all(out, packet, packet_make(packet, remote->answer, remote->length));
}

/* Handles one byte of gdb. Returns false if gdb has closed its end. */
static bool byte_handle(struct remote *remote, struct packet_reader *reader, char byte, int out)
{
	switch (packet_take(reader, byte)) {
	case PACKET_NONE:
		return true;
	case PACKET_DAMAGED:
		return write_all(out, "-", 1);
	case PACKET_INTERRUPT:
		remote_interrupt(remote);
		return true;
	case PACKET_REPEAT:
		return answer_send(remote, out);
	case PACKET_LONG:
		reply_status(remote, -1);
		return write_all(out, "+", 1) && answer_send(remote, out);
	case PACKET_WHOLE:
		return write_all(out, "+", 1) &&
		       (!remote_packet(remote, reader->data, reader->length) ||
			answer_send(remote, out));
	}
	return true;
}

/* Waits for bytes of gdb, and handles them. Returns false if gdb has closed its end. */
static bool bytes_handle(struct remote *remote, struct packet_reader *reader, int in, int out)
{
	struct pollfd wait = { .fd = in, .events = POLLIN };
	char bytes[512];
	ssize_t length;

	if (poll(&wait, 1, remote->running ? RUNNING_MS : STOPPED_MS) <= 0)
		return true;
	length = read(in, bytes, sizeof(bytes));
	if (length < 0 && errno == EINTR)
		return true;
	for (ssize_t i = 0; i < length && !remote->ended; i++)
		if (!byte_handle(remote, reader, bytes[i], out))
			return false;
	return length > 0;
}

/* gdb confirms the last answer, and then closes its end. It complains if this end is closed earlier. */
static void end_wait(int in)
{
	struct pollfd wait = { .fd = in, .events = POLLIN };
	char bytes[64];

	while (poll(&wait, 1, STOPPED_MS) > 0 && read(in, bytes, sizeof(bytes)) > 0)
		;
}

long loop_run(struct remote *remote, int in, int out)
{
	struct packet_reader reader = { 0 };
	bool connected = true;

	while (connected && !quit && !remote->ended) {
		connected = bytes_handle(remote, &reader, in, out);
		if (connected && !remote->ended && remote_poll(remote))
			connected = answer_send(remote, out);
	}
	if (!remote->ended)
		remote->target.detach(remote->target.to);
	else if (connected && !remote->error)
		end_wait(in);
	return remote->error;
}
