// SPDX-License-Identifier: GPL-2.0
/* user WHAT: tries one use of the FIFOs and the buffer of fifo.toml. Exits with 0, or prints the error. */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../lib/device.h"
#include <cli/client/rtlinux/mbuff.h>

#define PATIENCE 20000 /* ms */
#define SIZE 4000

static int fifo_open(int number, int flags)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/rtf%d", number);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static void is(const char *what, long got, long wanted)
{
	if (got != wanted)
		die("%s: %ld, %s instead of %ld", what, got, strerror(errno), wanted);
}

static void fails(const char *what, long got, int error)
{
	if (got >= 0 || errno != error)
		die("%s: %ld, %s instead of %s", what, got, strerror(errno), strerror(error));
}

static int ready(int fd, short events, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	if (poll(&poll_fd, 1, timeout_ms) < 0)
		die("poll: %s", strerror(errno));
	return poll_fd.revents;
}

/* Checks that a child ends with this status of waitpid(). */
static void ends(const char *what, pid_t child, int wanted)
{
	int status = 0;

	if (waitpid(child, &status, 0) != child || status != wanted)
		die("%s: status %x instead of %x", what, status, wanted);
}

/* Returns the component's answer to a command. */
static long ask(const char *command)
{
	int fd = fifo_open(0, O_RDWR);
	char line[32] = "";

	is(command, write(fd, command, strlen(command)), (long)strlen(command));
	if (read(fd, line, sizeof(line) - 1) <= 0)
		die("answer to %s: %s", command, strerror(errno));
	close(fd);
	return atol(line);
}

static void nonblock(void)
{
	char bytes[64];
	int fd = fifo_open(1, O_RDONLY | O_NONBLOCK), waiting;

	ask("x 1");
	is("read of nothing", read(fd, bytes, sizeof(bytes)), 0);
	is("poll of nothing", ready(fd, POLLIN, 0), 0);
	is("put", ask("p 10"), 10);
	is("poll", ready(fd, POLLIN, PATIENCE), POLLIN);
	is("FIONREAD", ioctl(fd, FIONREAD, &waiting), 0);
	is("bytes that wait", waiting, 10);
	is("part", read(fd, bytes, 4), 4);
	is("rest", read(fd, bytes, sizeof(bytes)), 6);
	fails("mmap", (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == -1 ? -1 : 0, ENODEV);
	fails("write", write(fd, bytes, 1), EBADF);
	fails("second reader", open("/dev/rtf1", O_RDONLY), EACCES);
	fails("lseek", lseek(fd, 0, SEEK_SET), ESPIPE);
	close(fd);
}

/* Checks poll() and read() that wait, and a reader that is killed while it waits. */
static void waits(void)
{
	int fd = fifo_open(1, O_RDONLY);
	char bytes[64];
	pid_t reader = fork();

	if (!reader)
		_exit(read(fd, bytes, sizeof(bytes)) == 16 && ready(fd, POLLIN, PATIENCE) == POLLIN
			      ? 0
			      : 1);
	if (!task_sleeps_within(reader, 20))
		die("the reader does not wait");
	is("put to a reader", ask("p 16"), 16);
	while (ask("u 1"))
		;
	if (!task_sleeps_within(reader, 20))
		die("the poller does not wait");
	is("put to a poller", ask("p 7"), 7);
	ends("reader", reader, 0);
	is("left", read(fd, bytes, sizeof(bytes)), 7);
	reader = fork();
	if (!reader)
		_exit(read(fd, bytes, sizeof(bytes)) > 0);
	if (!task_sleeps_within(reader, 20))
		die("the reader does not wait again");
	close(fd);
	kill(reader, SIGKILL);
	ends("the reader that is killed", reader, SIGKILL);
	is("put for no reader", ask("p 9"), 9);
	fd = fifo_open(1, O_RDONLY);
	is("read after a reader was killed", read(fd, bytes, sizeof(bytes)), 9);
	close(fd);
}

/* Sends more bytes through a user pair than both rings hold. write() waits until all are written. */
static void pair(void)
{
	static char out[5 * SIZE], in[5 * SIZE];
	int fd = fifo_open(2, O_RDWR);
	size_t got = 0;
	pid_t writer;

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (char)(i * 7 + i / 256);
	writer = fork();
	if (!writer)
		_exit(write(fd, out, sizeof(out)) == sizeof(out) ? 0 : 1);
	while (got < sizeof(in)) {
		ssize_t more = read(fd, in + got, sizeof(in) - got);

		if (more <= 0)
			die("read after %zu bytes: %s", got, strerror(errno));
		got += (size_t)more;
	}
	if (memcmp(in, out, sizeof(in)))
		die("other bytes came back");
	ends("writer", writer, 0);
	close(fd);
}

/* Fills FIFO 3, which the component does not read. */
static void full(void)
{
	static char block[SIZE];
	int fd = fifo_open(3, O_WRONLY | O_NONBLOCK);

	is("block that fits", write(fd, block, SIZE - 10), SIZE - 10);
	fails("block that does not", write(fd, block, 11), EAGAIN);
	is("poll with space", ready(fd, POLLOUT, 0), POLLOUT);
	is("rest", write(fd, block, 10), 10);
	is("poll without", ready(fd, POLLOUT, 0), 0);
	is("flush", ask("x 2"), 0);
	close(fd);
}

/* Checks a FIFO that is destroyed and created again while a process has it open. */
static void destroyed(void)
{
	int fd = fifo_open(4, O_WRONLY);

	is("open", ask("o 4"), 1);
	is("destroy", ask("d 4"), 0);
	is("destroy twice", ask("d 4"), -ENODEV);
	fails("open", open("/dev/rtf4", O_RDONLY), ENODEV);
	fails("write", write(fd, "x", 1), EPIPE);
	if (!(ready(fd, POLLOUT, 0) & POLLHUP))
		die("poll does not say that the FIFO is gone");
	is("create", ask("k 4"), 0);
	is("create twice", ask("k 4"), -EBUSY);
	is("create beyond the system file", ask("k 6"), -ENODEV);
	is("write", write(fd, "x", 1), 1);
	close(fd);
}

static void within(volatile uint64_t *word, uint64_t wanted, const char *what)
{
	double end = seconds() + PATIENCE / 1000;

	while (*word != wanted) {
		if (seconds() > end)
			die("%s: %lu instead of %lu", what, *word, wanted);
		pause_us(2000);
	}
}

/* Checks the buffer before and after a crash of its owner. */
static void buffer(void)
{
	volatile uint64_t *words = mbuff_alloc("shared_area", 8192);
	uint64_t counted;
	int fd;

	if (!words)
		die("mbuff_alloc: %s", strerror(errno));
	if (mbuff_attach("shared_area", 100) != (void *)words)
		die("mbuff_attach has another address");
	mbuff_detach("shared_area", (void *)words);
	fails("larger than it is", mbuff_alloc("shared_area", 8193) ? 0 : -1, EIO);
	fails("unknown", mbuff_alloc("no_area", 1) ? 0 : -1, ENOENT);
	words[0] = 1000;
	is("sum", ask("m 5"), 1005);
	within(&words[2], 1005, "the other component");
	counted = words[1];
	fd = fifo_open(4, O_WRONLY);
	is("echo", write(fd, "hello", 5), 5);
	within(&words[1], counted + 5, "bytes of FIFO 4");
	close(fd);
	fd = fifo_open(0, O_RDWR);
	is("crash", write(fd, "c", 1), 1);
	close(fd);
	words[0] = 77;
	within(&words[2], 77, "the other component after the crash");
	mbuff_free("shared_area", (void *)words);
}

/* The number of a process: it maps the buffer itself, and writes to its word until it has counted to 20,000, or forever. */
static void share(const char *number)
{
	volatile uint64_t *words = mbuff_alloc("Shared_Area", 8192);
	const int own = atoi(number);

	if (!words)
		die("mbuff_alloc: %s", strerror(errno));
	while (own == 3 || words[16 + own] < 20000)
		words[16 + own]++;
}

/*
 * Checks several processes with the buffer. Some of them are programs of their own, and map it themselves. One of them is
 * killed while it writes.
 */
static void several(void)
{
	volatile uint64_t *words = mbuff_alloc("shared_area", 8192);
	pid_t children[4];
	int status;

	if (!words)
		die("mbuff_alloc: %s", strerror(errno));
	for (int i = 0; i < 4; i++) {
		words[16 + i] = 0;
		children[i] = fork();
		if (children[i])
			continue;
		if (mbuff_attach("Shared-Area", 8192) != (void *)words)
			_exit(1);
		if (i > 0)
			execl("/proc/self/exe", "user", "share", (char[]){ (char)('0' + i), 0 },
			      NULL);
		else
			while (words[16] < 20000)
				words[16]++;
		_exit(i > 0);
	}
	for (int i = 0; i < 3; i++)
		if (waitpid(children[i], &status, 0) != children[i] || status ||
		    words[16 + i] != 20000)
			die("process %d: status %x, %lu", i, status, words[16 + i]);
	kill(children[3], SIGKILL);
	ends("the process that is killed", children[3], SIGKILL);
	words[0] = 1;
	is("sum", ask("m 5"), 6);
	mbuff_free("shared_area", (void *)words);
}

static void kept(void)
{
	volatile uint64_t *words = mbuff_alloc("shared_area", 8192);

	if (!words || words[0] != 77)
		die("the buffer has lost its content");
	is("sum after the crash", ask("m 1"), 78);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		void (*run)(void);
	} uses[] = { { "nonblock", nonblock },	 { "waits", waits },
		     { "pair", pair },		 { "full", full },
		     { "destroyed", destroyed }, { "buffer", buffer },
		     { "several", several },	 { "kept", kept } };

	if (argc == 3 && !strcmp(argv[1], "share")) {
		share(argv[2]);
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < sizeof(uses) / sizeof(uses[0]); i++)
		if (!strcmp(argv[1], uses[i].name)) {
			uses[i].run();
			return 0;
		}
	die("user WHAT");
}
