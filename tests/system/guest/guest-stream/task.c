// SPDX-License-Identifier: GPL-2.0
/*
 * Unmodified programs that receive packets and compute for 400 µs for each of them. They run on CPU 0 from START on, in
 * seconds of CLOCK_MONOTONIC.
 *
 *   NAME CALL START MS      Receives packets without a pause until START + MS milliseconds, by the call read, readv,
 *                           recvfrom, recvmsg or recvmmsg.
 *   NAME pipe START MS      Receives packets that a child sends every 5 ms.
 *   NAME exit START MS      Is like `read`, and has two threads. The program's end also ends the second one.
 *
 * Prints the number of packets, and the minimum number in windows of 100 ms.
 */
#include "tests/system/lib/device.h"
#include "tests/system/lib/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define WORK 400000ll
#define WINDOW (100 * MS)
#define WINDOWS_MAX 1000

static char byte;
static int sockets[2], zero;
static long packets[WINDOWS_MAX];

/* Receives by a call for sockets. The packet is sent here first. */
static ssize_t socket_receive(const char *call)
{
	struct iovec part = { &byte, 1 };
	struct mmsghdr message = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };

	if (send(sockets[1], "", 1, 0) != 1)
		die("send: %s", strerror(errno));
	if (!strcmp(call, "recvfrom"))
		return recvfrom(sockets[0], &byte, 1, 0, NULL, NULL);
	if (!strcmp(call, "recvmsg"))
		return recvmsg(sockets[0], &message.msg_hdr, 0);
	return recvmmsg(sockets[0], &message, 1, 0, NULL);
}

static ssize_t receive(const char *call)
{
	struct iovec part = { &byte, 1 };

	if (!strcmp(call, "readv"))
		return readv(zero, &part, 1);
	if (!strncmp(call, "recv", 4))
		return socket_receive(call);
	return read(zero, &byte, 1);
}

static void *other_thread(void *unused)
{
	for (;;) {
		receive("read");
		compute(WORK);
	}
	return unused;
}

/* Starts a child that sends a packet every 5 ms. */
static void sender_start(int64_t start, int64_t end)
{
	int ends[2];

	if (pipe(ends))
		die("pipe: %s", strerror(errno));
	if (!fork()) {
		for (int64_t at = start; at < end + 100 * MS; at += 5 * MS) {
			sleep_until(at);
			if (write(ends[1], "", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(ends[1]);
	zero = ends[0];
}

static void report(int64_t windows)
{
	long sum = 0, min = packets[0];

	for (int64_t i = 0; i < windows; i++) {
		sum += packets[i];
		min = packets[i] < min ? packets[i] : min;
	}
	printf("%ld %ld\n", sum, min);
}

int main(int argc, char **argv)
{
	int64_t start, end, at;
	pthread_t thread;
	cpu_set_t cpus;

	if (argc != 4)
		return 2;
	start = atoll(argv[2]) * SECOND;
	end = start + atoll(argv[3]) * MS;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	zero = open("/dev/zero", O_RDONLY);
	if (zero < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) ||
	    sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	if (!strcmp(argv[1], "pipe"))
		sender_start(start, end);
	sleep_until(start);
	if (!strcmp(argv[1], "exit") && pthread_create(&thread, NULL, other_thread, NULL))
		return 1;
	for (at = start; at < end && receive(argv[1]) == 1; at = now(CLOCK_MONOTONIC)) {
		packets[(at - start) / WINDOW]++;
		compute(WORK);
	}
	report((end - start) / WINDOW);
	fflush(stdout);
	_exit(0);
}
