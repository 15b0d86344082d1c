// SPDX-License-Identifier: BSD-2-Clause
/* Tests files: the ramdisk, random operations in /tmp against a copy, names, folders, descriptors, pipes. */
#define _GNU_SOURCE
#include "fake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include <runtime/types.h>

struct limpet_info;
bool files_setup(const struct limpet_info *info);

#define WHOLE 300000

static char archive[4096];
static size_t archive_size;

static void archive_add(const char *name, unsigned int mode, const char *text)
{
	char *at = archive + archive_size;
	size_t size = strlen(text);

	at += sprintf(at, "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x%s", 1u,
		      mode, 0u, 0u, 1u, 0u, size, 0u, 0u, 0u, 0u, strlen(name) + 1, 0u, name) +
	      1;
	at = archive + ((at - archive + 3) & ~3);
	memcpy(at, text, size);
	archive_size = (size_t)((at - archive) + (long)size + 3) & ~3ul;
}

static int begin(void **state)
{
	struct limpet_info info = { .ramdisk = (uint64_t)archive };
	static bool started;

	fake_begin(state);
	if (started)
		return 0;
	started = true;
	archive_add("hello.txt", S_IFREG | 0444, "hello\n");
	archive_add("data", S_IFDIR | 0555, "");
	archive_add("data/empty", S_IFREG | 0444, "");
	archive_add("data/more.txt", S_IFREG | 0444, "more");
	archive_add("dev", S_IFDIR | 0555, "");
	archive_add("dev/shm", S_IFDIR | 0555, "");
	archive_add("TRAILER!!!", 0, "");
	info.ramdisk_size = archive_size;
	return files_setup(&info) ? 0 : -1;
}

static void test_ramdisk(void **state)
{
	char text[32] = "";
	struct stat stat_of;
	long file = SYS(SYS_open, "/data/../hello.txt", O_RDONLY);

	(void)state;
	assert_int_equal(file, 3);
	assert_int_equal(SYS(SYS_read, file, text, 4), 4);
	assert_int_equal(SYS(SYS_pread64, file, text + 4, 20, 4), 2);
	assert_string_equal(text, "hello\n");
	assert_int_equal(SYS(SYS_read, file, text, 20), 2);
	assert_int_equal(SYS(SYS_read, file, text, 20), 0);
	assert_int_equal(SYS(SYS_write, file, text, 1), -EBADF);
	assert_int_equal(SYS(SYS_fstat, file, &stat_of), 0);
	assert_true(S_ISREG(stat_of.st_mode) && stat_of.st_size == 6);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_close, file), -EBADF);
	assert_int_equal(SYS(SYS_open, "/hello.txt", O_RDWR), -EROFS);
	assert_int_equal(SYS(SYS_open, "/new", O_CREAT | O_WRONLY, 0644), -EROFS);
	assert_int_equal(SYS(SYS_open, "/hello.txt/x", O_RDONLY), -ENOTDIR);
	assert_int_equal(SYS(SYS_open, "/data", O_RDWR), -EISDIR);
	assert_int_equal(SYS(SYS_open, "/nothing", O_RDONLY), -ENOENT);
	assert_int_equal(SYS(SYS_open, "", O_RDONLY), -ENOENT);
	assert_int_equal(SYS(SYS_unlink, "/hello.txt"), -EROFS);
	assert_int_equal(SYS(SYS_rename, "/hello.txt", "/tmp/x"), -EROFS);
	assert_int_equal(SYS(SYS_mkdir, "/other", 0755), -EROFS);
	assert_int_equal(SYS(SYS_rmdir, "/tmp"), -EROFS);
	assert_int_equal(SYS(SYS_rmdir, "/"), -EINVAL);
}

/* Reads and writes one file at random offsets, truncates it and extends it. */
static void test_random(void **state)
{
	static char copy[WHOLE], part[9000], got[9000];
	long file = SYS(SYS_open, "/tmp/random", O_CREAT | O_RDWR | O_EXCL, 0600), size = 0;

	(void)state;
	assert_true(file > 0);
	assert_int_equal(SYS(SYS_open, "/tmp/random", O_CREAT | O_RDWR | O_EXCL, 0600), -EEXIST);
	srand(5);
	for (int round = 0; round < 5000; round++) {
		long at = rand() % (WHOLE - 9000), length = rand() % 9000, max = size - at;

		switch (rand() % 8) {
		case 0:
			assert_int_equal(SYS(SYS_ftruncate, file, at), 0);
			if (at < size)
				memset(copy + at, 0, (size_t)(size - at));
			size = at;
			break;
		case 1:
		case 2:
		case 3:
			memset(part, rand(), (size_t)length);
			assert_int_equal(SYS(SYS_lseek, file, at, SEEK_SET), at);
			assert_int_equal(SYS(SYS_write, file, part, length), length);
			memcpy(copy + at, part, (size_t)length);
			size = length && at + length > size ? at + length : size;
			break;
		default:
			max = max < 0 ? 0 : max < length ? max : length;
			assert_int_equal(SYS(SYS_pread64, file, got, length, at), max);
			assert_memory_equal(got, copy + at, max);
		}
		assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_END), size);
	}
	assert_int_equal(SYS(SYS_lseek, file, -1, SEEK_SET), -EINVAL);
	assert_int_equal(SYS(SYS_unlink, "/tmp/random"), 0);
	assert_int_equal(SYS(SYS_access, "/tmp/random", 0), -ENOENT);
	assert_int_equal(SYS(SYS_pread64, file, got, 1, 0), size ? 1 : 0); /* while it is open */
	assert_int_equal(SYS(SYS_close, file), 0);
}

static void test_full(void **state)
{
	static char part[100000];
	long file = SYS(SYS_open, "/tmp/full", O_CREAT | O_WRONLY, 0600), status;
	unsigned long before = fake_pages;

	(void)state;
	do
		status = SYS(SYS_write, file, part, sizeof(part));
	while (status > 0);
	assert_int_equal(status, -ENOSPC);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_unlink, "/tmp/full"), 0);
	assert_true(fake_pages <= before);
	for (int i = 0;; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/tmp/%d", i);
		status = SYS(SYS_mkdir, name, 0755);
		if (status)
			break;
	}
	assert_int_equal(status, -ENOSPC);
	for (int i = 0; status != -ENOENT; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/tmp/%d", i);
		status = SYS(SYS_rmdir, name);
	}
}

static int entries(const char *name, unsigned char type)
{
	long folder = SYS(SYS_open, name, O_RDONLY | O_DIRECTORY), got;
	char buffer[100] __attribute__((aligned(8)));
	int count = 0;

	assert_true(folder > 0);
	while ((got = SYS(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < got;
		     at += ((struct dirent64 *)(void *)(buffer + at))->d_reclen)
			count += ((struct dirent64 *)(void *)(buffer + at))->d_type == type;
	assert_int_equal(got, 0);
	SYS(SYS_close, folder);
	return count;
}

static void test_names(void **state)
{
	char path[64], name[100];
	long file;

	(void)state;
	assert_int_equal(entries("/", DT_DIR), 5); /* . .. data dev tmp */
	assert_int_equal(entries("/data", DT_REG), 2);
	assert_int_equal(SYS(SYS_mkdir, "/tmp/a", 0755), 0);
	assert_int_equal(SYS(SYS_mkdir, "/tmp/a", 0755), -EEXIST);
	assert_int_equal(SYS(SYS_mkdir, "/tmp/a/b/", 0755), 0);
	assert_int_equal(SYS(SYS_mkdir, "/tmp/no/b", 0755), -ENOENT);
	assert_int_equal(SYS(SYS_rename, "/tmp/a", "/tmp/a/b/c"), -EINVAL);
	assert_int_equal(SYS(SYS_rmdir, "/tmp/a"), -ENOTEMPTY);
	assert_int_equal(SYS(SYS_unlink, "/tmp/a"), -EISDIR);
	assert_int_equal(SYS(SYS_chdir, "/tmp/a/b"), 0);
	assert_int_equal(SYS(SYS_getcwd, path, sizeof(path)), 9);
	assert_string_equal(path, "/tmp/a/b");
	assert_int_equal(SYS(SYS_getcwd, path, 8), -ERANGE);
	file = SYS(SYS_open, "../f", O_CREAT | O_RDWR, 0644);
	assert_true(file > 0);
	assert_int_equal(SYS(SYS_write, file, "one", 3), 3);
	assert_int_equal(SYS(SYS_rename, "/tmp/a/f", "g"), 0);
	assert_int_equal(SYS(SYS_rename, "g", "/tmp/a"), -EISDIR);
	assert_int_equal(SYS(SYS_open, "/tmp/a/b/g", O_RDONLY), file + 1);
	assert_int_equal(SYS(SYS_read, file + 1, path, 10), 3);
	assert_int_equal(SYS(SYS_dup2, file, 20), 20);
	assert_int_equal(SYS(SYS_lseek, 20, 0, SEEK_CUR), 3);
	SYS(SYS_close, file);
	SYS(SYS_close, file + 1);
	assert_int_equal(SYS(SYS_fcntl, 20, F_GETFL), O_RDWR);
	SYS(SYS_close, 20);
	assert_int_equal(SYS(SYS_rmdir, "g"), -ENOTDIR);
	assert_int_equal(SYS(SYS_unlink, "g"), 0);
	assert_int_equal(SYS(SYS_chdir, "/"), 0);
	assert_int_equal(SYS(SYS_rmdir, "/tmp/a/b"), 0);
	assert_int_equal(SYS(SYS_rmdir, "/tmp/a"), 0);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	memcpy(name, "/tmp/", 5);
	assert_int_equal(SYS(SYS_mkdir, name, 0755), -ENAMETOOLONG);
	assert_int_equal(entries("/tmp", DT_DIR), 2);
	assert_int_equal(entries("/dev", DT_CHR), 5);
	assert_int_equal(entries("/dev", DT_DIR), 3); /* . .. shm, which the ramdisk has, too */
	file = SYS(SYS_open, "/dev/shm/x", O_CREAT | O_RDWR, 0600);
	assert_true(file > 0);
	assert_int_equal(SYS(SYS_close, file), 0);
	assert_int_equal(SYS(SYS_unlink, "/dev/shm/x"), 0);
}

/* A path that ends with a slash is a folder's. */
static void test_slashes(void **state)
{
	struct stat stat;
	long file = SYS(SYS_open, "/tmp/f", O_CREAT | O_RDWR, 0600);

	(void)state;
	assert_true(file > 0);
	SYS(SYS_close, file);
	assert_int_equal(SYS(SYS_open, "/tmp/f/", O_RDONLY), -ENOTDIR);
	assert_int_equal(SYS(SYS_open, "/tmp/f//", O_CREAT | O_RDWR, 0600), -ENOTDIR);
	assert_int_equal(SYS(SYS_open, "/tmp/new/", O_CREAT | O_RDWR, 0600), -EISDIR);
	assert_int_equal(SYS(SYS_open, "/tmp/new/", O_RDONLY), -ENOENT);
	assert_int_equal(SYS(SYS_stat, "/tmp/f/", &stat), -ENOTDIR);
	assert_int_equal(SYS(SYS_chmod, "/tmp/f/", 0600), -ENOTDIR);
	assert_int_equal(SYS(SYS_access, "/tmp/f/", 0), -ENOTDIR);
	assert_int_equal(SYS(SYS_unlink, "/tmp/f/"), -ENOTDIR);
	assert_int_equal(SYS(SYS_link, "/tmp/f", "/tmp/new/"), -ENOENT);
	assert_int_equal(SYS(SYS_mknod, "/tmp/new/", S_IFREG | 0600, 0), -ENOENT);
	assert_int_equal(SYS(SYS_rename, "/tmp/f", "/tmp/new/"), -ENOTDIR);
	assert_int_equal(SYS(SYS_stat, "/tmp/new", &stat), -ENOENT);
	assert_int_equal(SYS(SYS_mkdir, "/tmp/a/", 0700), 0);
	assert_int_equal(SYS(SYS_rename, "/tmp/a/", "/tmp/b/"), 0);
	assert_int_equal(SYS(SYS_stat, "/tmp/b//", &stat), 0);
	assert_int_equal(SYS(SYS_stat, "/", &stat), 0);
	assert_int_equal(SYS(SYS_rmdir, "/tmp/b/"), 0);
	assert_int_equal(SYS(SYS_unlink, "/tmp/f"), 0);
}

static void test_access(void **state)
{
	long file = SYS(SYS_open, "/tmp/f", O_CREAT | O_RDWR, 0700);

	(void)state;
	assert_true(file > 0);
	SYS(SYS_close, file);
	assert_int_equal(SYS(SYS_access, "/tmp/f", 7), 0);
	assert_int_equal(SYS(SYS_chmod, "/tmp/f", 0600), 0);
	assert_int_equal(SYS(SYS_access, "/tmp/f", 6), 0);
	assert_int_equal(SYS(SYS_access, "/tmp/f", 1), -EACCES);
	assert_int_equal(SYS(SYS_access, "/tmp", 1), 0);
	assert_int_equal(SYS(SYS_access, "/hello.txt", 2), -EROFS);
	assert_int_equal(SYS(SYS_access, "/hello.txt", 1), -EACCES);
	assert_int_equal(SYS(SYS_unlink, "/tmp/f"), 0);
}

/* musl's fchmodat() changes the mode of a descriptor by this name. */
static void test_descriptor_name(void **state)
{
	char name[] = "/proc/self/fd/3";
	struct stat stat;
	long file = SYS(SYS_open, "/tmp/f", O_CREAT | O_RDWR, 0600);

	(void)state;
	assert_int_equal(file, 3);
	assert_int_equal(SYS(SYS_chmod, name, 0400), 0);
	assert_int_equal(SYS(SYS_stat, name, &stat), 0);
	assert_int_equal(stat.st_mode, S_IFREG | 0400);
	assert_int_equal(SYS(SYS_stat, "/tmp/f", &stat), 0);
	assert_int_equal(stat.st_mode, S_IFREG | 0400);
	assert_int_equal(SYS(SYS_access, name, 0), 0);
	assert_int_equal(SYS(SYS_unlink, name), -ENOENT); /* it is not a name of the file */
	assert_int_equal(SYS(SYS_stat, "/proc/self/fd/1", &stat),
			 -ENOENT); /* the console has no node */
	assert_int_equal(SYS(SYS_stat, "/proc/self/fd/4", &stat), -ENOENT);
	assert_int_equal(SYS(SYS_stat, "/proc/self/fd/3x", &stat), -ENOENT);
	assert_int_equal(SYS(SYS_stat, "/proc/self/fd/99999999999999999999", &stat), -ENOENT);
	assert_int_equal(SYS(SYS_stat, "/proc/self/fd/", &stat), -ENOENT);
	SYS(SYS_close, file);
	assert_int_equal(SYS(SYS_stat, name, &stat), -ENOENT);
	assert_int_equal(SYS(SYS_unlink, "/tmp/f"), 0);
}

static long locked[2];

static void unlock_other(void)
{
	fake_thread = 3;
	assert_int_equal(SYS(SYS_flock, locked[0], LOCK_UN), 0);
}

static void close_other(void)
{
	fake_thread = 3;
	assert_int_equal(SYS(SYS_close, locked[0]), 0);
}

static void test_flock(void **state)
{
	long copy, other, shared;

	(void)state;
	locked[0] = SYS(SYS_open, "/tmp/f", O_CREAT | O_RDWR, 0600);
	locked[1] = SYS(SYS_open, "/tmp/f", O_RDONLY);
	other = SYS(SYS_open, "/tmp/g", O_CREAT | O_RDWR, 0600);
	copy = SYS(SYS_dup, locked[0]);
	assert_int_equal(SYS(SYS_flock, 63, LOCK_SH), -EBADF);
	assert_int_equal(SYS(SYS_flock, locked[0], 0), -EINVAL);
	assert_int_equal(SYS(SYS_flock, locked[0], LOCK_SH | LOCK_EX), -EINVAL);
	assert_int_equal(SYS(SYS_flock, locked[0], LOCK_SH), 0);
	assert_int_equal(SYS(SYS_flock, locked[1], LOCK_SH), 0);
	assert_int_equal(SYS(SYS_flock, locked[1], LOCK_EX | LOCK_NB), -EWOULDBLOCK);
	/* The failed conversion has removed the shared lock. */
	assert_int_equal(SYS(SYS_flock, locked[0], LOCK_EX | LOCK_NB), 0);
	assert_int_equal(SYS(SYS_flock, copy, LOCK_EX | LOCK_NB), 0); /* the same open file */
	assert_int_equal(SYS(SYS_flock, other, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(SYS(SYS_flock, locked[1], LOCK_SH | LOCK_NB), -EWOULDBLOCK);
	fake_blocked = unlock_other;
	assert_int_equal(SYS(SYS_flock, locked[1], LOCK_SH), 0);
	assert_int_equal(SYS(SYS_flock, locked[1], LOCK_UN), 0);
	assert_int_equal(SYS(SYS_flock, locked[0], LOCK_EX), 0);
	SYS(SYS_close, copy); /* the open file stays locked */
	assert_int_equal(SYS(SYS_flock, locked[1], LOCK_EX | LOCK_NB), -EWOULDBLOCK);
	fake_blocked = close_other;
	assert_int_equal(SYS(SYS_flock, locked[1], LOCK_EX), 0);
	shared = SYS(SYS_open, "/tmp/f", O_RDWR);
	assert_int_equal(SYS(SYS_flock, shared, LOCK_SH | LOCK_NB), -EWOULDBLOCK);
	SYS(SYS_close, locked[1]);
	assert_int_equal(SYS(SYS_flock, shared, LOCK_SH | LOCK_NB), 0);
	/* Standard input and output are one open file each. */
	assert_int_equal(SYS(SYS_flock, 0, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(SYS(SYS_flock, 1, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(SYS(SYS_flock, 0, LOCK_UN), 0);
	assert_int_equal(SYS(SYS_flock, 1, LOCK_UN), 0);
	SYS(SYS_close, shared);
	SYS(SYS_close, other);
	assert_int_equal(SYS(SYS_unlink, "/tmp/f"), 0);
	assert_int_equal(SYS(SYS_unlink, "/tmp/g"), 0);
}

static void test_host_name(void **state)
{
	char name[66];
	struct utsname found;

	(void)state;
	memset(name, 'n', sizeof(name));
	assert_int_equal(SYS(SYS_uname, &found), 0);
	assert_string_equal(found.nodename, "fake");
	assert_int_equal(SYS(SYS_sethostname, name, 65), -EINVAL);
	assert_int_equal(SYS(SYS_sethostname, name, -1), -EINVAL);
	assert_int_equal(SYS(SYS_uname, &found), 0);
	assert_string_equal(found.nodename, "fake");
	assert_int_equal(SYS(SYS_sethostname, name, 64), 0);
	assert_int_equal(SYS(SYS_uname, &found), 0);
	assert_int_equal(strlen(found.nodename), 64);
	assert_int_equal(SYS(SYS_sethostname, name, 0), 0);
	assert_int_equal(SYS(SYS_uname, &found), 0);
	assert_string_equal(found.nodename, "");
	assert_int_equal(SYS(SYS_sethostname, "fake", 4), 0);
	assert_int_equal(SYS(SYS_uname, &found), 0);
	assert_string_equal(found.nodename, "fake");
}

static void test_descriptors(void **state)
{
	struct iovec parts[] = { { (char[]){ "to " }, 3 },
				 { NULL, 0 },
				 { (char[]){ "the log\n" }, 8 } };
	long last = 0, file;
	char c;

	(void)state;
	assert_int_equal(SYS(SYS_writev, 1, parts, 3), 11);
	assert_string_equal(fake_log, "to the log\n");
	assert_int_equal(SYS(SYS_read, 0, &c, 1), 0);
	assert_int_equal(SYS(SYS_read, 1, &c, 1), -EBADF);
	assert_int_equal(SYS(SYS_lseek, 1, 0, SEEK_SET), -ESPIPE);
	while ((file = SYS(SYS_open, "/hello.txt", O_RDONLY)) > 0)
		last = file;
	assert_true(file == -EMFILE);
	assert_int_equal(SYS(SYS_dup, 1), -EMFILE);
	for (; last > 2; last--)
		assert_int_equal(SYS(SYS_close, last), 0);
	assert_int_equal(SYS(500), -ENOSYS);
	assert_int_equal(SYS(500), -ENOSYS);
	assert_non_null(strstr(fake_log, "call 500"));
	assert_null(strstr(strstr(fake_log, "call 500") + 1, "call 500"));
}

/* A call that fails at the limit of descriptors does not make, truncate or close a file. */
static void test_limit(void **state)
{
	const long file = SYS(SYS_open, "/tmp/limit", O_CREAT | O_RDWR, 0600);
	struct rlimit limit = { 20, 64 };
	struct stat is;
	long last = file, copy;

	(void)state;
	assert_int_equal(SYS(SYS_write, file, "text", 4), 4);
	while ((copy = SYS(SYS_dup, file)) > 0)
		last = copy;
	assert_int_equal(copy, -EMFILE);
	assert_int_equal(SYS(SYS_open, "/tmp/limit", O_WRONLY | O_TRUNC), -EMFILE);
	assert_int_equal(SYS(SYS_open, "/tmp/new", O_WRONLY | O_CREAT, 0600), -EMFILE);
	assert_int_equal(SYS(SYS_open, "/tmp/new", O_RDONLY), -EMFILE);
	assert_int_equal(SYS(SYS_fstat, file, &is), 0);
	assert_int_equal(is.st_size, 4);
	assert_int_equal(SYS(SYS_stat, "/tmp/new", &is), -ENOENT);
	assert_int_equal(SYS(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL), 0);
	assert_int_equal(SYS(SYS_dup2, file, 40), -EBADF);
	assert_int_equal(SYS(SYS_dup3, file, 64, 0), -EBADF);
	assert_int_equal(SYS(SYS_dup2, 40, 40), 40);
	assert_int_equal(SYS(SYS_fstat, 40, &is), 0);
	assert_int_equal(SYS(SYS_fcntl, file, F_DUPFD, 20), -EINVAL);
	assert_int_equal(SYS(SYS_fcntl, file, F_DUPFD, 19), -EMFILE);
	assert_int_equal(SYS(SYS_dup2, file, 19), 19);
	limit.rlim_cur = 64;
	assert_int_equal(SYS(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL), 0);
	for (; last >= file; last--)
		assert_int_equal(SYS(SYS_close, last), 0);
	assert_int_equal(SYS(SYS_unlink, "/tmp/limit"), 0);
}

/* A new folder has the permissions that umask() leaves. */
static void test_umask(void **state)
{
	const long before = SYS(SYS_umask, 027);
	struct stat is;

	(void)state;
	assert_int_equal(SYS(SYS_mkdir, "/tmp/masked", 0777), 0);
	assert_int_equal(SYS(SYS_stat, "/tmp/masked", &is), 0);
	assert_int_equal(is.st_mode, S_IFDIR | 0750);
	assert_int_equal(SYS(SYS_rmdir, "/tmp/masked"), 0);
	assert_int_equal(SYS(SYS_mknod, "/tmp/masked", S_IFREG | 0666, 0), 0);
	assert_int_equal(SYS(SYS_stat, "/tmp/masked", &is), 0);
	assert_int_equal(is.st_mode, S_IFREG | 0640);
	assert_int_equal(SYS(SYS_unlink, "/tmp/masked"), 0);
	assert_int_equal(SYS(SYS_umask, before), 027);
}

/* Each value selects the threads to count. The fake scheduler counts n ms for thread n. */
static void test_usage(void **state)
{
	struct rusage usage;

	(void)state;
	assert_int_equal(SYS(SYS_getrusage, RUSAGE_SELF, &usage), 0);
	assert_int_equal(usage.ru_utime.tv_usec, (2 + 3 + 4 + 5) * 1000);
	assert_int_equal(SYS(SYS_getrusage, RUSAGE_THREAD, &usage), 0);
	assert_int_equal(usage.ru_utime.tv_usec, 2000);
	assert_int_equal(SYS(SYS_getrusage, RUSAGE_CHILDREN, &usage), 0);
	assert_int_equal(usage.ru_utime.tv_usec, 0);
	assert_int_equal(SYS(SYS_getrusage, 99, &usage), -EINVAL);
}

/* All epoll instances together watch 256 descriptors. */
static void test_epoll_full(void **state)
{
	struct epoll_event event = { .events = EPOLLIN };
	long epolls[8], counters[40], count = 0, status = 0;

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_true((epolls[i] = SYS(SYS_epoll_create1, 0)) > 0);
	for (int i = 0; i < 40; i++)
		assert_true((counters[i] = SYS(SYS_eventfd2, 0, 0)) > 0);
	for (int i = 0; i < 8 * 40 && !status; i++) {
		status =
			SYS(SYS_epoll_ctl, epolls[i / 40], EPOLL_CTL_ADD, counters[i % 40], &event);
		count += !status;
	}
	assert_int_equal(status, -ENOSPC);
	assert_int_equal(count, 256);
	assert_int_equal(SYS(SYS_close, counters[0]), 0);
	assert_int_equal(SYS(SYS_epoll_ctl, epolls[7], EPOLL_CTL_ADD, counters[39], &event), 0);
	for (int i = 0; i < 8; i++)
		SYS(SYS_close, epolls[i]);
	for (int i = 1; i < 40; i++)
		SYS(SYS_close, counters[i]);
}

/* Chains of instances have at most five, however they are built, and no cycle. */
static void test_epoll_chain(void **state)
{
	struct epoll_event event = { .events = EPOLLIN };
	long epoll[7];

	(void)state;
	for (int i = 0; i < 7; i++)
		assert_true((epoll[i] = SYS(SYS_epoll_create1, 0)) > 0);
	for (int i = 1; i < 3; i++)
		assert_int_equal(SYS(SYS_epoll_ctl, epoll[i], EPOLL_CTL_ADD, epoll[i - 1], &event),
				 0);
	assert_int_equal(SYS(SYS_epoll_ctl, epoll[0], EPOLL_CTL_ADD, epoll[2], &event), -ELOOP);
	for (int i = 6; i > 3; i--)
		assert_int_equal(SYS(SYS_epoll_ctl, epoll[i], EPOLL_CTL_ADD, epoll[i - 1], &event),
				 0);
	assert_int_equal(SYS(SYS_epoll_ctl, epoll[3], EPOLL_CTL_ADD, epoll[2], &event), -ELOOP);
	assert_int_equal(SYS(SYS_epoll_ctl, epoll[5], EPOLL_CTL_ADD, epoll[2], &event), 0);
	for (int i = 0; i < 7; i++)
		SYS(SYS_close, epoll[i]);
}

static int ends[2];
static char much[9000];

static void drain(void)
{
	char got[9000];

	fake_thread = 3;
	assert_int_equal(SYS(SYS_read, ends[0], got, sizeof(got)), 8192);
}

static void test_pipe(void **state)
{
	struct pollfd polled;
	char got[100];

	(void)state;
	assert_int_equal(SYS(SYS_pipe2, ends, O_NONBLOCK), 0);
	assert_int_equal(SYS(SYS_read, ends[0], got, 1), -EAGAIN);
	assert_int_equal(SYS(SYS_write, ends[1], much, 8096), 8096);
	assert_int_equal(SYS(SYS_write, ends[1], much, 97), -EAGAIN); /* all bytes, or none */
	polled = (struct pollfd){ .fd = ends[0], .events = POLLIN | POLLOUT };
	assert_int_equal(SYS(SYS_poll, &polled, 1, 0), 1);
	assert_int_equal(polled.revents, POLLIN);
	assert_int_equal(SYS(SYS_read, ends[0], much, 9000), 8096);
	assert_int_equal(SYS(SYS_poll, &polled, 1, 3), 0);
	SYS(SYS_close, ends[1]);
	assert_int_equal(SYS(SYS_read, ends[0], got, 1), 0);
	assert_int_equal(SYS(SYS_poll, &polled, 1, 3), 1);
	assert_int_equal(polled.revents, POLLHUP);
	SYS(SYS_close, ends[0]);
	assert_int_equal(SYS(SYS_pipe, ends), 0);
	fake_blocked = drain; /* the writer waits for space */
	assert_int_equal(SYS(SYS_write, ends[1], much, 9000), 9000);
	SYS(SYS_close, ends[0]);
	SYS(SYS_close, ends[1]);
}

/* A read into several parts waits for the first bytes only, and a write from several parts is one write. */
static void test_parts(void **state)
{
	char head[4], body[100], byte[2] = "", text[] = "header";
	struct iovec in[] = { { head, 4 }, { body, sizeof(body) } };
	struct iovec out[] = { { much, 50 }, { much, 47 } };
	struct iovec halves[] = { { byte, 1 }, { text, 7 } }, none[] = { { NULL, 0 }, { NULL, 0 } };
	struct iovec invalid[] = { { head, 4 }, { body, -1ul } };
	long file;

	(void)state;
	assert_int_equal(SYS(SYS_pipe, ends), 0);
	assert_int_equal(SYS(SYS_write, ends[1], text, 4), 4);
	assert_int_equal(SYS(SYS_readv, ends[0], in, 2), 4);
	assert_memory_equal(head, "head", 4);
	assert_int_equal(SYS(SYS_write, ends[1], text, 6), 6);
	assert_int_equal(SYS(SYS_readv, ends[0], in, 2), 6);
	assert_memory_equal(body, "er", 2);
	assert_int_equal(SYS(SYS_readv, ends[0], none, 2), 0);
	assert_int_equal(SYS(SYS_readv, ends[0], in, 1025), -EINVAL);
	assert_int_equal(SYS(SYS_readv, ends[0], invalid, 2), -EINVAL);
	assert_int_equal(SYS(SYS_readv, ends[1], none, 2), -EBADF);
	assert_int_equal(SYS(SYS_preadv, ends[0], in, 2, 0), -ESPIPE);
	assert_int_equal(SYS(SYS_fcntl, ends[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(SYS(SYS_write, ends[1], much, 8096), 8096);
	assert_int_equal(SYS(SYS_writev, ends[1], out, 2), -EAGAIN); /* all bytes, or none */
	assert_int_equal(SYS(SYS_read, ends[0], much, 9000), 8096);
	SYS(SYS_close, ends[0]);
	SYS(SYS_close, ends[1]);
	/* The value of a counter fills several parts. */
	file = SYS(SYS_eventfd2, 0x102, 0);
	assert_int_equal(SYS(SYS_readv, file, halves, 2), 8);
	assert_int_equal(byte[0] + text[0], 3);
	assert_int_equal(SYS(SYS_writev, file, none, 2), 0);
	assert_int_equal(SYS(SYS_writev, file, halves, 2), 8);
	assert_int_equal(SYS(SYS_readv, file, halves, 2), 8);
	assert_int_equal(byte[0] + text[0], 3);
	SYS(SYS_close, file);
	file = SYS(SYS_open, "/dev/zero", O_RDONLY);
	memset(head, 1, sizeof(head));
	assert_int_equal(SYS(SYS_readv, file, in, 2), 104);
	assert_int_equal(head[0] + head[3] + body[99], 0);
	SYS(SYS_close, file);
}

/* With O_APPEND all writes are at the end, as on Linux, and pwrite() does not move the position. */
static void test_append(void **state)
{
	const long file = SYS(SYS_open, "/tmp/append", O_CREAT | O_RDWR | O_APPEND, 0600);
	char text[8] = "";

	(void)state;
	assert_int_equal(SYS(SYS_write, file, "abc", 3), 3);
	assert_int_equal(SYS(SYS_lseek, file, 1, SEEK_SET), 1);
	assert_int_equal(SYS(SYS_pwrite64, file, "d", 1, 0), 1);
	assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_CUR), 1);
	assert_int_equal(SYS(SYS_write, file, "e", 1), 1);
	assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_CUR), 5);
	assert_int_equal(SYS(SYS_pread64, file, text, 8, 0), 5);
	assert_string_equal(text, "abcde");
	SYS(SYS_close, file);
	assert_int_equal(SYS(SYS_unlink, "/tmp/append"), 0);
}

/* sendfile() advances the position only by the bytes that it has written. */
static void test_sendfile(void **state)
{
	const long file = SYS(SYS_open, "/tmp/sent", O_CREAT | O_RDWR, 0600);
	off_t offset = 1;

	(void)state;
	assert_int_equal(SYS(SYS_write, file, much, 5000), 5000);
	assert_int_equal(SYS(SYS_pipe2, ends, O_NONBLOCK), 0);
	assert_int_equal(SYS(SYS_write, ends[1], much, 8000), 8000);
	assert_int_equal(SYS(SYS_lseek, file, 100, SEEK_SET), 100);
	assert_int_equal(SYS(SYS_sendfile, ends[1], file, NULL, 600), -EAGAIN);
	assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_CUR), 100);
	assert_int_equal(SYS(SYS_read, ends[0], much, 1000), 1000);
	assert_int_equal(SYS(SYS_sendfile, ends[1], file, NULL, 3000), 1024);
	assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_CUR), 1124);
	assert_int_equal(SYS(SYS_sendfile, ends[1], file, &offset, 600), -EAGAIN);
	assert_int_equal(offset, 1);
	assert_int_equal(SYS(SYS_read, ends[0], much, 9000), 8024);
	assert_int_equal(SYS(SYS_sendfile, ends[1], file, &offset, 9000), 4999);
	assert_int_equal(offset, 5000);
	assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_CUR), 1124);
	assert_int_equal(SYS(SYS_sendfile, file, ends[0], NULL, 10), -EINVAL);
	assert_int_equal(SYS(SYS_sendfile, file, ends[0], &offset, 10), -ESPIPE);
	assert_int_equal(SYS(SYS_sendfile, 60, file, NULL, 10), -EBADF);
	assert_int_equal(SYS(SYS_lseek, file, 0, SEEK_CUR), 1124);
	SYS(SYS_close, ends[0]);
	SYS(SYS_close, ends[1]);
	SYS(SYS_close, file);
	assert_int_equal(SYS(SYS_unlink, "/tmp/sent"), 0);
}

static long partner;

static void partner_open(void)
{
	partner = SYS(SYS_open, "/tmp/fifo", O_WRONLY | O_NONBLOCK);
}

/* A FIFO waits for its other end, is one of the pipes while it is open, and is freed after its last use. */
static void test_fifo(void **state)
{
	long files[8];
	char got[8];

	(void)state;
	assert_int_equal(SYS(SYS_mknod, "/tmp/fifo", S_IFIFO | 0600), 0);
	assert_int_equal(SYS(SYS_mknod, "/tmp/fifo", S_IFIFO | 0600), -EEXIST);
	assert_int_equal(SYS(SYS_mknod, "/tmp/device", S_IFCHR | 0600), -EPERM);
	assert_int_equal(SYS(SYS_open, "/tmp/fifo", O_ACCMODE), -EINVAL);
	files[0] = SYS(SYS_open, "/tmp/fifo", O_RDWR); /* does not wait */
	assert_int_equal(SYS(SYS_write, files[0], "abc", 3), 3);
	assert_int_equal(SYS(SYS_read, files[0], got, 8), 3);
	SYS(SYS_close, files[0]);
	fake_blocked = partner_open;
	files[0] = SYS(SYS_open, "/tmp/fifo", O_RDONLY);
	assert_true(files[0] >= 3 && partner >= 3);
	assert_int_equal(SYS(SYS_write, partner, "abc", 3), 3);
	SYS(SYS_close, partner);
	assert_int_equal(SYS(SYS_unlink, "/tmp/fifo"), 0);
	assert_int_equal(SYS(SYS_read, files[0], got, 8), 3);
	assert_int_equal(SYS(SYS_read, files[0], got, 8), 0);
	SYS(SYS_close, files[0]);
	for (int i = 0; i < 9; i++) {
		char name[] = "/tmp/fifo0";

		name[9] += i;
		assert_int_equal(SYS(SYS_mknod, name, S_IFIFO | 0600), 0);
		if (i < 8)
			files[i] = SYS(SYS_open, name, O_RDONLY | O_NONBLOCK);
		else
			assert_int_equal(SYS(SYS_open, name, O_RDONLY | O_NONBLOCK), -ENFILE);
		assert_int_equal(SYS(SYS_unlink, name), 0);
	}
	for (int i = 0; i < 8; i++)
		assert_int_equal(SYS(SYS_close, files[i]), 0);
	assert_int_equal(SYS(SYS_pipe, ends), 0);
	SYS(SYS_close, ends[0]);
	SYS(SYS_close, ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ramdisk, begin),
		cmocka_unit_test_setup(test_random, begin),
		cmocka_unit_test_setup(test_full, begin),
		cmocka_unit_test_setup(test_names, begin),
		cmocka_unit_test_setup(test_slashes, begin),
		cmocka_unit_test_setup(test_access, begin),
		cmocka_unit_test_setup(test_descriptor_name, begin),
		cmocka_unit_test_setup(test_flock, begin),
		cmocka_unit_test_setup(test_host_name, begin),
		cmocka_unit_test_setup(test_descriptors, begin),
		cmocka_unit_test_setup(test_limit, begin),
		cmocka_unit_test_setup(test_umask, begin),
		cmocka_unit_test_setup(test_usage, begin),
		cmocka_unit_test_setup(test_epoll_full, begin),
		cmocka_unit_test_setup(test_epoll_chain, begin),
		cmocka_unit_test_setup(test_pipe, begin),
		cmocka_unit_test_setup(test_parts, begin),
		cmocka_unit_test_setup(test_append, begin),
		cmocka_unit_test_setup(test_sendfile, begin),
		cmocka_unit_test_setup(test_fifo, begin),
	};

	return cmocka_run_group_tests_name("posix files", tests, NULL, NULL);
}
