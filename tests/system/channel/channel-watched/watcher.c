// SPDX-License-Identifier: GPL-2.0
/*
 * watcher COUNT: an unprivileged process that watches the channel bytes by one epoll, COUNT times: by as many
 * descriptors of it. Each 500 us it makes the component answer. Says "watches" and goes on until it is killed.
 * watcher -COUNT: the same by COUNT epolls that watch the channel, each watched by another one.
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
	unsigned long answers = 0;
	char bytes[64];
	int fd;

	if (argc != 2 || setrlimit(RLIMIT_NOFILE, &many))
		die("usage, or setrlimit: %s", strerror(errno));
	if (setgid(USER) || setuid(USER))
		die("setuid: %s", strerror(errno));
	fd = open(LIMPET_NODES "bytes", O_RDWR | O_NONBLOCK);
	if (fd < 0)
		die("bytes: %s", strerror(errno));
	watches(fd, strtol(argv[1], NULL, 10));
	printf("watches\n");
	fflush(stdout);
	for (;;) {
		if (write(fd, "x", 1) < 0 && errno != EAGAIN)
			die("write: %s", strerror(errno));
		pause_us(500);
		if (read(fd, bytes, sizeof(bytes)) > 0)
			answers++;
		else if (errno != EAGAIN)
			die("read: %s", strerror(errno));
		if (answers % 1000 == 100) {
			printf("%lu answers\n", answers);
			fflush(stdout);
		}
	}
}
