// SPDX-License-Identifier: GPL-2.0
/* Tests parts of the host process that need no module: the loop of a host thread, and the log. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <cli/host/boot.h>
#include <cli/host/fault_log.h>
#include <cli/host/lend.h>
#include <cli/host/log_file.h>
#include <limpet/device.h>

#define CONTROL 0x27f /* not the usual control words */
#define MXCSR 0x9fc0

static int interruptions; /* before the fake LIMPET_IOC_LEND returns 1 */
static int lent;

/* The records of a system of components booter, lab, which has the functions begin and touch, and watched. */
static struct {
	struct limpet_image header;
	struct limpet_image_component component[3];
	struct limpet_image_segment segment[1];
	struct limpet_image_symbol symbol[2];
	char strings[64];
} image = {
	.header = { .magic = LIMPET_IMAGE_MAGIC,
		    .version = LIMPET_IMAGE_VERSION,
		    .components = 3,
		    .components_at = offsetof(__typeof__(image), component),
		    .segments = 1,
		    .segments_at = offsetof(__typeof__(image), segment),
		    .symbols = 2,
		    .symbols_at = offsetof(__typeof__(image), symbol),
		    .strings = sizeof(image.strings),
		    .strings_at = offsetof(__typeof__(image), strings) },
	.component = { { .name = 0, .segments = 1 },
		       { .name = 7, .segments = 1, .symbols = 2 },
		       { .name = 11, .segments = 1, .supervisor = 1 } },
	.segment = { { .address = 0x400000,
		       .size = 0x1000,
		       .file_size = 0x1000,
		       .rights = LIMPET_READ | LIMPET_EXEC } },
	.symbol = { { .offset = 0x10, .name = 19 }, { .offset = 0x100, .name = 25 } },
	.strings = "booter\0lab\0watched\0begin\0touch",
};

/* The counters of this system, whose device is DEVICE. */
#define DEVICE 1000
static struct limpet_stat_component counted[3];
static struct limpet_stat_thread threads[1];
static uint64_t faults_of_cpu;
static int whole_reads; /* number of times that the counters were read as a whole */
static int device_error;

static int device_ioctl(unsigned long request, void *to)
{
	if (device_error) {
		errno = device_error;
		return -1;
	}
	if (request == LIMPET_IOC_INFO) {
		*(struct limpet_ioc_info *)to = (struct limpet_ioc_info){
			.version = LIMPET_DEVICE_VERSION, .state = LIMPET_STATE_RUNNING, .cpus = 1
		};
	} else if (request == LIMPET_IOC_IMAGE) {
		const struct limpet_ioc_image *want = to;

		memcpy((void *)(uintptr_t)want->buffer, &image,
		       want->size < sizeof(image) ? want->size : sizeof(image));
	} else {
		struct limpet_ioc_stat *piece = to;

		assert_int_equal(request, LIMPET_IOC_STAT);
		piece->cpus = 1;
		piece->cpu.faults = faults_of_cpu;
		piece->components = piece->first ? 0 : 3;
		piece->threads = piece->first ? 0 : 1;
		whole_reads += !piece->first;
		memcpy(piece->component, counted, sizeof(counted));
		memcpy(piece->thread, threads, sizeof(threads));
	}
	return 0;
}

/*
 * Simulates device 0, whose components change their control words, and DEVICE. All other descriptors
 * are closed.
 */
int ioctl(int fd, unsigned long request, ...)
{
	const unsigned short control = 0x37f;
	va_list arguments;
	void *to;

	va_start(arguments, request);
	to = va_arg(arguments, void *);
	va_end(arguments);
	if (fd == DEVICE)
		return device_ioctl(request, to);
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

/* Looks for faults. Returns the text that was written to the log. */
static const char *look(struct fault_log *faults)
{
	static char text[2048];
	struct log_file log = { .system = "s", .times = -1 };
	ssize_t length;

	log.fd = memfd_create("log", 0);
	assert_true(log.fd >= 0);
	fault_log_look(faults, DEVICE, 1, &log);
	length = pread(log.fd, text, sizeof(text) - 1, 0);
	assert_true(length >= 0);
	text[length] = 0;
	close(log.fd);
	return text;
}

/* Makes component `index` fault. */
static void fault(unsigned int index, unsigned int times, uint64_t ip)
{
	counted[index].faults += times;
	counted[index].fault_kind = 14;
	counted[index].fault_error = 6;
	counted[index].fault_address = 0x10;
	counted[index].fault_thread = 5;
	counted[index].fault_ip = ip;
	faults_of_cpu += times;
}

static void system_begin(void)
{
	memset(counted, 0, sizeof(counted));
	for (unsigned int i = 0; i < 3; i++)
		counted[i].index = i;
	threads[0] =
		(struct limpet_stat_thread){ .id = 5, .home = 0, .state = LIMPET_THREAD_READY };
	faults_of_cpu = 0;
	device_error = 0;
}

static void test_faults_are_logged(void **state)
{
	struct fault_log faults;

	(void)state;
	system_begin();
	fault_log_begin(&faults, DEVICE, false);
	assert_string_equal(look(&faults), "");
	fault(1, 1, 0x400105);
	assert_string_equal(
		look(&faults),
		"limpet: <3>lab: write of unmapped address 0x10 at 0x400105 in touch+0x5, "
		"thread 5 of booter on CPU 0: its caller got an error\n");
	whole_reads = 0;
	assert_string_equal(look(&faults), "");
	faults_of_cpu++; /* a handler has repaired it */
	assert_string_equal(look(&faults), "");
	assert_int_equal(whole_reads, 1);
	/* Several faults, an unknown function, an unknown kind, and a dead thread. */
	fault(1, 7, 0x400005);
	counted[1].fault_kind = 0;
	threads[0].state = LIMPET_THREAD_DEAD;
	assert_string_equal(look(&faults),
			    "limpet: <3>lab: divide error (0) at 0x400005, thread 5 of "
			    "booter on CPU 0: the thread is dead, the last of 7 faults since "
			    "the last line\n");
	/* The count of a restarted component begins at 0. The thread does not exist any more. */
	counted[1].faults = 0;
	fault(1, 2, 0x500000);
	counted[1].fault_thread = 9;
	assert_string_equal(look(&faults),
			    "limpet: <3>lab: write of unmapped address 0x10 at 0x500000, "
			    "thread 9 on CPU 0: its caller got an error, the last of 2 faults "
			    "since the last line\n");
	fault_log_end(&faults);
}

static void test_supervised_faults_are_not_logged(void **state)
{
	struct fault_log faults;

	(void)state;
	system_begin();
	fault_log_begin(&faults, DEVICE, false);
	fault(2, 1, 0x400105);
	assert_string_equal(look(&faults), "");
	fault(0, 1, 0x400105);
	assert_non_null(strstr(look(&faults), "booter: "));
	fault_log_end(&faults);
}

static void test_old_faults_of_a_joined_system(void **state)
{
	struct fault_log faults;

	(void)state;
	system_begin();
	fault(1, 3, 0x400105);
	fault_log_begin(&faults, DEVICE, true);
	assert_string_equal(look(&faults), "");
	fault(1, 1, 0x400105);
	assert_null(strstr(look(&faults), "faults since"));
	fault_log_end(&faults);
}

/* The device fails, and the records are damaged in each way that matters. */
static void test_faults_without_a_source(void **state)
{
	const __typeof__(image) good = image;
	struct fault_log faults;

	(void)state;
	system_begin();
	fault_log_begin(&faults, DEVICE, false);
	fault(1, 1, 0x400105);
	device_error = ENODEV;
	assert_string_equal(look(&faults), "");
	device_error = 0;
	assert_non_null(strstr(look(&faults), "touch+0x5"));
	for (unsigned int damage = 0; damage < 6; damage++) {
		image = good;
		if (damage == 0)
			image.header.symbols_at = sizeof(image);
		else if (damage == 1)
			image.header.symbols_at++;
		else if (damage == 2)
			image.component[1].symbol = 3;
		else if (damage == 3)
			image.component[1].symbols = 3;
		else if (damage == 4)
			image.symbol[0].name = sizeof(image.strings);
		else
			image.component[1].segment = 1;
		fault(1, 1, 0x400105);
		assert_non_null(strstr(look(&faults),
				       "lab: write of unmapped address 0x10 at 0x400105, "
				       "thread 5"));
	}
	image = good;
	image.header.components_at = sizeof(image);
	fault(1, 1, 0x400105);
	assert_string_equal(look(&faults), "");
	image = good;
	fault_log_end(&faults);
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
		cmocka_unit_test(test_faults_are_logged),
		cmocka_unit_test(test_supervised_faults_are_not_logged),
		cmocka_unit_test(test_old_faults_of_a_joined_system),
		cmocka_unit_test(test_faults_without_a_source),
		cmocka_unit_test(test_log_is_bounded),
		cmocka_unit_test(test_log_follows_no_link),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
