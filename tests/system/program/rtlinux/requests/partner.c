// SPDX-License-Identifier: GPL-2.0
/*
 * A Linux program that sends requests to the module by ioctl(). Prints a line for each wrong result. "wait": waits for
 * an answer.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "rtl_fifo.h"

#include "commands.h"

#define CHILDREN 3
#define CALLS 100

static void expect(int result, int wanted, int error, const char *what)
{
	if (result != wanted || (result < 0 && errno != error))
		printf("wrong: %s: %d, errno %d\n", what, result, errno);
}

static int opened(const char *path)
{
	int fd = open(path, O_RDWR);

	if (fd < 0)
		perror(path);
	return fd;
}

static void answers(int fd)
{
	struct pair pair = { 3, 4 };
	static char large[1025];
	int value = 5;

	expect(ioctl(fd, ASK_ADD, 41), 42, 0, "a value");
	expect(ioctl(fd, ASK_SWAP, &pair), 0, 0, "bytes");
	expect(pair.first, 4, 0, "the first number");
	expect(pair.second, 3, 0, "the second number");
	expect(ioctl(fd, ASK_POINTER, &value), -1, EFAULT, "an address without bytes");
	expect(ioctl(fd, ASK_COMPUTE), 3, 0, "the thread preempts the handler");
	expect(ioctl(fd, 99), -1, EINVAL, "an unknown command");
	expect(ioctl(fd, ASK_LARGE, large), -1, E2BIG, "too many bytes");
}

static void others(int fd)
{
	int other = opened("/dev/rtf2"), null = opened("/dev/null"), value = 5, ends[2];

	expect(ioctl(other, ASK_ADD, 41), -1, ENOTTY, "a FIFO without a handler");
	expect(ioctl(other, FIONREAD, &value), 0, 0, "FIONREAD of a FIFO without a handler");
	expect(value, 0, 0, "its bytes");
	expect(ioctl(fd, FIONREAD, &value), -1, EINVAL, "FIONREAD with a handler");
	expect(ioctl(null, ASK_ADD, 41), -1, ENOTTY, "another file");
	expect(pipe(ends), 0, 0, "pipe");
	expect((int)write(ends[1], "abc", 3), 3, 0, "write");
	expect(ioctl(ends[0], FIONREAD, &value), 0, 0, "FIONREAD of a pipe");
	expect(value, 3, 0, "bytes of the pipe");
	expect(ioctl(1000, ASK_ADD, 41), -1, EBADF, "a descriptor that is not open");
}

static void nothing(int signal)
{
	(void)signal;
}

/* Checks that a late answer is not mistaken for that of the next call. */
static void interrupted(int fd)
{
	const struct sigaction action = { .sa_handler = nothing };

	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 3; i++) {
		ualarm(100000,
		       100000); /* again, because the first one can come before the call on a loaded machine */
		expect(ioctl(fd, ASK_SLOW, 400), -1, EINTR, "a signal");
		ualarm(0, 0);
		expect(ioctl(fd, ASK_ADD, i), i + 1, 0, "a call after a signal");
	}
}

/* Lets processes make requests in turn. */
static void several(int fd)
{
	int status;

	for (int child = 0; child < CHILDREN; child++)
		if (!fork()) {
			for (int i = 0; i < CALLS; i++)
				expect(ioctl(fd, ASK_ADD, child * CALLS + i), child * CALLS + i + 1,
				       0, "calls of several processes");
			fflush(stdout);
			_exit(0);
		}
	while (wait(&status) > 0)
		expect(status, 0, 0, "a child");
}

static void removed(int fd)
{
	expect(ioctl(fd, ASK_UNLINK), 0, 0, "the handler removes itself");
	expect(ioctl(fd, ASK_ADD, 41), -1, ENOTTY, "a removed handler");
}

int main(int count, char **words)
{
	const int fd = opened("/dev/rtf1");

	setvbuf(stdout, NULL, _IONBF, 0);
	if (count > 1 && !strcmp(words[1], "wait")) {
		expect(ioctl(fd, ASK_SLOW, 60000), -1, EPIPE, "the module stops");
		expect(ioctl(fd, ASK_ADD, 1), -1, EPIPE, "the module has stopped");
	} else if (count > 1 && !strcmp(words[1], "destroy")) {
		expect(ioctl(fd, ASK_DESTROY), 0, 0, "the handler destroys the FIFO");
		expect(ioctl(fd, ASK_ADD, 1), -1, EPIPE, "a destroyed FIFO");
	} else if (count > 1 && !strcmp(words[1], "remove")) {
		removed(fd);
	} else {
		answers(fd);
		others(fd);
		interrupted(fd);
		several(fd);
	}
	puts("asked");
	return 0;
}
