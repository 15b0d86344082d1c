// SPDX-License-Identifier: GPL-2.0
/*
 * Another thread, or another process that is not a guest, changes arguments in memory while calls of this program use
 * them. The changed word is always one of two values, of which the policy ports.toml allows the first one only. In
 * the guest a call must never use the second value. Both outcomes must occur, and many calls must see a change.
 *
 *   race flip FILE             Changes the words in FILE until it is killed. It is not a guest.
 *   race plain FILE ROUNDS     Checks and opens as a program would without Limpet, until it opens the forbidden file.
 *                              This shows that the changes come at the right time.
 *   race guest FILE ROUNDS     Makes ROUNDS calls of each kind, with changes in FILE by the other process.
 *   race thread FILE ROUNDS    The same, with changes by a thread of this program.
 */
#include "tests/system/lib/guest.h"

#include <arpa/inet.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#define PORT_ALLOWED 7001
#define PORT_REFUSED 7002
#define LIMIT_S 60 /* maximum time of `plain` */

#define FOLDER "/tmp/././/./race" /* 16 bytes, so that the last component is a word of its own */
#define NAME_AT 17

/* In the path only the word "/open" or "/hide" changes, in the address the word with the port. */
struct shared {
	union {
		char path[24];
		uint64_t path_word[3];
	};
	union {
		struct sockaddr_in address;
		uint64_t address_word[2];
	};
	union {
		struct open_how how;
		uint64_t flags;
	};
	uint64_t changes;
};

static struct shared *shared;
static uint64_t path_words[2], address_words[2];
static const uint64_t flags_words[2] = { O_RDONLY, O_RDWR };

static struct shared *file_map(const char *name)
{
	int fd = open(name, O_RDWR);
	void *at = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd < 0 || at == MAP_FAILED)
		die("%s: %s", name, strerror(errno));
	close(fd);
	return at;
}

static void change(unsigned int to)
{
	__atomic_store_n(&shared->path_word[2], path_words[to], __ATOMIC_RELAXED);
	__atomic_store_n(&shared->address_word[0], address_words[to], __ATOMIC_RELAXED);
	__atomic_store_n(&shared->flags, flags_words[to], __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->changes, 1, __ATOMIC_RELAXED);
}

static void words_make(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	memcpy(shared->path, FOLDER, 16);
	memcpy(&path_words[0], "/open\0\0", 8);
	memcpy(&path_words[1], "/hide\0\0", 8);
	for (int i = 0; i < 2; i++) {
		address.sin_port = htons(i ? PORT_REFUSED : PORT_ALLOWED);
		memcpy(&address_words[i], &address, 8);
	}
	shared->address = address;
	shared->how = (struct open_how){ .flags = O_RDONLY };
	change(0);
}

/*
 * On one CPU a change can come during a call only when Linux preempts the caller. Therefore the loop sleeps for a few
 * microseconds after some changes. The timer then preempts the caller at any place. The value during the sleep is
 * random.
 */
static void *flip(void *unused)
{
	uint64_t seed = 1;

	for (unsigned int i = 1;; i++) {
		change(random_next(&seed) & 1);
		if (!(i % 64)) {
			const struct timespec time = { 0, (long)(random_next(&seed) % 30000) };

			nanosleep(&time, NULL);
		}
	}
	return unused;
}

/* --- calls. Each returns 0 if the call used the first value, -1 if it was refused, and 1 if it used the second one */

/* The two files have one byte each: 'o' and 'h'. */
static int file_judge(int fd)
{
	char byte = 0;

	if (fd < 0)
		return errno == EPERM ? -1 : 2;
	if (read(fd, &byte, 1) != 1)
		byte = 0;
	close(fd);
	return byte == 'o' ? 0 : 1;
}

static int by_open(void)
{
	return file_judge((int)syscall(SYS_open, shared->path, O_RDONLY));
}

static int by_openat(void)
{
	return file_judge(openat(AT_FDCWD, shared->path, O_RDONLY));
}

/* /tmp/race/open may only be read, so the flags decide. */
static int by_openat2(void)
{
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, "/tmp/race/open", &shared->how,
			      sizeof(shared->how));
	int writable;

	if (fd < 0)
		return errno == EPERM ? -1 : 2;
	writable = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
	close(fd);
	return writable;
}

typedef int address_use(int fd, const struct sockaddr *address, socklen_t size);
typedef int address_read(int fd, struct sockaddr *address, socklen_t *size);

/* Uses the address for a socket, and reads which address the socket has got. */
static int by_address(address_use *use, address_read *read_back)
{
	struct sockaddr_in got = { 0 };
	socklen_t size = sizeof(got);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), result;

	result = use(fd, (void *)&shared->address, sizeof(got));
	if (result)
		result = errno == EPERM ? -1 : 2;
	else if (read_back(fd, (void *)&got, &size))
		result = 3;
	else
		result = ntohs(got.sin_port) != PORT_ALLOWED;
	close(fd);
	return result;
}

static int by_connect(void)
{
	return by_address(connect, getpeername);
}

static int by_bind(void)
{
	return by_address(bind, getsockname);
}

static const struct {
	const char *name;
	int (*call)(void);
} kinds[] = {
	{ "open", by_open },	   { "openat", by_openat }, { "openat2", by_openat2 },
	{ "connect", by_connect }, { "bind", by_bind },
};

static uint64_t changes_now(void)
{
	return __atomic_load_n(&shared->changes, __ATOMIC_ACQUIRE);
}

static void race(const char *name, int (*call)(void), long rounds)
{
	long used = 0, refused = 0, during = 0;

	section(name);
	for (long i = 0; i < rounds; i++) {
		uint64_t before = changes_now();
		int result = call();

		used += !result;
		refused += result == -1;
		during += changes_now() != before;
		if (result > 0)
			failed("round %ld: result %d, errno %d", i, result, errno);
	}
	fprintf(stderr, "%s: %ld used, %ld refused, %ld with a change\n", name, used, refused,
		during);
	if (used < rounds / 20 || refused < rounds / 20 || during < 20)
		failed("of %ld calls %ld succeed, %ld are refused, %ld see a change", rounds, used,
		       refused, during);
}

/* A check of the program itself, and then the call that opens the file. */
static void plain_race(void)
{
	double end = seconds() + LIMIT_S;
	long forbidden = 0, opened = 0;

	section("a check in the program itself fails");
	while (!forbidden && seconds() < end) {
		char copy[sizeof(shared->path)];
		int result;

		memcpy(copy, shared->path, sizeof(copy));
		if (copy[NAME_AT] != 'o' || access(copy, R_OK))
			continue;
		result = by_open();
		opened += !result;
		forbidden += result == 1;
	}
	if (!forbidden)
		failed("%ld files opened, and never the forbidden one", opened);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3)
		return 2;
	shared = file_map(argv[2]);
	if (!strcmp(argv[1], "flip") || !strcmp(argv[1], "thread"))
		words_make();
	if (!strcmp(argv[1], "flip"))
		flip(NULL);
	while (!changes_now())
		pause_us(1000);
	if (argc < 4)
		return 2;
	if (!strcmp(argv[1], "thread") && pthread_create(&thread, NULL, flip, NULL))
		return 3;
	if (!strcmp(argv[1], "plain"))
		plain_race();
	else
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			race(kinds[i].name, kinds[i].call, atol(argv[3]));
	return sections_finish();
}
