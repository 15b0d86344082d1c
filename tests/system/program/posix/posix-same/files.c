// SPDX-License-Identifier: BSD-2-Clause
/* Prints the results of calls that transfer parts of files, requests of ioctl(), and limits. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "same.h"

void show(const char *what, long result)
{
	const int error = errno;

	if (result == -1)
		printf("%s: -1 %s\n", what, strerror(error));
	else
		printf("%s: %ld\n", what, result);
}

/* Tests calls that transfer parts of a file, and change its size, times and owner. */
static void parts(void)
{
	const int file = open("/tmp/parts", O_RDWR | O_CREAT | O_TRUNC, 0600);
	const int copy = open("/tmp/copy", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct iovec two[2] = { { "ab", 2 }, { "cde", 3 } };
	struct timespec times[2] = { { 1l << 32, 0 }, { 0, UTIME_NOW } };
	char text[8] = "";
	struct stat is;
	off_t from = 3;

	SHOW(pwritev(file, two, 2, 3));
	SHOW(pwritev(file, two, 2, -1));
	two[0].iov_base = text;
	two[1].iov_base = text + 2;
	SHOW(preadv(file, two, 2, 4));
	SHOW(memcmp(text, "bcde", 4));
	SHOW(lseek(file, 0, SEEK_CUR));
	SHOW(sendfile(copy, file, &from, 100));
	SHOW(from);
	SHOW(sendfile(copy, file, NULL, 2));
	SHOW(lseek(file, 0, SEEK_CUR));
	SHOW(lseek(copy, 0, SEEK_CUR));
	SHOW(sendfile(copy, 60, NULL, 2));
	SHOW(sendfile(60, file, NULL, 2));
	SHOW(lseek(file, 0, SEEK_CUR));
	SHOW(posix_fallocate(file, 0, 100));
	SHOW(posix_fallocate(file, 0, 5));
	SHOW(posix_fallocate(file, 0, 0));
	SHOW(posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED));
	SHOW(posix_fadvise(file, 0, 0, 99));
	SHOW(futimens(file, times));
	SHOW(fstat(file, &is));
	SHOW(is.st_size);
	SHOW(is.st_atime);
	times[0].tv_nsec = 1000000000;
	SHOW(futimens(file, times));
	SHOW(fchown(file, -1, 0));
	SHOW(fchown(60, 0, 0));
	SHOW(flock(file, LOCK_EX | LOCK_NB));
	SHOW(flock(file, 0));
	SHOW(flock(60, LOCK_UN));
	SHOW(mknod("/tmp/made", S_IFREG | 0600, 0));
	SHOW(mknod("/tmp/made", 0600, 0));
	SHOW(unlink("/tmp/made"));
	close(file);
	close(copy);
	unlink("/tmp/parts");
	unlink("/tmp/copy");
}

static void requests(void)
{
	const int on = 1, off = 0;
	int ends[2], bytes = -1;
	char text[8];

	SHOW(pipe(ends));
	SHOW(write(ends[1], "abc", 3));
	SHOW(ioctl(ends[0], FIONREAD, &bytes));
	SHOW(bytes);
	SHOW(ioctl(ends[0], FIONBIO, &on));
	SHOW(read(ends[0], text, sizeof(text)));
	SHOW(read(ends[0], text, sizeof(text)));
	SHOW(ioctl(ends[0], FIONBIO, &off));
	SHOW(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	SHOW(ioctl(ends[0], FIOCLEX));
	SHOW(fcntl(ends[0], F_GETFD));
	SHOW(ioctl(ends[0], FIONCLEX));
	SHOW(fcntl(ends[0], F_GETFD));
	SHOW(fcntl(ends[0], F_GETOWN));
	SHOW(ioctl(ends[0], TIOCGWINSZ, text));
	SHOW(ioctl(60, FIONREAD, &bytes));
	close(ends[0]);
	close(ends[1]);
}

static void limits(void)
{
	const struct rlimit files = { 40, 42 }, wrong = { 43, 42 }, fewer = { 20, 42 };
	struct rlimit is;
	int last = -1, next, file;

	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(setpriority(PRIO_PROCESS, 0, 30));
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(getpriority(9, 0));
	SHOW(getgroups(-1, NULL));
	SHOW(setpgid(0, 0) == 0 || errno == EPERM);
	SHOW(setrlimit(RLIMIT_NOFILE, &wrong));
	SHOW(setrlimit(RLIMIT_NOFILE, &files));
	SHOW(getrlimit(RLIMIT_NOFILE, &is));
	SHOW(is.rlim_cur);
	SHOW(is.rlim_max);
	SHOW(sysconf(_SC_OPEN_MAX));
	file = open("/tmp/limit", O_RDWR | O_CREAT | O_TRUNC, 0600);
	SHOW(write(file, "text", 4));
	while ((next = dup(1)) >= 0)
		last = next;
	SHOW(last);
	SHOW(open("/tmp/limit", O_WRONLY | O_TRUNC));
	SHOW(open("/tmp/limit-new", O_WRONLY | O_CREAT, 0600));
	SHOW(lseek(file, 0, SEEK_END));
	SHOW(access("/tmp/limit-new", F_OK));
	SHOW(setrlimit(RLIMIT_NOFILE, &fewer));
	SHOW(dup2(file, 30));
	SHOW(dup2(file, 41));
	SHOW(dup2(30, 30));
	SHOW(fcntl(file, F_DUPFD, 20));
	SHOW(fcntl(file, F_DUPFD, 19));
	while (last > 2)
		close(last--);
	unlink("/tmp/limit");
}

static void modes(void)
{
	const mode_t before = umask(027);
	struct stat is;

	SHOW(mkdir("/tmp/masked", 0777));
	SHOW(stat("/tmp/masked", &is));
	SHOW(is.st_mode);
	SHOW(rmdir("/tmp/masked"));
	SHOW(umask(before));
}

static void usage(void)
{
	struct rusage is;

	SHOW(getrusage(RUSAGE_SELF, &is));
	SHOW(getrusage(RUSAGE_THREAD, &is));
	SHOW(getrusage(RUSAGE_CHILDREN, &is));
	SHOW(is.ru_utime.tv_sec + is.ru_utime.tv_usec);
	SHOW(getrusage(99, &is));
}

static void resident(void)
{
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char pages[2] = { 9, 9 };

	map[0] = map[4096] = 1;
	SHOW(mincore(map, 8192, pages));
	SHOW(pages[0] & 1);
	SHOW(pages[1] & 1);
	SHOW(mincore(map + 1, 4096, pages));
	SHOW(munmap(map, 8192));
}

/* Tests that a read into several parts waits for the first bytes only. */
static void parts_of_pipes(void)
{
	char head[4], body[8];
	struct iovec two[2] = { { head, 4 }, { body, 8 } }, none[2] = { { head, 0 }, { body, 0 } };
	const int count = eventfd(5, 0);
	int ends[2];

	SHOW(pipe(ends));
	SHOW(write(ends[1], "head", 4));
	SHOW(readv(ends[0], two, 2));
	SHOW(memcmp(head, "head", 4));
	SHOW(writev(ends[1], two, 2));
	SHOW(readv(ends[0], two, 2));
	SHOW(readv(ends[0], none, 2));
	SHOW(readv(ends[1], none, 2));
	SHOW(preadv(ends[0], two, 2, 0));
	SHOW(readv(count, two, 2));
	SHOW(writev(count, none, 2));
	SHOW(writev(count, none, 0));
	SHOW(sendfile(count, ends[0], NULL, 2));
	two[1].iov_len = (size_t)-1;
	SHOW(readv(ends[0], two, 2));
	SHOW(close(count));
	SHOW(close(ends[0]));
	SHOW(close(ends[1]));
}

static void appended(void)
{
	const int file = open("/tmp/append", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
	char text[8] = "";

	SHOW(write(file, "abc", 3));
	SHOW(lseek(file, 1, SEEK_SET));
	SHOW(pwrite(file, "d", 1, 0));
	SHOW(lseek(file, 0, SEEK_CUR));
	SHOW(write(file, "e", 1));
	SHOW(lseek(file, 0, SEEK_CUR));
	SHOW(pread(file, text, sizeof(text), 0));
	SHOW(strcmp(text, "abcde"));
	SHOW(close(file));
	SHOW(unlink("/tmp/append"));
}

void files(void)
{
	parts();
	parts_of_pipes();
	appended();
	requests();
	resident();
	modes();
	usage();
	limits();
}
