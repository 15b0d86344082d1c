// SPDX-License-Identifier: GPL-2.0
/*
 * holder COUNT: opens and maps the channels echo and, twice, shared of COUNT systems in turn, writes into them, and
 * prints "holds N". After the end of the system it checks each call, and prints "ended N". When the next system runs, it
 * checks that the memory is zero. It keeps all files open and mapped.
 */
#include <limpet/node.h>
#include <poll.h>
#include <sys/mman.h>

#include "../../lib/device.h"

struct held {
	int fd;
	size_t size;
	volatile uint8_t *memory;
};

static int opens(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), LIMPET_NODES "%s", name);
	while ((fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
		pause_us(20000);
	return fd;
}

static struct held holds(const char *name)
{
	struct held held = { .fd = opens(name) };
	struct limpet_node_info info;

	if (ioctl(held.fd, LIMPET_NODE_INFO, &info))
		die("info: %s", strerror(errno));
	held.size = info.size;
	held.memory = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, held.fd, 0);
	if (held.memory == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	held.memory[held.size - 1] = 7;
	return held;
}

static void end_wait(const struct held *held)
{
	struct pollfd ends = { .fd = held->fd };

	while (!(ends.revents & POLLHUP))
		if (poll(&ends, 1, 20000) != 1)
			die("the system does not end");
}

/* Checks that mapped memory is zero. Called when the next system runs, because beneath mode keeps it until then. */
static void is_zero(const struct held *held)
{
	for (size_t at = 0; at < held->size; at++)
		if (held->memory[at])
			die("byte %zu is %u", at, held->memory[at]);
	held->memory[0] = 1;
	held->memory[held->size - 1] = 2;
	if (held->memory[0] != 1 || held->memory[held->size - 1] != 2)
		die("what is written is not there");
}

/* Checks that this mapping has the page into which is_zero() has written by another mapping of the channel. */
static void is_replaced(const struct held *held)
{
	if (held->memory[0] != 1 || held->memory[held->size - 1] != 2)
		die("the second mapping was not replaced");
}

static void is_gone(const struct held *held)
{
	struct limpet_channel_header header;
	struct limpet_node_info info;

	if (ioctl(held->fd, LIMPET_NODE_INFO, &info) || !info.gone)
		die("info: the channel is not gone");
	if (ioctl(held->fd, LIMPET_NODE_WAIT, LIMPET_SLEEP_DATA) >= 0 || errno != EPIPE)
		die("wait: %s", strerror(errno));
	if (ioctl(held->fd, LIMPET_NODE_EVENT) >= 0 || errno != EPIPE)
		die("event: %s", strerror(errno));
	if (ioctl(held->fd, LIMPET_NODE_HEADER, &header) >= 0 || errno != EPIPE)
		die("header: %s", strerror(errno));
	if (fsync(held->fd))
		die("fsync: %s", strerror(errno));
	if (mmap(NULL, held->size, PROT_READ, MAP_SHARED, held->fd, 0) != MAP_FAILED)
		die("it can be mapped again");
}

int main(int argc, char **argv)
{
	const long count = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	struct held before[3];

	for (long i = 1; i <= count; i++) {
		const struct held echo = holds("echo"), shared = holds("shared"),
				  second = holds("shared");

		if (i > 1) {
			is_zero(&before[0]);
			is_zero(&before[1]);
			is_replaced(&before[2]);
		}
		printf("holds %ld\n", i);
		fflush(stdout);
		end_wait(&echo);
		end_wait(&shared);
		is_gone(&echo);
		is_gone(&shared);
		before[0] = echo;
		before[1] = shared;
		before[2] = second;
		printf("ended %ld\n", i);
		fflush(stdout);
	}
	for (;;)
		pause();
}
