// SPDX-License-Identifier: GPL-2.0
/*
 * hangs read|write: a guest with a page that userfaultfd does not provide, like a page of a file whose server hangs. The
 * executive copies from or to this page. The program provides the page when /tmp/provide exists. By then the system has
 * ended, so the call must have Linux's result. Then the program returns CHILD_GOOD.
 */
#include <pthread.h>

#include "tests/system/lib/guest.h"

#define PAGE 4096

/* <linux/userfaultfd.h> is not on musl-gcc's path. */
struct api {
	uint64_t api, features, ioctls;
};
struct range {
	uint64_t start, length;
	int64_t mode, result;
};
#define UFFD_API 0xaa
#define UFFDIO_API _IOWR(0xaa, 0x3f, struct api)
#define UFFDIO_REGISTER _IOWR(0xaa, 0x00, struct range)
#define UFFDIO_ZEROPAGE _IOWR(0xaa, 0x04, struct range)
#define MISSING 1

static struct api api = { .api = UFFD_API };
static struct range range = { .length = PAGE, .mode = MISSING };
static int fd;

static void *provide(void *unused)
{
	while (access("/tmp/provide", F_OK))
		pause_us(10000);
	range.mode = 0;
	if (ioctl(fd, UFFDIO_ZEROPAGE, &range))
		die("the page: %s", strerror(errno));
	return unused;
}

int main(int argc, char **argv)
{
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	long result;

	range.start = (uintptr_t)memory;
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (argc != 2 || fd < 0 || memory == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range) || pthread_create(&thread, NULL, provide, NULL))
		die("start: %s", strerror(errno));
	result = strcmp(argv[1], "read") ? probe_write(memory, PROBE_VALUE) : probe_sum(memory);
	pthread_join(thread, NULL);
	return result == -ENOSYS && !*(long *)memory ? CHILD_GOOD : 2;
}
