// SPDX-License-Identifier: BSD-2-Clause
/* Tests shared memory: channels of the component that are files in /dev/shm. */
#define _GNU_SOURCE
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <limpet/channel.h>
#include <limpet/component.h>

bool files_setup(const struct limpet_info *info);

#define PAGE 4096ul
#define SIZE (2 * PAGE)
#define SHM "/dev/shm/"
#define BOTH (PROT_READ | PROT_WRITE)

/* The memory of a channel. The page after it is that of another channel, and must keep its content. */
struct memory {
	uint8_t header[PAGE], data[SIZE], other[PAGE];
} __attribute__((aligned(PAGE)));

static struct memory area, attached, ring;
static struct limpet_info_channel channels[] = {
	{ "rtf1", LIMPET_CHANNEL_FIFO, PAGE, PAGE, 32, (uint64_t)&ring, 0, 0, 0 },
	{ "my-area.2", LIMPET_CHANNEL_SHARED, SIZE, 0, 33, (uint64_t)&area, 0, 0, 0 },
	{ "text", LIMPET_CHANNEL_BYTES, PAGE, PAGE, 34, (uint64_t)&ring, 0, 0, 0 },
	{ "attached", LIMPET_CHANNEL_ATTACHED, SIZE, 0, 35, (uint64_t)&attached, 0, 0, 0 },
};

static int begin(void **state)
{
	const struct limpet_info info = { .channels = 4, .channel_info = (uint64_t)channels };
	static bool started;

	fake_begin(state);
	memset(&area, 0x11, sizeof(area));
	memset(&attached, 0x22, sizeof(attached));
	memset(&ring, 0x33, sizeof(ring));
	if (started)
		return 0;
	started = true;
	return files_setup(&info) ? 0 : -1;
}

/* Checks that the library has written nothing next to the memory. */
static int end(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PAGE; i++)
		if (area.header[i] != 0x11 || area.other[i] != 0x11 || attached.header[i] != 0x22 ||
		    attached.other[i] != 0x22 || ring.header[i] != 0x33 || ring.data[i] != 0x33)
			return -1;
	return 0;
}

static long size_of(long file)
{
	struct stat found;

	assert_int_equal(SYS(SYS_fstat, file, &found), 0);
	assert_true(S_ISREG(found.st_mode));
	return found.st_size;
}

static void test_open(void **state)
{
	struct stat one, two;
	long file = SYS(SYS_open, SHM "my-area.2", O_RDWR), same;

	(void)state;
	assert_true(file >= 3);
	assert_int_equal(size_of(file), SIZE);
	same = SYS(SYS_open, SHM "My_Area.2", O_CREAT | O_RDWR, 0600);
	assert_true(same > file);
	assert_int_equal(SYS(SYS_fstat, file, &one), 0);
	assert_int_equal(SYS(SYS_fstat, same, &two), 0);
	assert_int_equal(one.st_ino, two.st_ino);
	assert_int_equal(one.st_mode & 07777, 0600);
	assert_int_equal(SYS(SYS_open, SHM "my-area.2", O_CREAT | O_EXCL | O_RDWR, 0600), -EEXIST);
	assert_int_equal(SYS(SYS_open, SHM "my-area", O_RDWR), -ENOENT);
	assert_int_equal(SYS(SYS_open, SHM "my-area.23", O_RDWR), -ENOENT);
	assert_int_equal(SYS(SYS_open, "/tmp/my-area.2", O_RDWR), -ENOENT);
	assert_int_equal(SYS(SYS_open, SHM "rtf1", O_RDWR), -ENOENT);
	assert_int_equal(SYS(SYS_open, SHM "text", O_RDWR), -ENOENT);
	assert_int_equal(SYS(SYS_close, same), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_access, SHM "my-area.2", 2), 0); /* closing does not free it */
	file = SYS(SYS_open, SHM "attached", O_RDWR);
	assert_int_equal(size_of(file), SIZE);
	assert_int_equal(SYS(SYS_close, file), 0);
}

/* The system file fixes the size. Other sizes than 0 have no effect. */
static void test_size(void **state)
{
	long file = SYS(SYS_open, SHM "my-area.2", O_RDWR), reader;

	(void)state;
	assert_int_equal(SYS(SYS_ftruncate, file, 100), 0);
	assert_int_equal(SYS(SYS_ftruncate, file, SIZE), 0);
	assert_int_equal(SYS(SYS_ftruncate, file, SIZE + 1), -EFBIG);
	assert_int_equal(SYS(SYS_ftruncate, file, 1ul << 62), -EFBIG);
	assert_int_equal(SYS(SYS_ftruncate, file, -1l), -EINVAL);
	assert_int_equal(SYS(SYS_truncate, SHM "my-area.2", SIZE + 1), -EFBIG);
	assert_int_equal(SYS(SYS_fallocate, file, 0, 0, SIZE), 0);
	assert_int_equal(SYS(SYS_fallocate, file, 0, PAGE, SIZE), -EFBIG);
	assert_int_equal(size_of(file), SIZE);
	assert_int_equal(area.data[0], 0x11);
	assert_int_equal(area.data[SIZE - 1], 0x11);
	reader = SYS(SYS_open, SHM "my-area.2", O_RDONLY);
	assert_int_equal(SYS(SYS_ftruncate, reader, 0), -EINVAL);
	assert_int_equal(SYS(SYS_close, reader), 0);
	assert_int_equal(area.data[0], 0x11);
	assert_int_equal(SYS(SYS_ftruncate, file, 0), 0);
	assert_int_equal(area.data[0] | area.data[SIZE - 1], 0);
	assert_int_equal(SYS(SYS_close, file), 0);
	memset(area.data, 1, SIZE);
	file = SYS(SYS_open, SHM "my-area.2", O_CREAT | O_RDWR | O_TRUNC, 0600);
	assert_int_equal(area.data[0] | area.data[SIZE - 1], 0);
	assert_int_equal(size_of(file), SIZE);
	assert_int_equal(SYS(SYS_close, file), 0);
}

static void test_transfer(void **state)
{
	long file = SYS(SYS_open, SHM "my-area.2", O_RDWR);
	char got[PAGE];

	(void)state;
	assert_int_equal(SYS(SYS_pwrite64, file, "text", 4, SIZE - 4), 4);
	assert_memory_equal(area.data + SIZE - 4, "text", 4);
	area.data[SIZE - 1] = 'd'; /* the other side writes */
	assert_int_equal(SYS(SYS_pread64, file, got, sizeof(got), SIZE - 4), 4);
	assert_memory_equal(got, "texd", 4);
	assert_int_equal(SYS(SYS_pwrite64, file, "text", 4, SIZE - 3), -EFBIG);
	assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_END), SIZE);
	assert_int_equal(SYS(SYS_write, file, "x", 1), -EFBIG);
	assert_int_equal(SYS(SYS_read, file, got, 1), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
}

/* A shared mapping is the channel's memory itself. */
static void test_map(void **state)
{
	long file = SYS(SYS_open, SHM "my-area.2", O_RDWR), at, second;
	const long other = SYS(SYS_open, SHM "attached", O_RDWR);

	(void)state;
	at = SYS(SYS_mmap, 0, SIZE, BOTH, MAP_SHARED, file, 0);
	assert_ptr_equal((void *)at, area.data);
	second = SYS(SYS_mmap, 0, 100, BOTH, MAP_SHARED, file, PAGE);
	assert_ptr_equal((void *)second, area.data + PAGE);
	assert_ptr_equal((void *)SYS(SYS_mmap, 0, PAGE, BOTH, MAP_SHARED, other, 0), attached.data);
	assert_int_equal(SYS(SYS_mmap, 0, SIZE + 1, BOTH, MAP_SHARED, file, 0), -ENXIO);
	assert_int_equal(SYS(SYS_mmap, 0, PAGE + 1, BOTH, MAP_SHARED, file, PAGE), -ENXIO);
	assert_int_equal(SYS(SYS_mmap, 0, 1, BOTH, MAP_SHARED, file, SIZE), -ENXIO);
	assert_int_equal(SYS(SYS_mmap, 0, PAGE, BOTH, MAP_SHARED, file, 1), -EINVAL);
	assert_int_equal(SYS(SYS_mmap, 0, 0, BOTH, MAP_SHARED, file, 0), -EINVAL);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_msync, at, SIZE, MS_SYNC), 0);
	assert_int_equal(SYS(SYS_mprotect, at, SIZE, PROT_READ), 0);
	assert_int_equal(SYS(SYS_madvise, at, SIZE, MADV_DONTNEED), 0);
	assert_int_equal(SYS(SYS_mlock, at, SIZE), 0);
	assert_int_equal(area.data[0], 0x11);
	assert_int_equal(SYS(SYS_mremap, at, SIZE, 2 * SIZE, MREMAP_MAYMOVE), -ENOMEM);
	assert_int_equal(SYS(SYS_mremap, at, SIZE, PAGE, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_mremap, at, SIZE, SIZE, 0), at);
	assert_int_equal(SYS(SYS_munmap, second, PAGE), 0);
	assert_int_equal(SYS(SYS_munmap, at, SIZE), 0);
	assert_int_equal(SYS(SYS_munmap, at, SIZE), 0);
	assert_int_equal(SYS(SYS_munmap, attached.data, PAGE), 0);
	assert_int_equal(SYS(SYS_close, other), 0);
	assert_int_equal(area.data[0], 0x11); /* munmap() does not free or zero it */
}

static void test_map_rights(void **state)
{
	const long reader = SYS(SYS_open, SHM "my-area.2", O_RDONLY);
	const long writer = SYS(SYS_open, SHM "my-area.2", O_WRONLY);
	long at;

	(void)state;
	assert_int_equal(SYS(SYS_mmap, 0, PAGE, BOTH, MAP_SHARED, reader, 0), -EACCES);
	assert_int_equal(SYS(SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, writer, 0), -EACCES);
	at = SYS(SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, reader, 0);
	assert_ptr_equal((void *)at, area.data);
	assert_int_equal(SYS(SYS_munmap, at, PAGE), 0);
	assert_int_equal(SYS(SYS_close, reader), 0);
	assert_int_equal(SYS(SYS_close, writer), 0);
}

/* A private mapping is a copy, and zero behind the end of the memory, as for other files. */
static void test_map_private(void **state)
{
	const long file = SYS(SYS_open, SHM "my-area.2", O_RDWR);
	const long at = SYS(SYS_mmap, 0, 2 * PAGE, BOTH, MAP_PRIVATE, file, PAGE);
	uint8_t *copy = (uint8_t *)at;

	(void)state;
	assert_true(at > 0 && copy != area.data + PAGE);
	assert_int_equal(copy[0], 0x11);
	assert_int_equal(copy[PAGE], 0);
	copy[0] = 1;
	assert_int_equal(area.data[PAGE], 0x11);
	area.data[PAGE] = 5;
	assert_int_equal(copy[0], 1);
	assert_int_equal(SYS(SYS_munmap, at, 2 * PAGE), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
}

/* The names belong to the system file, so the program cannot remove or replace them. */
static void test_names(void **state)
{
	long file;

	(void)state;
	assert_int_equal(SYS(SYS_unlink, SHM "my-area.2"), -EACCES);
	assert_int_equal(SYS(SYS_unlink, SHM "MY_area.2"), -EACCES);
	assert_int_equal(SYS(SYS_rename, SHM "my-area.2", SHM "x"), -EACCES);
	assert_int_equal(SYS(SYS_mkdir, SHM "my-area.2", 0755), -EEXIST);
	file = SYS(SYS_open, SHM "private", O_CREAT | O_EXCL | O_RDWR, 0600);
	assert_true(file >= 3);
	assert_int_equal(SYS(SYS_rename, SHM "private", SHM "attached"), -EACCES);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_link, SHM "my-area.2", "/tmp/link"), 0);
	file = SYS(SYS_open, "/tmp/link", O_RDWR);
	assert_int_equal(size_of(file), SIZE);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_unlink, "/tmp/link"), 0);
	assert_int_equal(SYS(SYS_access, SHM "my-area.2", 0), 0);
	assert_int_equal(SYS(SYS_unlink, SHM "private"), 0);
}

/* Names that the system file does not declare remain files of the program alone. */
static void test_private_name(void **state)
{
	long at;
	const long file = SYS(SYS_open, SHM "Private_1", O_CREAT | O_RDWR, 0600);

	(void)state;
	assert_int_equal(SYS(SYS_open, SHM "private-1", O_RDWR), -ENOENT);
	assert_int_equal(size_of(file), 0);
	assert_int_equal(SYS(SYS_ftruncate, file, 3 * SIZE), 0);
	assert_int_equal(size_of(file), 3 * SIZE);
	at = SYS(SYS_mmap, 0, SIZE, BOTH, MAP_SHARED, file, 0);
	assert_true(at > 0);
	*(uint8_t *)at = 5;
	assert_int_equal(SYS(SYS_madvise, at, SIZE, MADV_DONTNEED), 0);
	assert_int_equal(*(uint8_t *)at, 5);
	assert_int_equal(SYS(SYS_mremap, at, SIZE, 2 * SIZE, MREMAP_MAYMOVE), -ENOMEM);
	assert_int_equal(SYS(SYS_mremap, at, SIZE, PAGE, 0), -ENOMEM);
	assert_int_equal(SYS(SYS_munmap, at, SIZE), 0);
	assert_int_equal(SYS(SYS_unlink, SHM "Private_1"), 0);
	assert_int_equal(SYS(SYS_close, file), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open, begin, end),
		cmocka_unit_test_setup_teardown(test_size, begin, end),
		cmocka_unit_test_setup_teardown(test_transfer, begin, end),
		cmocka_unit_test_setup_teardown(test_map, begin, end),
		cmocka_unit_test_setup_teardown(test_map_rights, begin, end),
		cmocka_unit_test_setup_teardown(test_map_private, begin, end),
		cmocka_unit_test_setup_teardown(test_names, begin, end),
		cmocka_unit_test_setup_teardown(test_private_name, begin, end),
	};

	return cmocka_run_group_tests_name("posix shared memory", tests, NULL, NULL);
}
