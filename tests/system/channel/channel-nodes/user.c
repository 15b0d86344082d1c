// SPDX-License-Identifier: GPL-2.0
/*
 * user WHAT: tries one use of the channels of nodes.toml, each with a component that answers. Exits with 0, or prints
 * the failure on stdout.
 */
#include <shared/channel/end.h>
#include <limpet/node.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "../../lib/device.h"

#define RING 4096ul
#define LONGEST LIMPET_MESSAGE_MAX(RING)
#define MANY (1ul << 20)
#define PATIENCE 20000 /* ms */

/* --- shared by all uses */

static void refuses(const char *name, int flags, int error)
{
	char path[64];

	snprintf(path, sizeof(path), LIMPET_NODES "%s", name);
	if (open(path, flags) >= 0 || errno != error)
		die("open of %s: %s instead of %s", path, strerror(errno), strerror(error));
}

/* Checks that a call fails with this error. */
static void fails(const char *what, long result, int error)
{
	if (result >= 0 || errno != error)
		die("%s: %ld, %s instead of %s", what, result, strerror(errno), strerror(error));
}

static void put(int fd, const void *message, size_t length)
{
	ssize_t done = write(fd, message, length);

	if (done != (ssize_t)length)
		die("write: %zd, %s", done, strerror(errno));
}

static void say(int fd, const char *message)
{
	put(fd, message, strlen(message));
}

static void hears(int fd, const char *message)
{
	char got[256] = "";
	ssize_t done = read(fd, got, sizeof(got) - 1);

	if (done != (ssize_t)strlen(message) || strcmp(got, message))
		die("'%s' (%zd, %s) instead of '%s'", got, done, strerror(errno), message);
}

static int ready(int fd, short events, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	if (poll(&poll_fd, 1, timeout_ms) < 0)
		die("poll: %s", strerror(errno));
	return poll_fd.revents;
}

/*
 * Returns the number of messages that the component got from "sink". The component answers in order, so it has handled
 * all earlier messages to "echo".
 */
static unsigned long counts(int fd)
{
	char got[64] = "";

	say(fd, "count");
	if (ready(fd, POLLIN, PATIENCE) != POLLIN || read(fd, got, sizeof(got) - 1) <= 0)
		die("count");
	return strtoul(got + 6, NULL, 10);
}

/* --- messages */

static void messages(void)
{
	int fd = node_open("echo", O_RDWR);
	char message[200];

	for (int length = 0; length < (int)sizeof(message); length++) {
		char got[sizeof(message)];

		memset(message, 'a' + length % 26, sizeof(message));
		put(fd, message, length);
		if (read(fd, got, sizeof(got)) != length || memcmp(got, message, length))
			die("a message of %d bytes does not come back", length);
	}
	say(fd, "one");
	say(fd, "two");
	hears(fd, "one");
	hears(fd, "two");
}

static void sizes(void)
{
	int fd = node_open("echo", O_RDWR), sink = node_open("sink", O_WRONLY);
	char message[2 * RING] = { 0 };

	fails("a message too long", write(sink, message, LONGEST + 1), EMSGSIZE);
	put(sink, message, LONGEST);
	say(fd, "a longer one");
	fails("a buffer too short", read(fd, message, 4), EMSGSIZE);
	hears(fd, "a longer one");
	fails("read of what is only written", read(sink, message, 1), EBADF);
	fails("read of a ring that is not there", read(node_open("sink", O_RDONLY), message, 1),
	      EINVAL);
}

static void busy(void)
{
	int fd = node_open("echo", O_RDONLY), other;

	refuses("echo", O_RDONLY, EBUSY);
	refuses("echo", O_RDWR, EBUSY);
	other = node_open("echo", O_WRONLY);
	refuses("echo", O_WRONLY, EBUSY);
	say(other, "through two");
	hears(fd, "through two");
	close(fd);
	close(node_open("echo", O_RDONLY));
	refuses("none", O_RDONLY, ENOENT);
}

/* Checks that the component sees whether a process has the channel open. */
static void seen(void)
{
	int fd = node_open("echo", O_RDWR), sink;

	say(fd, "open");
	hears(fd, "open 0");
	sink = node_open("sink", O_WRONLY);
	say(fd, "open");
	hears(fd, "open 1");
	close(sink);
	say(fd, "open");
	hears(fd, "open 0");
}

/* Returns the bytes that Linux has put into the ring, as a monitor sees them. */
static unsigned long counted(int monitor)
{
	struct limpet_channel_header header;

	if (ioctl(monitor, LIMPET_NODE_HEADER, &header))
		die("LIMPET_NODE_HEADER: %s", strerror(errno));
	return header.host.head;
}

/* A monitor sees the load beside a reader and a writer, can neither read nor write, and does not connect. */
static void monitored(void)
{
	int monitor = node_open("sink", LIMPET_NODE_MONITOR), echo = node_open("echo", O_RDWR),
	    sink, other;
	char byte = 0;

	say(echo, "open");
	hears(echo, "open 0");
	sink = node_open("sink", O_WRONLY);
	say(echo, "open");
	hears(echo, "open 1");
	other = node_open("echo", LIMPET_NODE_MONITOR);
	const unsigned long before = counted(other);

	say(echo, "monitored");
	hears(echo, "monitored");
	if (counted(other) != before + 24)
		die("%lu bytes for a message of 9", counted(other) - before);
	if (read(other, &byte, 1) != -1 || errno != EBADF || write(other, &byte, 1) != -1 ||
	    errno != EBADF)
		die("%s", "a monitor reads or writes");
	close(other);
	close(monitor);
	say(echo, "open");
	hears(echo, "open 1");
	close(sink);
	monitor = node_open("sink", LIMPET_NODE_MONITOR);
	say(echo, "open");
	hears(echo, "open 0");
	close(monitor);
}

/* --- waiting */

static void interrupt(int signal)
{
	(void)signal;
}

/* Checks that a waiting process is notified, although another one has stopped waiting for the same. */
static void two_wait(void)
{
	const struct itimerval soon = { { 0, 100000 }, { 0, 100000 } };
	const struct sigaction action = { .sa_handler = interrupt };
	int fd = node_open("echo", O_RDWR), status;
	char got[16];
	pid_t child = fork();

	if (child < 0)
		die("fork: %s", strerror(errno));
	if (!child)
		_exit(ready(fd, POLLIN, PATIENCE) != POLLIN);
	usleep(100000);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	fails("an interrupted read", read(fd, got, sizeof(got)), EINTR);
	alarm(60); /* replaces the interval */
	signal(SIGALRM, SIG_DFL);
	say(fd, "for both");
	if (waitpid(child, &status, 0) != child || status)
		die("a waiter was not notified of a message: status %#x", status);
	hears(fd, "for both");
}

static void nonblock(void)
{
	int fd = node_open("echo", O_RDWR | O_NONBLOCK),
	    sink = node_open("sink", O_WRONLY | O_NONBLOCK);
	char message[LONGEST] = { 0 };
	int puts = 0;

	fails("nothing to read", read(fd, message, sizeof(message)), EAGAIN);
	if (ready(fd, POLLOUT, PATIENCE) != POLLOUT || ready(sink, POLLOUT, PATIENCE) != POLLOUT)
		die("an empty ring is not writable");
	say(fd, "hold");
	counts(fd);
	while (write(sink, message, 1000) == 1000)
		puts++;
	if (errno != EAGAIN || puts < 3)
		die("a full ring: %s after %d messages", strerror(errno), puts);
	if (ready(sink, POLLOUT, 50))
		die("a full ring is writable");
	say(fd, "go");
	if (ready(sink, POLLOUT, PATIENCE) != POLLOUT)
		die("a ring that was emptied does not become writable");
	put(sink, message, LONGEST);
}

static void polled(void)
{
	int fd = node_open("echo", O_RDWR), epoll = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	struct timeval soon = { .tv_usec = 20000 }, late = { .tv_sec = PATIENCE / 1000 };
	fd_set set;

	if (ready(fd, POLLIN, 20))
		die("poll: something, and nothing was sent");
	say(fd, "poll");
	if (ready(fd, POLLIN, PATIENCE) != POLLIN || ready(fd, POLLIN, 0) != POLLIN)
		die("poll: no answer, or only once");
	hears(fd, "poll");
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) || epoll_wait(epoll, &event, 1, 20))
		die("epoll: something, and nothing was sent");
	say(fd, "epoll");
	if (epoll_wait(epoll, &event, 1, PATIENCE) != 1 || event.events != EPOLLIN)
		die("epoll: no answer");
	hears(fd, "epoll");
	FD_ZERO(&set);
	FD_SET(fd, &set);
	if (select(fd + 1, &set, NULL, NULL, &soon))
		die("select: something, and nothing was sent");
	say(fd, "select");
	FD_SET(fd, &set);
	if (select(fd + 1, &set, NULL, NULL, &late) != 1)
		die("select: no answer");
	hears(fd, "select");
}

/* --- bytes, shared memory */

static unsigned char byte_of(size_t at)
{
	return (unsigned char)(at * 2654435761u >> 13);
}

static void bytes_send(int fd)
{
	static unsigned char data[MANY];
	size_t done = 0;

	for (size_t i = 0; i < MANY; i++)
		data[i] = byte_of(i);
	while (done < MANY) {
		ssize_t part = write(fd, data + done, MANY - done);

		if (part <= 0)
			die("bytes: write: %s", strerror(errno));
		done += (size_t)part;
	}
}

static void bytes(void)
{
	static unsigned char data[5000];
	int to = node_open("bytes", O_WRONLY), from = node_open("bytes", O_RDONLY);
	size_t got = 0;
	pid_t writer = fork();

	if (!writer) {
		bytes_send(to);
		exit(0);
	}
	while (got < MANY) {
		ssize_t part = read(from, data, sizeof(data));

		if (part <= 0)
			die("bytes: read: %zd, %s", part, strerror(errno));
		for (ssize_t i = 0; i < part; i++, got++)
			if (data[i] != byte_of(got))
				die("bytes: byte %zu is wrong", got);
	}
	waitpid(writer, NULL, 0);
}

static void shared(void)
{
	int fd = node_open("shared", O_RDWR);
	struct limpet_node_info info;
	uint64_t count, sum = 0;
	volatile uint64_t *memory;
	char *map;

	if (ioctl(fd, LIMPET_NODE_INFO, &info) || info.mode != LIMPET_CHANNEL_SHARED ||
	    info.to_linux != 8192)
		die("info: %s", strerror(errno));
	map = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	memory = (void *)(map + LIMPET_CHANNEL_PAGE);
	memory[0] = 0;
	memory[1023] = 7;
	for (int i = 0; i < 100; i++)
		while (ioctl(fd, LIMPET_NODE_EVENT))
			if (errno != EAGAIN)
				die("event: %s", strerror(errno));
	while (sum < 100) {
		if (read(fd, &count, sizeof(count)) != sizeof(count) || !count)
			die("events: %s", strerror(errno));
		sum += count;
	}
	if (sum != 100 || memory[0] != 100)
		die("events: %lu answers, %lu came, instead of 100", sum, memory[0]);
	fails("write into shared memory's node", write(fd, &sum, sizeof(sum)), EINVAL);
}

static void maps(void)
{
	int fd = node_open("echo", O_RDONLY);
	struct limpet_node_info info;
	char byte;

	if (ioctl(fd, LIMPET_NODE_INFO, &info))
		die("info: %s", strerror(errno));
	if (mmap(NULL, info.size, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED || errno != EACCES)
		die("mapped by who may only read");
	close(fd);
	fd = node_open("echo", O_RDWR);
	if (mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) != MAP_FAILED ||
	    mmap(NULL, info.size + RING, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED)
		die("mapped in part or privately");
	if (mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	fails("read beside a mapping", read(fd, &byte, 1), EBADFD);
	fails("write beside a mapping", write(fd, &byte, 1), EBADFD);
}

/* Checks that all files of a channel are of one node, because their mappings are replaced by it. */
static void elsewhere(void)
{
	int fd = node_open("shared", O_RDWR), other;
	struct stat stat;

	if (fstat(fd, &stat) || mknod("/tmp/shared", S_IFCHR | 0600, stat.st_rdev))
		die("mknod: %s", strerror(errno));
	fails("another node of the channel", open("/tmp/shared", O_RDWR), EBUSY);
	close(fd);
	other = open("/tmp/shared", O_RDWR);
	if (other < 0)
		die("another node alone: %s", strerror(errno));
	refuses("shared", O_RDWR, EBUSY);
	close(other);
	close(node_open("shared", O_RDWR));
	unlink("/tmp/shared");
}

static void denied(void)
{
	if (setgid(1000) || setuid(1000))
		die("setuid");
	refuses("echo", O_RDWR, EACCES);
	refuses("sink", O_WRONLY, EACCES);
	refuses("control", O_RDWR, EACCES);
	close(node_open("bytes", O_RDWR));
}

/* --- users that are killed */

static void killed(void)
{
	int sink, echo, status, pipes[2];
	char message[64] = "";
	pid_t flood;

	if (pipe(pipes))
		die("pipe");
	flood = fork();
	if (!flood) {
		sink = node_open("sink", O_WRONLY);
		put(pipes[1], message, 1);
		for (;;)
			if (write(sink, message, sizeof(message)) < 0)
				exit(1);
	}
	if (read(pipes[0], message, 1) != 1)
		die("pipe: %s", strerror(errno));
	pause_us(100000);
	refuses("sink", O_WRONLY, EBUSY);
	kill(flood, SIGKILL);
	waitpid(flood, &status, 0);
	if (!WIFSIGNALED(status))
		die("the flood ended by itself");
	sink = node_open("sink", O_WRONLY);
	put(sink, message, sizeof(message));
	echo = node_open("echo", O_RDWR);
	say(echo, "after a kill");
	hears(echo, "after a kill");
}

/* Checks that data of a process remain after its end, and that the next process continues after them. */
static void ended(void)
{
	const double end = seconds() + PATIENCE / 1000;
	int echo = node_open("echo", O_RDWR);
	unsigned long before = counts(echo), after;

	say(echo, "hold");
	for (int i = 0; i < 3; i++) {
		int sink = node_open("sink", O_WRONLY);

		say(sink, "left behind");
		close(sink);
	}
	say(echo, "go");
	while ((after = counts(echo)) < before + 3 && seconds() < end)
		pause_us(5000);
	if (after != before + 3)
		die("%lu, then %lu", before, after);
}

static uint64_t source_all(int source, uint64_t next)
{
	uint64_t message[16], count = 0;

	while (ready(source, POLLIN, 100) & POLLIN) {
		if (read(source, message, sizeof(message)) != 100)
			die("source: %s", strerror(errno));
		if (message[0] != next + count++)
			die("source: %lu instead of %lu", message[0], next + count - 1);
	}
	return count;
}

/* Checks that a stopped reader does not disturb others: its ring becomes full, and is used again later. */
static void stopped(void)
{
	int echo = node_open("echo", O_RDWR), pipes[2];
	uint64_t count[2] = { 0, 0 }, more;
	pid_t reader;
	char text[64] = "";

	if (pipe(pipes))
		die("pipe");
	reader = fork();
	if (!reader) {
		int source = node_open("source", O_RDONLY);

		raise(SIGSTOP);
		count[0] = source_all(source, 0);
		put(pipes[1], count, sizeof(*count));
		raise(SIGSTOP);
		count[1] = source_all(source, count[0]);
		put(pipes[1], count + 1, sizeof(*count));
		exit(0);
	}
	for (int i = 0; i < 2; i++) {
		waitpid(reader, NULL, WUNTRACED);
		pause_us(20000);
		say(echo, "fill");
		if (read(echo, text, sizeof(text) - 1) <= 0 || strtoul(text + 7, NULL, 10) < 20)
			die("a stopped reader: '%s'", text);
		say(echo, "goes on");
		hears(echo, "goes on");
		kill(reader, SIGCONT);
		if (read(pipes[0], &more, sizeof(more)) != sizeof(more) ||
		    more != strtoul(text + 7, NULL, 10))
			die("%lu came of '%s'", more, text);
		memset(text, 0, sizeof(text));
	}
	waitpid(reader, NULL, 0);
}

/* Sends events for a second without a pause, while a thread with a higher priority than the component continues. */
static void flood(void)
{
	int fd = node_open("shared", O_RDWR);
	double end = seconds() + 1;

	while (seconds() < end)
		if (fsync(fd))
			die("fsync: %s", strerror(errno));
}

/* --- a component that crashes */

static void crash(void)
{
	int fd = node_open("echo", O_RDWR), sink = node_open("sink", O_WRONLY);
	char byte;
	struct limpet_node_info before, after;

	if (ioctl(fd, LIMPET_NODE_INFO, &before) || before.gone)
		die("info: %s", strerror(errno));
	say(fd, "left");
	if (ready(fd, POLLIN, PATIENCE) != POLLIN)
		die("no answer");
	say(fd, "crash");
	if (!(ready(sink, 0, PATIENCE) & POLLHUP) || !(ready(fd, POLLIN, PATIENCE) & POLLHUP))
		die("no POLLHUP");
	pause_us(200000); /* the component runs again, but this file is not connected to it */
	if (!(ready(fd, POLLIN, 0) & POLLHUP))
		die("POLLHUP does not stay");
	fails("write to who is gone", write(fd, "x", 1), EPIPE);
	fails("read from who is gone", read(fd, &byte, 1), EPIPE);
	if (ioctl(fd, LIMPET_NODE_INFO, &after) || !after.gone || after.stops != before.stops)
		die("info: stops %u, then %u", before.stops, after.stops);
	close(fd);
	close(sink);
	fd = node_open("echo", O_RDWR);
	if (ioctl(fd, LIMPET_NODE_INFO, &after) || after.gone || after.stops != before.stops + 1)
		die("info of the next open: stops %u, then %u", before.stops, after.stops);
	say(fd, "again");
	hears(fd, "again");
}

/* Checks that a process that sleeps in a read is notified. */
static void crash_asleep(void)
{
	int reads = node_open("echo", O_RDONLY), writes = node_open("echo", O_WRONLY), status;
	pid_t reader = fork();
	char byte;

	if (!reader)
		exit(read(reads, &byte, 1) >= 0 || errno != EPIPE);
	pause_us(50000);
	say(writes, "crash");
	waitpid(reader, &status, 0);
	if (status)
		die("a reader that slept: status %d", status);
}

/* Has a channel open while the system stops. Prints a line when it waits. */
static void system_ends(void)
{
	int fd = node_open("echo", O_RDWR);
	char byte;

	printf("waits\n");
	fflush(stdout);
	fails("read from a system that ended", read(fd, &byte, 1), EPIPE);
	if (!(ready(fd, 0, 0) & POLLHUP))
		die("no POLLHUP");
	close(fd);
	refuses("echo", O_RDWR, ENOENT);
}

static const struct {
	const char *name;
	void (*run)(void);
} uses[] = {
	{ "messages", messages },
	{ "sizes", sizes },
	{ "busy", busy },
	{ "seen", seen },
	{ "monitored", monitored },
	{ "nonblock", nonblock },
	{ "two-wait", two_wait },
	{ "polled", polled },
	{ "bytes", bytes },
	{ "shared", shared },
	{ "maps", maps },
	{ "elsewhere", elsewhere },
	{ "denied", denied },
	{ "killed", killed },
	{ "ended", ended },
	{ "stopped", stopped },
	{ "flood", flood },
	{ "crash", crash },
	{ "crash-asleep", crash_asleep },
	{ "system-ends", system_ends },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(uses) / sizeof(*uses); i++)
		if (!strcmp(uses[i].name, argv[1])) {
			alarm(60);
			uses[i].run();
			return 0;
		}
	return 2;
}
