// SPDX-License-Identifier: GPL-2.0
/*
 * refusals TAP: tests the refusals of LIMPET_NODE_TAP, with channel `uplink` and an interface of this name. Exits with
 * 0 if all are correct.
 */
#include <limpet/node.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../lib/device.h"

#define TUNSETIFF 0x400454cau
#define IFF_TAP 2
#define IFF_NO_PI 0x1000

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static int tap_make(const char *name)
{
	struct {
		char name[16];
		short flags;
		char rest[22];
	} request = { .flags = IFF_TAP | IFF_NO_PI };
	int fd = opened("/dev/net/tun", O_RDWR);

	snprintf(request.name, sizeof(request.name), "%s", name);
	if (ioctl(fd, TUNSETIFF, &request))
		die("TUNSETIFF: %s", strerror(errno));
	return fd;
}

static void fails(const char *what, long result, int error)
{
	if (result >= 0 || errno != error)
		die("%s: %ld, %s instead of %s", what, result, strerror(errno), strerror(error));
}

static long carry(int channel, int fd, unsigned int link)
{
	struct limpet_node_tap argument = { .fd = fd, .link = link };

	return ioctl(channel, LIMPET_NODE_TAP, &argument);
}

static void arguments(int channel, int tap)
{
	int closed = opened("/dev/null", O_RDWR);

	fails("a file that is none", carry(channel, -1, 0), EBADF);
	close(closed);
	fails("a file that is closed", carry(channel, closed, 0), EBADF);
	fails("another device", carry(channel, opened("/dev/null", O_RDWR), 0), EINVAL);
	fails("itself", carry(channel, channel, 0), EINVAL);
	fails("a device that is not to be written",
	      carry(channel, opened("/dev/net/tun", O_RDONLY), 0), EINVAL);
	fails("a device of no interface", carry(channel, opened("/dev/net/tun", O_RDWR), 0),
	      EBADFD);
	fails("a link that is neither", carry(channel, tap, 2), EINVAL);
	fails("an argument that is not there", ioctl(channel, LIMPET_NODE_TAP, 1ul), EFAULT);
}

static volatile unsigned int carried_link; /* the link state that carry_on() passed last */
static volatile pid_t carrier;		   /* the thread of carry_on() */

/* Runs until a signal ends the process. */
static void *carry_on(void *fds)
{
	const int *fd = fds;

	carrier = (pid_t)syscall(SYS_gettid);
	for (;; carried_link = !carried_link)
		if (carry(fd[0], fd[1], carried_link))
			die("carry: %s", strerror(errno));
	return NULL;
}

/* Checks that all other uses of the channel are refused meanwhile. `fd`: the channel and the TAP device. */
static void others(int *fd)
{
	char bytes[64] = { 0 };
	uint64_t events;
	pthread_t thread;

	if (pthread_create(&thread, NULL, carry_on, fd))
		die("no thread");
	/* The first call returns when the link is up. Only the second call blocks, and makes the channel busy. */
	for (int tries = 0; !carried_link || task_state(carrier) != 'S'; tries++) {
		if (tries == 20000)
			die("the second LIMPET_NODE_TAP does not block within 20 s");
		usleep(1000);
	}
	fails("write", write(fd[0], bytes, sizeof(bytes)), EBUSY);
	fails("read", read(fd[0], bytes, sizeof(bytes)), EBUSY);
	fails("another call", carry(fd[0], fd[1], 0), EBUSY);
	fails("an event", ioctl(fd[0], LIMPET_NODE_EVENT), EBUSY);
	fails("its events", ioctl(fd[0], LIMPET_NODE_EVENTS, &events), EBUSY);
}

static void mapped(int channel, int tap)
{
	struct limpet_node_info info;

	if (ioctl(channel, LIMPET_NODE_INFO, &info) ||
	    mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, channel, 0) == MAP_FAILED)
		die("map: %s", strerror(errno));
	fails("a channel that is mapped", carry(channel, tap, 0), EBADFD);
}

/* Runs in a separate process, which ends the threads. It has its own device, because a copied descriptor is refused. */
static void others_apart(int channel)
{
	int status;

	if (!fork()) {
		int fd[2] = { channel, tap_make("apart") };

		others(fd);
		exit(0);
	}
	if (wait(&status) < 0 || status)
		exit(1);
}

int main(int argc, char **argv)
{
	int fd[2], half;

	if (argc != 2)
		return 2;
	fd[1] = tap_make(argv[1]);
	half = opened(LIMPET_NODES "uplink", O_RDONLY);
	fails("a channel that is open for one way", carry(half, fd[1], 0), EINVAL);
	close(half);
	fd[0] = opened(LIMPET_NODES "uplink", O_RDWR | O_NONBLOCK);
	arguments(fd[0], fd[1]);
	others_apart(fd[0]);
	mapped(fd[0], fd[1]);
	return 0;
}
