// SPDX-License-Identifier: GPL-2.0
/* Parts of the host process that need no module: the park loop's manners, and the log. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <cli/host/boot.h>
#include <cli/host/log_file.h>
#include <cli/host/park.h>

#define ARCH_GET_FS 0x1003

static unsigned long fs_base(void)
{
	unsigned long base = 0;

	syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
	return base;
}

/* Without a hook the park is an invalid system call, and there is no device. */
static void test_park_leaves(void **state)
{
	unsigned short control = 0x27f; /* not the usual one */
	unsigned short after = 0;

	(void)state;
	__asm__ volatile("fldcw %0" : : "m"(control));
	_mm_setcsr(0x9fc0);
	assert_int_equal(host_park(-1, fs_base()), -EBADF);
	__asm__ volatile("fnstcw %0" : "=m"(after));
	assert_int_equal(after, control);
	assert_int_equal(_mm_getcsr() & 0xffc0, 0x9fc0);
	_mm_setcsr(0x1f80);
	__asm__ volatile("fninit");
	assert_true((unsigned long)host_resume_ip - (unsigned long)host_park_ip < 16);
	assert_memory_equal(host_resume_ip - 2, "\x0f\x05", 2);
}

/* Two CPUs: each has a booter, whose thread runs first. */
static void test_boot_goes_on(void **state)
{
	struct limpet_stat_thread thread[4];
	struct limpet_stat stat = { .cpus = 2, .threads = 4, .thread = thread };

	(void)state;
	for (unsigned int i = 0; i < stat.threads; i++)
		stat.thread[i] = (struct limpet_stat_thread){ .cpu = i / 2, .id = i % 2 };
	stat.thread[0].running = stat.thread[2].running = 1;
	assert_true(boot_goes_on(&stat));
	stat.thread[0].running = 0;
	stat.thread[1].running = 1;
	assert_true(boot_goes_on(&stat));
	stat.thread[2].running = 0;
	assert_false(boot_goes_on(&stat));
}

static void *close_later(void *argument)
{
	int *fd = argument;

	usleep(20000);
	close(*fd);
	return NULL;
}

/* It continues while the device returns 0. Then it returns the device's result. */
static void test_park_goes_on(void **state)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	pthread_t thread;

	(void)state;
	assert_true(fd >= 0);
	pthread_create(&thread, NULL, close_later, &fd);
	assert_int_equal(host_park(fd, fs_base()), -EBADF);
	pthread_join(thread, NULL);
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
		cmocka_unit_test(test_park_leaves),	    cmocka_unit_test(test_park_goes_on),
		cmocka_unit_test(test_boot_goes_on),	    cmocka_unit_test(test_log_is_bounded),
		cmocka_unit_test(test_log_follows_no_link),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
