// SPDX-License-Identifier: GPL-2.0
/*
 * Tests interrupted calls that wait for locks of files, which Linux restarts, and for asynchronous input, which it
 * does not. Requests of getrandom of up to 256 bytes are never cut. Argument: the probe's mode, or `plain` for a
 * process that is not a guest.
 */
#include "interrupted.h"

#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/time.h>

#define FILE_NAME "/tmp/restarts.file"

/* --- locks that the parent has */

static int locked;

static long lock_set(int fd, int command, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };

	return raw(SYS_fcntl, fd, command, (long)&lock);
}

static void file_open(void)
{
	locked = open(FILE_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	EXPECT(locked >= 0);
}

static void file_lock(void)
{
	file_open();
	EQUAL(flock(locked, LOCK_EX), 0);
}

static void record_lock(void)
{
	file_open();
	EQUAL(lock_set(locked, F_SETLK, F_WRLCK), 0);
}

static void description_lock(void)
{
	file_open();
	EQUAL(lock_set(locked, F_OFD_SETLK, F_WRLCK), 0);
}

static long call_flock(void)
{
	const int fd = open(FILE_NAME, O_RDWR);

	child_ready();
	return raw(SYS_flock, fd, LOCK_EX, 0);
}

static long call_setlkw(void)
{
	const int fd = open(FILE_NAME, O_RDWR);

	child_ready();
	return lock_set(fd, F_SETLKW, F_WRLCK);
}

static long call_ofd_setlkw(void)
{
	const int fd = open(FILE_NAME, O_RDWR);

	child_ready();
	return lock_set(fd, F_OFD_SETLKW, F_WRLCK);
}

static void file_unlock(void)
{
	EQUAL(flock(locked, LOCK_UN), 0);
}

static void record_unlock(void)
{
	EQUAL(lock_set(locked, F_SETLK, F_UNLCK), 0);
}

static void description_unlock(void)
{
	EQUAL(lock_set(locked, F_OFD_SETLK, F_UNLCK), 0);
}

static void file_close(void)
{
	close(locked);
	unlink(FILE_NAME);
}

/* --- asynchronous input and output */

static aio_context_t asynchronous_begin(void)
{
	struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL,
			     .aio_fildes = (uint32_t)gate[0],
			     .aio_buf = POLLIN };
	struct iocb *list[] = { &poll };
	aio_context_t context = 0;

	if (raw(SYS_io_setup, 1, (long)&context, 0) < 0 ||
	    raw(SYS_io_submit, (long)context, 1, (long)list) != 1)
		return 0;
	child_ready();
	return context;
}

static long call_getevents(void)
{
	struct io_event event;

	return raw6(SYS_io_getevents, (long)asynchronous_begin(), 1, 1, (long)&event, 0, 0);
}

static long call_pgetevents(void)
{
	struct io_event event;

	return raw6(SYS_io_pgetevents, (long)asynchronous_begin(), 1, 1, (long)&event, 0, 0);
}

static const struct interrupted tests[] = {
	{ "flock", file_lock, call_flock, file_unlock, 0, true, false, file_close },
	{ "F_SETLKW", record_lock, call_setlkw, record_unlock, 0, true, false, file_close },
	{ "F_OFD_SETLKW", description_lock, call_ofd_setlkw, description_unlock, 0, true, false,
	  file_close },
	{ "io_getevents", NULL, call_getevents, gate_open, 1, false, true, NULL },
	{ "io_pgetevents", NULL, call_pgetevents, gate_open, 1, false, false, NULL },
};

/* --- getrandom, which computes and does not sleep */

#define RANDOM_SMALL 256
#define RANDOM_LARGE (16l << 20)

static volatile int hits;

static void hit(int signal)
{
	(void)signal;
	hits++;
}

/* Tests that small requests are never cut, and that a signal cuts a large one after a page, also with SA_RESTART. */
static void check_random(const char *name, int flags)
{
	const struct sigaction action = { .sa_handler = hit, .sa_flags = flags };
	const struct itimerval every = { { 0, 2000 }, { 0, 2000 } }, none = { { 0, 0 }, { 0, 0 } };
	char *large = mmap(NULL, RANDOM_LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	long wrong = 0, got;

	section(name);
	hits = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 500 || hits < 5; i++)
		wrong += raw(SYS_getrandom, (long)large, RANDOM_SMALL, 0) != RANDOM_SMALL;
	got = raw(SYS_getrandom, (long)large, RANDOM_LARGE, 0);
	setitimer(ITIMER_REAL, &none, NULL);
	EQUAL(wrong, 0);
	if (got <= 0 || got >= RANDOM_LARGE || got % 4096)
		failed("%ld of %ld bytes", got, RANDOM_LARGE);
	munmap(large, RANDOM_LARGE);
}

int main(int argc, char **argv)
{
	interrupted_init(argc, argv);
	interrupted_all(tests, sizeof(tests) / sizeof(*tests));
	check_random("getrandom and a handler", 0);
	check_random("getrandom and SA_RESTART", SA_RESTART);
	return interrupted_finish();
}
