// SPDX-License-Identifier: GPL-2.0
/*
 * user WHAT ROUNDS: is one kind of user of the FIFOs of fifo-users.toml. A stopped reader stops once in each round, and
 * hostile processes attack for some seconds. Exits with 0, or prints the error.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "../../lib/device.h"

#define FIFOS 64
#define SIZE 1024
#define RECORD 16
/* It is in the upper half of a record, so that a reader finds where a record begins. */
#define MAGIC 0x5a000000ul
#define HUGE_COUNT 0x7ffff000ul /* the largest count of a call of Linux */
#define PROCESSES 4
#define PATIENCE 20000	  /* ms */
#define ATTACK_US 3300000 /* in each round */

static int rounds;

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

/* Reads exactly one record, in pieces of `piece` bytes. Waits for the bytes. */
static void record_read(int fd, uint64_t *record, size_t piece)
{
	for (size_t got = 0; got < RECORD;) {
		struct pollfd waits = { .fd = fd, .events = POLLIN };
		const size_t count = piece < RECORD - got ? piece : RECORD - got;
		ssize_t n;

		if (poll(&waits, 1, PATIENCE) != 1)
			die("no byte comes");
		n = read(fd, (char *)record + got, count);
		if (n <= 0)
			die("read: %zd, %s", n, strerror(errno));
		got += (size_t)n;
	}
}

/* Reads records and checks that they are whole and without a gap. Returns the number of the one after the last. */
static uint32_t records_read(int number, int fd, int count, size_t piece, int64_t next)
{
	uint64_t record[2];

	while (count--) {
		record_read(fd, record, piece);
		if (record[1] != ~record[0] || record[0] >> 32 != (MAGIC | (uint64_t)number) ||
		    (next >= 0 && (uint32_t)record[0] != (uint32_t)next))
			die("FIFO %d: record %lx %lx instead of number %ld", number, record[0],
			    record[1], next);
		next = (uint32_t)record[0] + 1;
	}
	return (uint32_t)next;
}

/* A reader that takes one byte each 5 ms gets all records in order, while the FIFO is full most of the time. */
static void slow(void)
{
	const int fd = fifo_open(5, O_RDONLY);
	uint32_t next;

	pause_us(3000000); /* the FIFO fills */
	next = records_read(5, fd, 1, 1, 0);
	for (int i = 0; i < 100; i++) {
		next = records_read(5, fd, 1, 3, next);
		pause_us(5000);
	}
	close(fd);
}

/* Kills 40 readers at any time, also while they wait or copy. */
static void killed(void)
{
	char *bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const int keeps = fifo_open(6, O_WRONLY); /* the FIFO is never closed by all */
	uint64_t seed = 6;
	int status;

	for (int i = 0; i < 40; i++) {
		const pid_t reader = fork();

		if (!reader) {
			const int fd = fifo_open(6, O_RDONLY);

			for (;;)
				if (read(fd, bytes, 1 + random_next(&seed) % 700) < 0)
					_exit(1);
		}
		pause_us((long)(random_next(&seed) % 30000));
		kill(reader, SIGKILL);
		if (waitpid(reader, &status, 0) != reader || status != SIGKILL)
			die("the reader that is killed: status %x", status);
	}
	close(keeps);
}

/* Finds the start of a record after bytes of a record that another reader has begun. Then all records must be whole. */
static void whole(int number)
{
	const int fd = fifo_open(number, O_RDONLY);
	uint64_t record[2];
	char *bytes = (char *)record;

	record_read(fd, record, RECORD);
	for (int i = 0; record[1] != ~record[0] || record[0] >> 32 != (MAGIC | (uint64_t)number);
	     i++) {
		if (i == RECORD)
			die("FIFO %d has no whole record", number);
		memmove(bytes, bytes + 1, RECORD - 1);
		while (read(fd, bytes + RECORD - 1, 1) != 1)
			pause_us(1000);
	}
	records_read(number, fd, 5, RECORD, (uint32_t)record[0] + 1);
	close(fd);
}

/* A stopped reader continues where it was. The FIFO is full meanwhile, which the component must not wait for. */
static void stopped(void)
{
	const pid_t reader = fork();
	int status;

	if (!reader) {
		const int fd = fifo_open(7, O_RDONLY);

		records_read(7, fd, 100 * rounds, RECORD, 0);
		_exit(0);
	}
	for (int i = 0; i < rounds; i++) {
		pause_us(200000);
		kill(reader, SIGSTOP);
		if (waitpid(reader, &status, WUNTRACED) != reader || !WIFSTOPPED(status))
			die("the reader does not stop: status %x", status);
		pause_us(3000000);
		kill(reader, SIGCONT);
	}
	if (waitpid(reader, &status, 0) != reader || status)
		die("the reader that was stopped: status %x", status);
}

/* One process has all FIFOs open, in both directions and without waiting. */
static void all(void)
{
	static char block[2 * SIZE];
	int fds[FIFOS];

	for (int n = 0; n < FIFOS; n++)
		fds[n] = fifo_open(n, O_RDWR | O_NONBLOCK);
	if (open("/dev/rtf64", O_RDONLY) >= 0 || errno != ENOENT)
		die("FIFO 64: %s", strerror(errno));
	if (open("/dev/rtf9", O_RDONLY) >= 0 || errno != EACCES)
		die("a second reader: %s", strerror(errno));
	for (int n = 0; n < FIFOS; n++) {
		ssize_t got;

		while ((got = read(fds[n], block, sizeof(block))) > 0)
			;
		if (got < 0)
			die("FIFO %d: %s", n, strerror(errno));
		if (write(fds[n], block, SIZE) != SIZE)
			die("FIFO %d does not take its size: %s", n, strerror(errno));
	}
	for (int n = 0; n < FIFOS; n++)
		close(fds[n]);
	for (int n = 0; n < FIFOS; n++)
		whole(n);
}

/* Returns a bad or a good address. */
static void *address(uint64_t random, char *good)
{
	void *const some[] = { NULL,
			       (void *)1,
			       good,
			       good,
			       good,
			       good + 4090,
			       (void *)~0xfffful,
			       (void *)0xffffffff81000000ul,
			       (void *)0x7fffffffefff };

	return some[random % (sizeof(some) / sizeof(some[0]))];
}

static size_t size(uint64_t random)
{
	const size_t some[] = { 0,	  1,	15,	    RECORD, SIZE - 1, SIZE,
				SIZE + 1, 4096, HUGE_COUNT, ~0ul,   ~0ul >> 1 };

	return some[random % (sizeof(some) / sizeof(some[0]))];
}

/* Executes one random call that a FIFO must refuse or serve. Its result does not matter. */
static void strike(int fd, uint64_t r, char *page)
{
	struct iovec parts[2] = { { address(r >> 8, page), size(r >> 16) },
				  { page, size(r >> 24) } };
	struct pollfd polled = { .fd = fd, .events = (short)(r >> 8) };
	struct epoll_event event = { .events = (uint32_t)(r >> 8) };
	loff_t at = (loff_t)r;
	void *map;
	int ends[2];

	switch (r % 19) {
	case 0:
	case 1:
		read(fd, address(r >> 8, page), size(r >> 16));
		break;
	case 2:
	case 3:
		write(fd, address(r >> 8, page), size(r >> 16));
		break;
	case 4:
		lseek(fd, (off_t)r, (int)(r >> 8) % 5);
		break;
	case 5:
		map = mmap(NULL, size(r >> 16) & 0xffff, PROT_READ | PROT_WRITE,
			   r & 1 << 8 ? MAP_SHARED : MAP_PRIVATE, fd, (off_t)(r & ~0xffful));
		if (map != MAP_FAILED)
			_exit(2);
		break;
	case 6:
	case 7:
		ioctl(fd, (unsigned long)(r >> 8), address(r >> 16, page));
		break;
	case 8:
		ioctl(fd, FIONREAD, address(r >> 16, page));
		break;
	case 9:
		pread(fd, page, 16, (off_t)r);
		pwrite(fd, page, 16, (off_t)r);
		break;
	case 10:
		readv(fd, parts, 2);
		break;
	case 11:
		writev(fd, parts, 2);
		break;
	case 12:
		if (ftruncate(fd, (off_t)(r >> 8)) == 0 || fallocate(fd, 0, 0, 4096) == 0)
			_exit(3);
		break;
	case 13:
		fsync(fd);
		fcntl(fd, F_SETFL, r & 1 << 8 ? O_NONBLOCK | O_APPEND : O_NONBLOCK | O_ASYNC);
		break;
	case 14:
		poll(&polled, 1, 1);
		break;
	case 15:
		ends[0] = epoll_create1(EPOLL_CLOEXEC);
		epoll_ctl(ends[0], EPOLL_CTL_ADD, fd, &event);
		epoll_wait(ends[0], &event, 1, 1);
		close(ends[0]);
		break;
	case 16:
		if (!pipe2(ends, O_NONBLOCK | O_CLOEXEC)) {
			splice(fd, NULL, ends[1], NULL, 4096, SPLICE_F_NONBLOCK);
			splice(ends[0], NULL, fd, NULL, 4096, SPLICE_F_NONBLOCK);
			close(ends[0]);
			close(ends[1]);
		}
		break;
	case 17:
		sendfile(fd, fd, &at, 4096);
		break;
	default:
		if (fork() == 0) { /* a child with the open files, which is killed in a call */
			signal(SIGALRM, SIG_DFL);
			alarm(1);
			fcntl(fd, F_SETFL, 0);
			read(fd, page, 1);
			_exit(0);
		}
		pause_us((long)(r >> 8) % 3000);
		kill(0, SIGALRM);
		fcntl(fd, F_SETFL, O_NONBLOCK);
	}
}

static void ignore(int number)
{
	(void)number;
}

/* Opens and closes FIFOs at random, and executes calls with random arguments, until it is killed. */
static void attack(uint64_t seed)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };

	signal(SIGALRM, ignore);
	signal(SIGCHLD, SIG_IGN);
	setpgid(0, 0);
	for (;;) {
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/rtf%d", (int)(random_next(&seed) % FIFOS));
		fd = open(path, modes[random_next(&seed) % 3] | O_NONBLOCK);
		for (int i = 0; fd >= 0 && i < 20; i++)
			strike(fd, random_next(&seed), page);
		close(fd);
	}
}

/* Processes attack all FIFOs and are killed. Afterwards each FIFO has whole records. */
static void hostile(void)
{
	pid_t attackers[PROCESSES];
	int status;

	for (int i = 0; i < PROCESSES; i++) {
		attackers[i] = fork();
		if (!attackers[i])
			attack((uint64_t)i + 1);
	}
	pause_us((long)rounds * ATTACK_US);
	for (int i = 0; i < PROCESSES; i++) {
		kill(-attackers[i], SIGKILL);
		if (waitpid(attackers[i], &status, 0) != attackers[i] || !WIFSIGNALED(status) ||
		    WTERMSIG(status) != SIGKILL)
			die("an attacker ended with status %x", status);
	}
	pause_us(200000); /* their children end */
	for (int n = 0; n < FIFOS; n++)
		whole(n);
}

static void whole_killed(void)
{
	killed();
	whole(6);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = { { "slow", slow },
		      { "killed", whole_killed },
		      { "stopped", stopped },
		      { "all", all },
		      { "hostile", hostile } };

	rounds = argc == 3 ? atoi(argv[2]) : 0;
	for (size_t i = 0; rounds > 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run();
			return 0;
		}
	die("user WHAT ROUNDS");
}
