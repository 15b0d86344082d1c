// SPDX-License-Identifier: GPL-2.0
/*
 * watcher COUNT: an unprivileged process watches channel `bytes` COUNT times with one epoll instance, through as many
 * descriptors. Every 500 us it makes the component answer. It prints "watches" and continues until it is killed. An
 * additional epoll instance checks the component's wake-ups, which arrive only after earlier answers are read.
 * watcher -COUNT: the same with COUNT epoll instances that watch the channel, each watched by another one.
 */
#include <limpet/node.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "../../lib/device.h"

#define USER 1000

static void watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	if (epoll < 0 || fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll: %s", strerror(errno));
}

static void watches(int fd, long count)
{
	int epoll = epoll_create1(0);

	for (long i = 0; i < count; i++)
		watch(epoll, i ? dup(fd) : fd);
	for (long i = 0; i < -count; i++) {
		int inner = epoll_create1(0);

		watch(inner, fd);
		watch(epoll, inner);
	}
}

int main(int argc, char **argv)
{
	const struct rlimit many = { 70000, 70000 };
	unsigned long answers = 0, wakes = 0;
	struct epoll_event event;
	char bytes[64];
	int fd, own;

	if (argc != 2 || setrlimit(RLIMIT_NOFILE, &many))
		die("usage, or setrlimit: %s", strerror(errno));
	if (setgid(USER) || setuid(USER))
		die("setuid: %s", strerror(errno));
	fd = open(LIMPET_NODES "bytes", O_RDWR | O_NONBLOCK);
	if (fd < 0)
		die("bytes: %s", strerror(errno));
	do
		pause_us(10000);
	while (read(fd, bytes, sizeof(bytes)) > 0);
	own = epoll_create1(0);
	watch(own, fd);
	watches(fd, strtol(argv[1], NULL, 10));
	printf("watches\n");
	fflush(stdout);
	for (;;) {
		if (write(fd, "x", 1) < 0 && errno != EAGAIN)
			die("write: %s", strerror(errno));
		pause_us(500);
		wakes += epoll_wait(own, &event, 1, 0) > 0;
		if (read(fd, bytes, sizeof(bytes)) > 0)
			answers++;
		else if (errno != EAGAIN)
			die("read: %s", strerror(errno));
		if (answers % 1000 == 100) {
			if (wakes < answers / 4)
				die("%lu wake-ups in %lu answers", wakes, answers);
			printf("%lu answers\n", answers);
			fflush(stdout);
		}
	}
}
