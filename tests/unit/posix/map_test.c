// SPDX-License-Identifier: BSD-2-Clause
/* Tests mappings of files: their ends, their protection, and MAP_FIXED over memory that the program has. */
#define _GNU_SOURCE
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <limpet/component.h>

#include "../../../lib/posix/posix.h"

bool files_setup(const struct limpet_info *info);
bool end_add(uint64_t address, uint64_t size);
void end_remove(uint64_t address, uint64_t size);
bool end_has(uint64_t address);

#define PAGE 4096ul
#define BOTH (PROT_READ | PROT_WRITE)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)
#define RIGHT_READ 1
#define MOST 64 /* ranges beyond ends, and mappings */

static int begin(void **state)
{
	static const struct limpet_info none;
	static bool started;

	fake_begin(state);
	if (started)
		return 0;
	started = true;
	return files_setup(&none) ? 0 : -1;
}

/* Returns a new file of `size` bytes, each of which is `mark`. */
static long file_new(const char *path, size_t size, int mark)
{
	const long file = SYS(SYS_open, path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	uint8_t bytes[3 * PAGE];

	assert_true(file >= 3);
	memset(bytes, mark, size);
	assert_int_equal(SYS(SYS_write, file, bytes, size), size);
	return file;
}

static bool refused(const char *why)
{
	const bool is = strstr(fake_log, why);

	fake_log[0] = 0;
	return is;
}

static void test_ranges(void **state)
{
	(void)state;
	assert_true(end_add(10 * PAGE, 10 * PAGE));
	assert_true(end_has(10 * PAGE) && end_has(20 * PAGE - 1));
	assert_false(end_has(10 * PAGE - 1) || end_has(20 * PAGE));
	end_remove(0, 10 * PAGE);
	end_remove(20 * PAGE, PAGE);
	end_remove(0, 12 * PAGE);
	assert_true(!end_has(11 * PAGE) && end_has(12 * PAGE));
	end_remove(18 * PAGE, 100 * PAGE);
	assert_true(end_has(17 * PAGE) && !end_has(18 * PAGE));
	end_remove(14 * PAGE, PAGE);
	assert_true(end_has(13 * PAGE) && !end_has(14 * PAGE) && end_has(15 * PAGE));
	assert_true(end_add(12 * PAGE, 3 * PAGE)); /* adjacent and in part there already */
	assert_true(end_has(12 * PAGE) && end_has(14 * PAGE) && end_has(17 * PAGE));
	end_remove(0, 100 * PAGE);
	for (uint64_t i = 0; i < MOST; i++)
		assert_true(end_add(4 * i * PAGE, 3 * PAGE));
	assert_false(end_add(4 * MOST * PAGE, PAGE));
	end_remove(PAGE, PAGE); /* no record is left for the upper part */
	assert_true(end_has(0) && !end_has(PAGE));
	end_remove(0, 8 * MOST * PAGE);
	assert_false(end_has(0) || end_has(4 * PAGE));
}

/* A private mapping has a copy of the file, then zeros up to the end of the page, then pages without access. */
static void test_private(void **state)
{
	const long file = file_new("/tmp/private", PAGE + 10, 7);
	const long at = SYS(SYS_mmap, 0, 4 * PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	const uint8_t *bytes = (const uint8_t *)at;

	(void)state;
	assert_true(at > 0);
	assert_int_equal(bytes[0] + bytes[PAGE + 9] + bytes[PAGE + 10], 14);
	assert_int_equal(fake_protection.address, at + 2 * PAGE);
	assert_int_equal(fake_protection.pages, 2);
	assert_int_equal(fake_protection.rights, 0);
	assert_true(!end_has(at + 2 * PAGE - 1) && end_has(at + 2 * PAGE) &&
		    end_has(at + 4 * PAGE - 1));
	/* mprotect() changes only what is in the file. */
	assert_int_equal(SYS(SYS_mprotect, at, 4 * PAGE, PROT_READ), 0);
	assert_int_equal(fake_protection.address, at);
	assert_int_equal(fake_protection.pages, 2);
	assert_int_equal(fake_protection.rights, RIGHT_READ);
	assert_int_equal(SYS(SYS_munmap, at, 4 * PAGE), 0);
	assert_false(end_has(at + 2 * PAGE));
	/* All of it is beyond the end. */
	assert_int_equal(SYS(SYS_mmap, 0, PAGE, BOTH, MAP_PRIVATE, file, 2 * PAGE), at);
	assert_true(end_has(at));
	assert_int_equal(SYS(SYS_munmap, at, PAGE), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
}

/* A read-only private mapping cannot be written, and PROT_EXEC has no effect. */
static void test_protection(void **state)
{
	const long file = file_new("/tmp/protection", PAGE, 7);
	long at = SYS(SYS_mmap, 0, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	const unsigned long pages = fake_pages;

	(void)state;
	assert_true(at > 0);
	assert_int_equal(fake_protection.address, at);
	assert_int_equal(fake_protection.rights, RIGHT_READ);
	assert_int_equal(SYS(SYS_munmap, at, PAGE), 0);
	/* The memory manager refuses it, and the memory can be allocated again. */
	fake_protect_refuses = true;
	assert_int_equal(SYS(SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE, file, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_mmap, 0, 3 * PAGE, BOTH, MAP_PRIVATE, file, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_mmap, 0, 3 * PAGE, BOTH, MAP_SHARED, file, 0), -ENOMEM);
	fake_protect_refuses = false;
	at = SYS(SYS_mmap, 0, 2 * PAGE, BOTH, ANONYMOUS, -1, 0);
	assert_true(at > 0 && !end_has(at) && !end_has(at + PAGE));
	assert_true(fake_pages <= pages + 4);
	assert_int_equal(SYS(SYS_munmap, at, 2 * PAGE), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
}

/* The end of a shared mapping moves with the end of the file. */
static void test_shared(void **state)
{
	const long file = file_new("/tmp/shared", 10, 7);
	const long at = SYS(SYS_mmap, 0, 3 * PAGE, BOTH, MAP_SHARED, file, 0);
	uint8_t *bytes = (uint8_t *)at;

	(void)state;
	assert_true(at > 0);
	assert_true(!end_has(at) && end_has(at + PAGE) && end_has(at + 3 * PAGE - 1));
	assert_int_equal(SYS(SYS_pwrite64, file, "x", 1, PAGE), 1);
	assert_true(!end_has(at + PAGE) && end_has(at + 2 * PAGE));
	assert_int_equal(bytes[PAGE], 'x');
	assert_int_equal(fake_protection.address, at + PAGE);
	assert_int_equal(fake_protection.pages, 1);
	assert_int_equal(SYS(SYS_ftruncate, file, 3 * PAGE), 0);
	assert_false(end_has(at + 2 * PAGE));
	assert_int_equal(bytes[3 * PAGE - 1], 0);
	assert_int_equal(SYS(SYS_ftruncate, file, 5), 0);
	assert_true(!end_has(at) && end_has(at + PAGE) && end_has(at + 2 * PAGE));
	/* Without a mapping the file can become longer, and is not shortened in vain. */
	assert_int_equal(SYS(SYS_munmap, at, 3 * PAGE), 0);
	assert_int_equal(SYS(SYS_ftruncate, file, 2 * PAGE), 0);
	assert_false(end_has(at + PAGE));
	assert_int_equal(SYS(SYS_ftruncate, file, 0), 0);
	assert_false(end_has(at) || end_has(at + PAGE));
	assert_int_equal(SYS(SYS_unlink, "/tmp/shared"), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_false(end_has(at + 2 * PAGE));
}

/* A shared mapping can be unmapped in parts and more than once. The file keeps its memory. */
static void test_shared_parts(void **state)
{
	const long file = file_new("/tmp/parts", 3 * PAGE, 7);
	const long at = SYS(SYS_mmap, 0, 3 * PAGE, BOTH, MAP_SHARED, file, 0);
	const uint8_t *bytes = (const uint8_t *)at;

	(void)state;
	assert_int_equal(SYS(SYS_munmap, at + PAGE, PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, at + 2 * PAGE, PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, at + 2 * PAGE, PAGE), 0);
	for (int i = 0; i < 300; i++)
		assert_true(SYS(SYS_mmap, 0, PAGE, BOTH, ANONYMOUS, -1, 0) !=
			    at + (long)(2 * PAGE));
	assert_int_equal(bytes[2 * PAGE] + bytes[3 * PAGE - 1], 14);
	/* The file does not move while a part is mapped. */
	assert_int_equal(SYS(SYS_ftruncate, file, 5 * PAGE), -ENOSPC);
	assert_int_equal(SYS(SYS_mmap, 0, 3 * PAGE, BOTH, MAP_SHARED, file, 0), at);
	assert_int_equal(SYS(SYS_munmap, at + PAGE, PAGE), 0);
	assert_int_equal(SYS(SYS_ftruncate, file, 5 * PAGE), -ENOSPC);
	assert_int_equal(SYS(SYS_munmap, at, 3 * PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, at, PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, at, PAGE), 0);
	assert_int_equal(SYS(SYS_ftruncate, file, 5 * PAGE), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_unlink, "/tmp/parts"), 0);
}

/* Without a record for the upper part, a mapping is not divided. */
static void test_shared_records(void **state)
{
	const long file = file_new("/tmp/records", 3 * PAGE, 7);
	long at = 0;

	(void)state;
	for (int i = 0; i < MOST; i++)
		at = SYS(SYS_mmap, 0, 3 * PAGE, BOTH, MAP_SHARED, file, 0);
	assert_true(at > 0);
	assert_int_equal(SYS(SYS_munmap, at + PAGE, PAGE), -ENOMEM);
	for (int i = 0; i < MOST; i++) {
		assert_int_equal(SYS(SYS_ftruncate, file, 5 * PAGE), -ENOSPC);
		assert_int_equal(SYS(SYS_munmap, at, 3 * PAGE), 0);
	}
	assert_int_equal(SYS(SYS_ftruncate, file, 5 * PAGE), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
}

/* An access beyond the end is SIGBUS with the code BUS_ADRERR. */
static void test_signal(void **state)
{
	static uint8_t stack[65536];
	struct {
		void *handler;
		unsigned long flags, restorer, mask;
	} action = { (void *)0x1000, SA_SIGINFO | 0x04000000, 0x2000, 0 };
	struct posix_frame frame = { .rsp = (word)(stack + sizeof(stack)), .rip = FAKE_IP };
	const long file = file_new("/tmp/signal", 10, 7);
	const long at = SYS(SYS_mmap, 0, 2 * PAGE, BOTH, MAP_SHARED, file, 0);

	(void)state;
	assert_int_not_equal(posix_fault_handle(14, (word)at + PAGE, 7, FAKE_IP, 0), 0);
	assert_int_equal(SYS(SYS_rt_sigaction, SIGBUS, &action, 0, 8), 0);
	assert_int_equal(posix_fault_handle(14, (word)at + PAGE, 7, FAKE_IP, 0), 0);
	posix_exception_signal(&frame);
	assert_int_equal(frame.rdi, SIGBUS);
	assert_int_equal(((siginfo_t *)frame.rsi)->si_code, BUS_ADRERR);
	assert_ptr_equal(((siginfo_t *)frame.rsi)->si_addr, (void *)(at + PAGE));
	assert_int_equal(SYS(SYS_munmap, at, 2 * PAGE), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
}

/* MAP_FIXED replaces memory of the program by a copy of a file, or by zeros, also where it was unmapped. */
static void test_fixed(void **state)
{
	const long file = file_new("/tmp/fixed", PAGE + 1, 7);
	const long at = SYS(SYS_mmap, 0, 8 * PAGE, BOTH, ANONYMOUS, -1, 0);
	uint8_t *bytes = (uint8_t *)at;
	long other;

	(void)state;
	memset(bytes, 1, 8 * PAGE);
	assert_int_equal(SYS(SYS_mmap, at + PAGE, 3 * PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, file, 0),
			 at + PAGE);
	assert_int_equal(bytes[PAGE - 1] + bytes[PAGE] + bytes[2 * PAGE] + bytes[4 * PAGE], 16);
	assert_int_equal(bytes[2 * PAGE + 1], 0);
	assert_true(end_has(at + 3 * PAGE) && !end_has(at + 4 * PAGE));
	assert_int_equal(SYS(SYS_mmap, at + 3 * PAGE, PAGE, BOTH, ANONYMOUS | MAP_FIXED, -1, 0),
			 at + 3 * PAGE);
	assert_false(end_has(at + 3 * PAGE));
	assert_int_equal(bytes[3 * PAGE], 0);
	/* Memory that was unmapped belongs to the new mapping alone. */
	assert_int_equal(SYS(SYS_munmap, at + 5 * PAGE, 2 * PAGE), 0);
	assert_int_equal(SYS(SYS_mmap, at + 5 * PAGE, PAGE, BOTH, ANONYMOUS | MAP_FIXED, -1, 0),
			 at + 5 * PAGE);
	for (int i = 0; i < 300; i++) {
		other = SYS(SYS_mmap, 0, PAGE, BOTH, ANONYMOUS, -1, 0);
		assert_true(other > 0 && other != at + (long)(5 * PAGE));
	}
	assert_int_equal(SYS(SYS_close, file), 0);
}

static void test_fixed_refused(void **state)
{
	const long file = file_new("/tmp/refused", PAGE, 7);
	const long shared = SYS(SYS_mmap, 0, PAGE, BOTH, MAP_SHARED, file, 0);
	const long at = SYS(SYS_mmap, 0, 2 * PAGE, BOTH, ANONYMOUS, -1, 0);

	(void)state;
	fake_log[0] = 0;
	*(uint8_t *)at = 1;
	assert_int_equal(SYS(SYS_mmap, at + 1, PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, file, 0),
			 -EINVAL);
	assert_int_equal(SYS(SYS_mmap, 0x1000, PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, file, 0),
			 -EINVAL);
	assert_true(refused("MAP_FIXED needs memory that the program has"));
	assert_int_equal(SYS(SYS_mmap, at, PAGE, BOTH, MAP_SHARED | MAP_FIXED, file, 0), -EINVAL);
	assert_int_equal(SYS(SYS_mmap, at, PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, 63, 0), -EBADF);
	assert_int_equal(*(uint8_t *)at, 1);
	/* The memory of a file is not replaced, neither with nor without a mapping. */
	assert_int_equal(SYS(SYS_mmap, shared, PAGE, BOTH, ANONYMOUS | MAP_FIXED, -1, 0), -EINVAL);
	assert_int_equal(SYS(SYS_munmap, shared, PAGE), 0);
	assert_int_equal(SYS(SYS_mmap, shared, PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, file, 0),
			 -EINVAL);
	assert_int_equal(*(uint8_t *)shared, 7);
	fake_protect_refuses = true;
	assert_int_equal(SYS(SYS_mmap, at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0),
			 -ENOMEM);
	assert_int_equal(SYS(SYS_close, file), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test_setup(test_private, begin),
		cmocka_unit_test_setup(test_protection, begin),
		cmocka_unit_test_setup(test_shared, begin),
		cmocka_unit_test_setup(test_shared_parts, begin),
		cmocka_unit_test_setup(test_shared_records, begin),
		cmocka_unit_test_setup(test_signal, begin),
		cmocka_unit_test_setup(test_fixed, begin),
		cmocka_unit_test_setup(test_fixed_refused, begin),
	};

	return cmocka_run_group_tests_name("posix mappings of files", tests, NULL, NULL);
}
