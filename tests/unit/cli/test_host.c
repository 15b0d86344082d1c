// SPDX-License-Identifier: GPL-2.0
/* Tests parts of the host process that need no module: the loop of a host thread, and the log. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <cli/host/boot.h>
#include <cli/host/lend.h>
#include <cli/host/log_file.h>
#include <limpet/device.h>

#define CONTROL 0x27f /* not the usual control words */
#define MXCSR 0x9fc0

static int interruptions; /* before the fake LIMPET_IOC_LEND returns 1 */
static int lent;

/* Simulates device 0, whose components change their control words. All other descriptors are closed. */
int ioctl(int fd, unsigned long request, ...)
{
	const unsigned short control = 0x37f;

	if (fd || request != LIMPET_IOC_LEND) {
		errno = EBADF;
		return -1;
	}
	__asm__ volatile("fldcw %0" : : "m"(control));
	_mm_setcsr(0x1f80);
	lent++;
	if (!interruptions)
		return 1;
	interruptions--;
	errno = EINTR;
	return -1;
}

/* Returns the result of host_lend() for `fd`. Checks the control words that it leaves. */
static long lend(int fd)
{
	const unsigned short control = CONTROL;
	unsigned short after = 0;
	unsigned int mxcsr;
	long result;

	__asm__ volatile("fldcw %0" : : "m"(control));
	_mm_setcsr(MXCSR);
	result = host_lend(fd);
	__asm__ volatile("fnstcw %0" : "=m"(after));
	mxcsr = _mm_getcsr();
	_mm_setcsr(0x1f80);
	__asm__ volatile("fninit");
	assert_int_equal(after, CONTROL);
	assert_int_equal(mxcsr & 0xffc0, MXCSR);
	return result;
}

static void test_lend_ends(void **state)
{
	(void)state;
	lent = interruptions = 0;
	assert_int_equal(lend(0), 1);
	assert_int_equal(lent, 1);
}

static void test_lend_is_interrupted(void **state)
{
	(void)state;
	lent = 0;
	interruptions = 3;
	assert_int_equal(lend(0), 1);
	assert_int_equal(lent, 4);
}

static void test_lend_fails(void **state)
{
	(void)state;
	assert_int_equal(lend(-1), -EBADF);
}

/* Two CPUs have a booter each. The booter's thread runs first. */
static void test_boot_continues(void **state)
{
	struct limpet_stat_thread thread[4];
	struct limpet_stat stat = { .cpus = 2, .threads = 4, .thread = thread };

	(void)state;
	for (unsigned int i = 0; i < stat.threads; i++)
		stat.thread[i] = (struct limpet_stat_thread){ .cpu = i / 2, .id = i % 2 };
	stat.thread[0].running = stat.thread[2].running = 1;
	assert_true(boot_continues(&stat));
	stat.thread[0].running = 0;
	stat.thread[1].running = 1;
	assert_true(boot_continues(&stat));
	stat.thread[2].running = 0;
	assert_false(boot_continues(&stat));
}

static size_t size_of(const char *path)
{
	struct stat stat_of;

	return stat(path, &stat_of) ? 0 : (size_t)stat_of.st_size;
}

/* Returns record n of a file of times. */
static struct log_time time_at(const char *path, long n)
{
	struct log_time time;
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_int_equal(fseek(file, n * (long)sizeof(time), SEEK_SET), 0);
	assert_true(log_time_read(file, &time));
	fclose(file);
	return time;
}

static void test_log_is_bounded(void **state)
{
	char folder[] = "/tmp/limpet-log-XXXXXX";
	char name[64];
	char old[64];
	char line[1000];
	char times[80], times_old[80];
	struct log_file log;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/log", folder);
	snprintf(old, sizeof(old), "%s/log.1", folder);
	snprintf(times, sizeof(times), "%s" LOG_TIMES, name);
	snprintf(times_old, sizeof(times_old), "%s" LOG_TIMES, old);
	assert_int_equal(log_file_open(&log, folder, name, old), 0);
	log.system = "loop";
	log_file_note(&log, "begin %d", 1);
	assert_int_equal(size_of(name), strlen("limpet: begin 1\n"));
	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 2500; i++)
		log_file_write(&log, line, sizeof(line));
	assert_int_equal(size_of(times), log.size / sizeof(line) * sizeof(struct log_time));
	assert_int_equal(time_at(times, 1).offset, sizeof(line));
	assert_string_equal(time_at(times, 1).system, "loop");
	assert_true(time_at(times, 1).ns >= time_at(times_old, 1).ns);
	assert_true(size_of(name) <= LOG_FILE_MAX);
	assert_true(size_of(old) <= LOG_FILE_MAX);
	assert_true(size_of(old) > LOG_FILE_MAX - sizeof(line));
	close(log.fd);
	close(log.times);
	/* A new host process continues where the last one stopped. */
	assert_int_equal(log_file_open(&log, folder, name, old), 0);
	assert_int_equal(log.size, size_of(name));
	assert_int_equal(log.times_size, size_of(times));
	/* Many short texts fill the file of times first. */
	for (unsigned int i = 0; i <= LOG_FILE_MAX / sizeof(struct log_time) + 1; i++)
		log_file_write(&log, "x", 1);
	assert_true(log.size < 1000);
	assert_true(log.times_size <= LOG_FILE_MAX);
	close(log.fd);
	close(log.times);
	unlink(name);
	unlink(old);
	unlink(times);
	unlink(times_old);
	assert_int_equal(rmdir(folder), 0);
}

static void test_log_follows_no_link(void **state)
{
	char folder[] = "/tmp/limpet-log-XXXXXX";
	char name[64];
	char times[80];
	struct log_file log;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/log", folder);
	snprintf(times, sizeof(times), "%s" LOG_TIMES, name);
	assert_int_equal(symlink("/tmp/elsewhere", name), 0);
	assert_int_equal(log_file_open(&log, folder, name, name), -ELOOP);
	close(log.times);
	unlink(name);
	unlink(times);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lend_fails),
		cmocka_unit_test(test_lend_ends),
		cmocka_unit_test(test_lend_is_interrupted),
		cmocka_unit_test(test_boot_continues),
		cmocka_unit_test(test_log_is_bounded),
		cmocka_unit_test(test_log_follows_no_link),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
