// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/command/debug/remote.h>

static const char description[] =
	"<?xml version=\"1.0\"?><target><architecture>i386:x86-64</architecture></target>";

/* Returns the rest of the packet if it starts with these words, or NULL. */
static const char *after(const char *packet, const char *words)
{
	const size_t length = strlen(words);

	return strncmp(packet, words, length) ? NULL : packet + length;
}

static void description_send(struct remote *remote, const char *at)
{
	uint64_t offset, length;

	if (!number_take(&at, &offset) || !char_take(&at, ',') || !number_take(&at, &length) ||
	    offset >= sizeof(description))
		reply_status(remote, -1);
	else
		reply_text(remote, "%c%.*s", offset + length < sizeof(description) - 1 ? 'm' : 'l',
			   (int)(length < sizeof(description) ? length : sizeof(description)),
			   description + offset);
}

/* Answers packets that start with q. The answer to an unknown packet is empty. */
static void query(struct remote *remote, const char *packet)
{
	const char *rest;

	if (after(packet, "qSupported"))
		reply_text(remote, "PacketSize=%x;swbreak+;vContSupported+;qXfer:features:read+",
			   PACKET_MAX);
	else if ((rest = after(packet, "qXfer:features:read:target.xml:")))
		description_send(remote, rest);
	else if (!strcmp(packet, "qAttached"))
		reply_text(remote, "1");
	else if (!strcmp(packet, "qC"))
		reply_text(remote, "QC%x", remote->thread ? remote->thread : thread_first(remote));
	else if (!strcmp(packet, "qfThreadInfo"))
		threads_list(remote);
	else if (!strcmp(packet, "qsThreadInfo"))
		reply_text(remote, "l");
	else if ((rest = after(packet, "qThreadExtraInfo,")))
		thread_describe(remote, rest);
}

/* Handles H. Hg selects the thread for register packets. Hc has no effect, because vCont names threads. */
static void thread_select(struct remote *remote, const char *at)
{
	const bool read = char_take(&at, 'g');
	uint64_t id = 0;

	if (read && (char_take(&at, '-') || (number_take(&at, &id) && id <= TARGET_THREADS_MAX))) {
		if (id)
			remote->thread = (unsigned int)id;
		reply_status(remote, 0);
	} else {
		reply_status(remote, read ? -1 : 0);
	}
}

static void leave(struct remote *remote)
{
	reply_status(remote, remote->target.detach(remote->target.to));
	remote->ended = true;
}

/* Handles packets that start with v. Returns whether there is an answer now. */
static bool verb(struct remote *remote, const char *packet)
{
	if (!strcmp(packet, "vCont?"))
		reply_text(remote, "vCont;c;C;s;S");
	else if (after(packet, "vCont;"))
		return threads_resume(remote, packet + strlen("vCont"));
	else if (after(packet, "vKill"))
		leave(remote);
	return true;
}

bool remote_packet(struct remote *remote, const char *packet, size_t length)
{
	reply_clear(remote);
	if (strlen(packet) != length) /* binary contents, which are not supported */
		return true;
	switch (packet[0]) {
	case '?':
		stop_report(remote, thread_first(remote));
		return true;
	case 'D':
		leave(remote);
		return true;
	case 'k':
		leave(remote);
		return false;
	case 'H':
		thread_select(remote, packet + 1);
		return true;
	case 'T':
		thread_alive(remote, packet + 1);
		return true;
	case 'g':
		registers_read(remote);
		return true;
	case 'G':
		registers_write(remote, packet + 1);
		return true;
	case 'P':
		register_write(remote, packet + 1);
		return true;
	case 'm':
		memory_read(remote, packet + 1);
		return true;
	case 'M':
		memory_write(remote, packet + 1);
		return true;
	case 'Z':
	case 'z':
		breakpoint_change(remote, packet + 1, packet[0] == 'Z');
		return true;
	case 'q':
		query(remote, packet);
		return true;
	case 'v':
		return verb(remote, packet);
	}
	return true;
}

void remote_interrupt(struct remote *remote)
{
	if (!remote->running)
		return;
	remote->target.stop(remote->target.to);
	remote->polls = 0;
}

/* Ends a lost session. For gdb the program has exited. Returns whether gdb waits for the answer. */
static bool session_lost(struct remote *remote, long error)
{
	const bool waits = remote->running;

	remote->error = error;
	remote->ended = true;
	remote->running = false;
	reply_clear(remote);
	reply_text(remote, "W00");
	return waits;
}

bool remote_settled(struct remote *remote)
{
	struct target_thread thread = { 0 };

	return thread_find(remote, thread_first(remote), &thread) && thread.stopped;
}

bool remote_poll(struct remote *remote)
{
	uint64_t event = 0;
	const long state = remote->target.state(remote->target.to, &event);

	if (state < 0)
		return session_lost(remote, state);
	if (!remote->running || !state)
		return false;
	if (!event && ++remote->polls < REMOTE_PATIENCE && !remote_settled(remote))
		return false;
	remote->running = false;
	stop_report(remote, event ? (unsigned int)(event - 1) : thread_first(remote));
	return true;
}
