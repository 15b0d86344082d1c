// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <client/channel.h>

static bool is_shared(const struct limpet_channel *channel)
{
	return channel->info.mode == LIMPET_CHANNEL_SHARED;
}

/* --- open and close */

static int open_node(const char *name)
{
	char path[sizeof(LIMPET_NODES) + 64];
	int fd;

	if (strchr(name, '/'))
		fd = open(name, O_RDWR | O_CLOEXEC);
	else if (snprintf(path, sizeof(path), LIMPET_NODES "%s", name) >= (int)sizeof(path))
		return -ENOENT;
	else
		fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* In mode shared the module handles this end, which has only events. */
static void end_make(struct limpet_channel *channel)
{
	struct limpet_channel_header *header = (void *)channel->memory;
	char *rings = channel->memory + LIMPET_CHANNEL_PAGE;

	channel->end = (struct limpet_end){
		.self = &header->host,
		.peer = &header->component,
		.out = rings + channel->info.to_linux,
		.in = rings,
		.out_size = channel->info.to_component,
		.in_size = channel->info.to_linux,
	};
	limpet_end_adopt(&channel->end,
			 channel->info.mode == LIMPET_CHANNEL_BYTES ? 1 : LIMPET_MESSAGE_HEADER);
	channel->announced = 0;
}

static int channel_map(struct limpet_channel *channel)
{
	if (ioctl(channel->fd, LIMPET_NODE_INFO, &channel->info))
		return errno == ENOTTY ? -EPROTO : -errno;
	if (channel->info.version != LIMPET_NODE_VERSION)
		return -EPROTO;
	channel->memory =
		mmap(NULL, channel->info.size, PROT_READ | PROT_WRITE, MAP_SHARED, channel->fd, 0);
	if (channel->memory == MAP_FAILED)
		return -errno;
	if (!is_shared(channel))
		end_make(channel);
	return 0;
}

int limpet_channel_open(struct limpet_channel *channel, const char *name)
{
	int error;

	memset(channel, 0, sizeof(*channel));
	channel->fd = open_node(name);
	if (channel->fd < 0)
		return channel->fd;
	error = channel_map(channel);
	if (error)
		close(channel->fd);
	return error;
}

void limpet_channel_close(struct limpet_channel *channel)
{
	munmap(channel->memory, channel->info.size);
	close(channel->fd);
}

void limpet_channel_renew(struct limpet_channel *channel)
{
	struct limpet_end *end = &channel->end;

	if (!limpet_channel_alive(channel))
		return;
	limpet_end_connected(end);
	channel->announced = end->generation;
	end->must_notify = false; /* the peer is notified here */
	limpet_channel_notify(channel);
}

/* --- waiting */

int limpet_channel_notify(struct limpet_channel *channel)
{
	return fdatasync(channel->fd) ? -errno : 0;
}

/* Uses the ioctl also with a time limit, because poll() is woken later, by a thread of Linux. */
int limpet_channel_wait(struct limpet_channel *channel, unsigned int what, int timeout_ms)
{
	const uint64_t limit = timeout_ms < 0 ? 0 : LIMPET_NODE_WAIT_MS(timeout_ms);

	return ioctl(channel->fd, LIMPET_NODE_WAIT, what | limit) < 0 ? -errno : 0;
}

struct deadline {
	int timeout_ms;
	bool over; /* the time is over, and a last check was made */
	struct timespec begin;
};

static struct deadline deadline_make(int timeout_ms)
{
	struct deadline deadline = { .timeout_ms = timeout_ms };

	if (timeout_ms > 0)
		clock_gettime(CLOCK_MONOTONIC, &deadline.begin);
	return deadline;
}

/* Returns the remaining time. */
static int left(const struct deadline *deadline)
{
	struct timespec now;
	long elapsed;

	if (deadline->timeout_ms <= 0)
		return deadline->timeout_ms;
	clock_gettime(CLOCK_MONOTONIC, &now);
	elapsed = (now.tv_sec - deadline->begin.tv_sec) * 1000 +
		  (now.tv_nsec - deadline->begin.tv_nsec) / 1000000;
	return elapsed < deadline->timeout_ms ? (int)(deadline->timeout_ms - elapsed) : 0;
}

/*
 * Waits after the caller found nothing. Returns 0 if the caller must check again. After the
 * deadline it returns 0 at most once, independent of what the component reports.
 */
static int wait_until(struct limpet_channel *channel, unsigned int what, struct deadline *deadline)
{
	const int rest = left(deadline);

	if (deadline->over)
		return -EAGAIN;
	deadline->over = !rest;
	return limpet_channel_wait(channel, what, rest);
}

/* --- messages */

static bool has_messages(const struct limpet_channel *channel, uint64_t ring)
{
	return channel->info.mode == LIMPET_CHANNEL_MESSAGES && ring;
}

long limpet_channel_send(struct limpet_channel *channel, const void *data, size_t length,
			 int timeout_ms)
{
	struct deadline deadline = deadline_make(timeout_ms);
	void *message;
	int error;

	if (!has_messages(channel, channel->end.out_size))
		return -EINVAL;
	if (length > limpet_channel_max(channel))
		return -EMSGSIZE;
	while (!(message = limpet_channel_reserve(channel, length))) {
		error = wait_until(channel, LIMPET_SLEEP_SPACE, &deadline);
		if (error)
			return error;
	}
	memcpy(message, data, length);
	limpet_channel_commit(channel, length);
	return 0;
}

long limpet_channel_receive(struct limpet_channel *channel, void *buffer, size_t size,
			    int timeout_ms)
{
	struct deadline deadline = deadline_make(timeout_ms);
	const void *message;
	uint64_t length;
	int error;

	if (!has_messages(channel, channel->end.in_size))
		return -EINVAL;
	while (!(message = limpet_channel_peek(channel, &length))) {
		error = wait_until(channel, LIMPET_SLEEP_DATA, &deadline);
		if (error)
			return error;
	}
	if (length > size)
		return -EMSGSIZE;
	memcpy(buffer, message, length);
	limpet_channel_release(channel);
	return (long)length;
}

/* --- bytes: two pieces at most, up to the end of the ring, and from its start */

static size_t bytes_put(struct limpet_end *end, const char *data, size_t length)
{
	size_t done = 0;

	for (int piece = 0; piece < 2; piece++) {
		uint64_t space;
		char *to = limpet_end_space(end, &space);

		if (space > length - done)
			space = length - done;
		memcpy(to, data + done, space);
		limpet_end_put(end, space);
		done += space;
	}
	return done;
}

static size_t bytes_take(struct limpet_end *end, char *buffer, size_t size)
{
	size_t done = 0;

	for (int piece = 0; piece < 2; piece++) {
		uint64_t there;
		const char *from = limpet_end_bytes(end, &there);

		if (there > size - done)
			there = size - done;
		memcpy(buffer + done, from, there);
		limpet_end_take(end, there);
		done += there;
	}
	return done;
}

static bool is_bytes(const struct limpet_channel *channel, uint64_t ring, size_t length)
{
	return channel->info.mode == LIMPET_CHANNEL_BYTES && ring && length;
}

long limpet_channel_put(struct limpet_channel *channel, const void *data, size_t length,
			int timeout_ms)
{
	struct deadline deadline = deadline_make(timeout_ms);
	size_t done = 0;
	int error;

	if (!is_bytes(channel, channel->end.out_size, length))
		return -EINVAL;
	for (;;) {
		if (limpet_channel_connected(channel))
			done = bytes_put(&channel->end, data, length);
		if (done)
			break;
		error = wait_until(channel, LIMPET_SLEEP_SPACE, &deadline);
		if (error)
			return error;
	}
	limpet_channel_notify_if_wanted(channel, LIMPET_SLEEP_DATA);
	return (long)done;
}

long limpet_channel_take(struct limpet_channel *channel, void *buffer, size_t size, int timeout_ms)
{
	struct deadline deadline = deadline_make(timeout_ms);
	size_t done = 0;
	int error;

	if (!is_bytes(channel, channel->end.in_size, size))
		return -EINVAL;
	for (;;) {
		if (limpet_channel_connected(channel))
			done = bytes_take(&channel->end, buffer, size);
		if (done)
			break;
		error = wait_until(channel, LIMPET_SLEEP_DATA, &deadline);
		if (error)
			return error;
	}
	limpet_channel_notify_if_wanted(channel, LIMPET_SLEEP_SPACE);
	return (long)done;
}

/* --- shared memory and events */

void *limpet_channel_memory(const struct limpet_channel *channel, size_t *size)
{
	if (!is_shared(channel))
		return NULL;
	*size = channel->info.to_linux;
	return channel->memory + LIMPET_CHANNEL_PAGE;
}

int limpet_channel_event(struct limpet_channel *channel)
{
	if (!is_shared(channel))
		limpet_channel_connected(channel);
	return ioctl(channel->fd, LIMPET_NODE_EVENT) < 0 ? -errno : 0;
}

long limpet_channel_events(struct limpet_channel *channel)
{
	uint64_t count;

	if (!is_shared(channel))
		limpet_channel_connected(channel);
	if (ioctl(channel->fd, LIMPET_NODE_EVENTS, &count) < 0)
		return -errno;
	return count > LONG_MAX ? LONG_MAX : (long)count;
}

long limpet_channel_events_wait(struct limpet_channel *channel, int timeout_ms)
{
	struct deadline deadline = deadline_make(timeout_ms);
	long count;
	int error;

	if (!is_shared(channel))
		return -EINVAL;
	while (!(count = limpet_channel_events(channel))) {
		error = wait_until(channel, LIMPET_SLEEP_DATA, &deadline);
		if (error)
			return error;
	}
	return count;
}
