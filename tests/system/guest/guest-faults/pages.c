// SPDX-License-Identifier: GPL-2.0
/*
 * Tests a range of pages of the executive. Page n of the guest is page n modulo 64 of the
 * executive's memory, and its first word is that number until it is written. Arguments: the probe's
 * mode, and the number of pages that one fault maps.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>
#include <sys/time.h>

#define PAGE 4096l
#define MEMORY 64 /* pages of the executive */
#define PAGES 256

static long batch;

/* Returns an unused address whose page number is a multiple of 64. */
static uint8_t *place(long pages)
{
	const size_t size = (size_t)((pages + MEMORY) * PAGE);
	uint8_t *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	munmap(at, size);
	return (uint8_t *)(((uintptr_t)at + MEMORY * PAGE - 1) & ~(uintptr_t)(MEMORY * PAGE - 1));
}

static uint8_t *range(long pages, long writable)
{
	uint8_t *at = place(pages);

	EQUAL(probe_map(at, pages * PAGE, writable), LIMPET_OK);
	return at;
}

static volatile long *word_of(uint8_t *at, long page)
{
	return (volatile long *)(at + page * PAGE);
}

static long faults(void)
{
	return probe_counter(FAULTS);
}

static void check_read(void)
{
	uint8_t *at = range(PAGES, 0);
	long before;

	section("each page is supplied once");
	before = faults();
	for (long round = 0; round < 2; round++)
		for (long i = 0; i < PAGES; i++)
			EQUAL(*word_of(at, i), i % MEMORY);
	EQUAL(faults() - before, PAGES / batch);
	section("in any order");
	EQUAL(probe_revoke(at, PAGES * PAGE), LIMPET_OK);
	for (long i = PAGES - 1; i >= 0; i--)
		EQUAL(*word_of(at, i), i % MEMORY);
	section("munmap of the whole range");
	EQUAL(munmap(at, (size_t)(PAGES * PAGE)), 0);
}

static void check_write(void)
{
	uint8_t *at = range(PAGES, 1);

	section("written pages are the executive's, wherever they are mapped");
	for (long i = 0; i < MEMORY; i++)
		*word_of(at + 8, i) = 1000 + i;
	for (long i = 0; i < PAGES; i++)
		EQUAL(*word_of(at + 8, i), 1000 + i % MEMORY);
	section("revoked pages are supplied again, with what was written");
	const long before = faults();

	EQUAL(probe_revoke(at + 16 * PAGE, 32 * PAGE), LIMPET_OK);
	for (long i = 0; i < PAGES; i++)
		EQUAL(*word_of(at + 8, i), 1000 + i % MEMORY);
	EQUAL(faults() - before, 32 / batch);
	EQUAL(munmap(at, (size_t)(PAGES * PAGE)), 0);
}

static void check_copies(void)
{
	uint8_t *at = range(PAGES, 1);
	char text[64] = "from the pipe";
	int ends[2], file;

	section("read() into pages that are not there");
	EXPECT(!pipe(ends));
	for (long i = 0; i < 64; i++) {
		EQUAL(raw(SYS_write, ends[1], (long)text, 64), 64);
		EQUAL(raw(SYS_read, ends[0], (long)(at + i * PAGE + 2048), 64), 64);
		EXPECT(!memcmp(at + i * PAGE + 2048, text, 64));
	}
	section("write() from pages that are not there, and over their border");
	EQUAL(probe_revoke(at, PAGES * PAGE), LIMPET_OK);
	memset(text, 0, sizeof(text));
	EQUAL(raw(SYS_write, ends[1], (long)(at + 5 * PAGE + 2048), 64), 64);
	EQUAL(raw(SYS_read, ends[0], (long)text, 64), 64);
	EXPECT(!strcmp(text, "from the pipe"));
	EQUAL(raw(SYS_write, ends[1], (long)(at + 100 * PAGE - 2048), 4096), 4096);
	EQUAL(raw(SYS_read, ends[0], (long)(at + 120 * PAGE - 1000), 4096), 4096);
	*word_of(at, 120) = 120 % MEMORY; /* again */
	section("a path there");
	strcpy((char *)at + 3000, "/dev/zero");
	EQUAL(probe_revoke(at, PAGE), LIMPET_OK);
	file = (int)raw(SYS_open, (long)(at + 3000), O_RDONLY, 0);
	EXPECT(file >= 0);
	EQUAL(raw(SYS_read, file, (long)(at + 200 * PAGE + 8), 3000), 3000);
	EQUAL(at[200 * PAGE + 3000], 0);
	close(file);
	section("the list of guests is copied into an absent page, but not over the range's end");
	const int device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
	struct limpet_guest_info *info = (struct limpet_guest_info *)(at + 50 * PAGE + 512);
	struct limpet_guest_list list = { (uintptr_t)info, 0, 1 };

	EQUAL(probe_revoke(at, PAGES * PAGE), LIMPET_OK);
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_LIST, &list), 1);
	EQUAL(info->id, probe_id());
	list.buffer = (uintptr_t)(at + PAGES * PAGE - 8);
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_LIST, &list), -1);
	EQUAL(errno, EFAULT);
	*word_of(at, 50) = 50; /* the old value */
	memset(at + 50 * PAGE + 512, 0, sizeof(*info));
	close(device);
	section("the executive's own copy does not make it supply pages");
	EQUAL(probe_revoke(at, PAGE), LIMPET_OK);
	EQUAL(probe_sum(at), LIMPET_EFAULT);
	EXPECT(*word_of(at, 0) >= 0);
	EXPECT(probe_sum(at) >= 0);
	close(ends[0]);
	close(ends[1]);
	EQUAL(munmap(at, (size_t)(PAGES * PAGE)), 0);
}

static uint8_t *shared_range;
static volatile int go;

static void *thread_main(void *unused)
{
	while (!go)
		sched_yield();
	for (long i = 0; i < PAGES; i++)
		if (*word_of(shared_range, i) != i % MEMORY)
			failed("page %ld of a thread has %ld", i, *word_of(shared_range, i));
	return unused;
}

static void check_threads(void)
{
	pthread_t thread[6];

	section("threads touch the same pages at once");
	shared_range = range(PAGES, 0);
	for (int round = 0; round < 5; round++) {
		go = 0;
		for (int i = 0; i < 6; i++)
			EXPECT(!pthread_create(&thread[i], NULL, thread_main, NULL));
		go = 1;
		for (int i = 0; i < 6; i++)
			pthread_join(thread[i], NULL);
		EQUAL(probe_revoke(shared_range, PAGES * PAGE), LIMPET_OK);
	}
	EQUAL(munmap(shared_range, (size_t)(PAGES * PAGE)), 0);
}

static void check_fork(void)
{
	uint8_t *at = range(PAGES, 1);
	pid_t pid;

	section("a child shares the range");
	*word_of(at + 16, 3) = 5;
	pid = fork();
	if (!pid) {
		EQUAL(*word_of(at + 16, 3), 5);
		*word_of(at + 16, 3) = 6;
		*word_of(at + 16, 90) = 7;
		child_exit();
	}
	GOOD(pid);
	EQUAL(*word_of(at + 16, 3), 6);
	EQUAL(*word_of(at + 16, 90), 7);
	EQUAL(munmap(at, (size_t)(PAGES * PAGE)), 0);
	section("a child that executes a program, or is killed, with a range");
	at = range(PAGES, 1);
	for (int i = 0; i < 10; i++) {
		pid = fork();
		if (!pid) {
			for (long k = 0;; k = (k + 1) % PAGES)
				*word_of(at + 16, k) = k;
		}
		pause_us(i * 300);
		kill(pid, SIGKILL);
		KILLED(pid, SIGKILL);
	}
	pid = fork();
	if (!pid) {
		*word_of(at + 16, 3) = 5;
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	EQUAL(child_wait(pid, 10), 0);
	EQUAL(munmap(at, (size_t)(PAGES * PAGE)), 0);
}

static volatile sig_atomic_t alarms;

static void handle(int unused)
{
	(void)unused;
	alarms++;
	if (raw_getppid() <= 0)
		_exit(1);
}

static void check_signals(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	uint8_t *at = range(PAGES, 0);
	const double end = seconds() + 0.5;

	section("signals at 1 kHz while pages are supplied");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (seconds() < end || (alarms <= 10 && seconds() < end + 10)) {
		EQUAL(probe_revoke(at, PAGES * PAGE), LIMPET_OK);
		for (long i = 0; i < PAGES; i++)
			EQUAL(*word_of(at, i), i % MEMORY);
	}
	setitimer(ITIMER_REAL, &none, NULL);
	EXPECT(alarms > 10);
	EQUAL(munmap(at, (size_t)(PAGES * PAGE)), 0);
}

int main(int argc, char **argv)
{
	const long mode = argc > 1 ? atol(argv[1]) : 0;

	batch = argc > 2 ? atol(argv[2]) : 1;
	probe_mode(mode);
	section("a range");
	check_read();
	check_write();
	check_copies();
	check_threads();
	check_fork();
	check_signals();
	probe_check();
	return sections_finish();
}
