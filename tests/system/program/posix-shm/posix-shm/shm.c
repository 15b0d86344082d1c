// SPDX-License-Identifier: BSD-2-Clause
/* shm first|second: tests the errors of shm_open() and related calls, then adds 1 to each value of a ring. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../area.h"

#define AREA_SIZE 0x8000 /* in shm.toml */
#define BOTH (PROT_READ | PROT_WRITE)

static int wrong;

static void is(const char *what, long got, long wanted)
{
	if (got == wanted)
		return;
	printf("wrong: %s is %ld instead of %ld\n", what, got, wanted);
	wrong++;
}

static void fails(const char *what, int failed, int error)
{
	if (failed && errno == error)
		return;
	printf("wrong: %s: %s instead of %s\n", what, failed ? strerror(errno) : "no error",
	       strerror(error));
	wrong++;
}

static void *map_of(int fd, size_t size, int flags)
{
	void *memory = mmap(NULL, size, BOTH, flags, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Opens and maps shared memory as an ordinary program does. */
static void *shared(const char *name, size_t size)
{
	int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
	void *memory;

	if (fd < 0 || ftruncate(fd, (off_t)size)) {
		printf("wrong: %s: %s\n", name, strerror(errno));
		exit(1);
	}
	memory = map_of(fd, size, MAP_SHARED);
	close(fd);
	if (memory)
		return memory;
	printf("wrong: mmap of %s: %s\n", name, strerror(errno));
	exit(1);
}

static void check_errors(void)
{
	int fd = shm_open("/posix-area", O_RDWR, 0);
	struct stat found;
	uint8_t *copy;

	is("fstat", fstat(fd, &found), 0);
	is("size", found.st_size, AREA_SIZE);
	fails("ftruncate", ftruncate(fd, AREA_SIZE + 1), EFBIG);
	fails("write", pwrite(fd, "x", 1, AREA_SIZE) < 0, EFBIG);
	fails("mmap", !map_of(fd, AREA_SIZE + 1, MAP_SHARED), ENXIO);
	fails("shm_unlink", shm_unlink("/posix-area"), EACCES);
	fails("O_EXCL", shm_open("/posix-area", O_CREAT | O_EXCL | O_RDWR, 0600) < 0, EEXIST);
	fails("unknown", shm_open("/posix-other", O_RDWR, 0) < 0, ENOENT);
	copy = map_of(fd, AREA_SIZE, MAP_PRIVATE);
	is("copy", !copy, 0);
	if (!copy)
		return;
	memset(copy, 0xff, AREA_SIZE);
	is("munmap", munmap(copy, AREA_SIZE), 0);
	close(fd);
}

/* The other component does the same, so this fails if the name is not the program's own. */
static void check_private(void)
{
	int fd = shm_open("/posix-private", O_CREAT | O_EXCL | O_RDWR, 0600);

	is("private name", fd < 0, 0);
	is("private size", ftruncate(fd, 2 * AREA_SIZE), 0);
	close(fd);
}

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

static void pass_on(struct area *area, unsigned int to)
{
	uint64_t value;

	while (ring_get(&area->ring[to - 1], &value)) {
		if (value == CRASH)
			__builtin_trap();
		area->counter++;
		while (!ring_put(&area->ring[to], value + 1))
			rest();
	}
}

int main(int argc, char **argv)
{
	const unsigned int second = argc == 2 && !strcmp(argv[1], "second");
	struct area *area = shared("/Posix_Area", sizeof(*area));
	struct own *own = NULL;

	is("last byte", area->last, area->starts[0] + area->starts[1] ? 'z' : 0);
	area->last = 'z';
	area->starts[second]++;
	check_errors();
	check_private();
	if (!second)
		own = shared("/own", sizeof(*own));
	else
		fails("another component's", shm_open("/own", O_RDWR, 0) < 0, ENOENT);
	printf("start %d, %d wrong\n", (int)area->starts[second], wrong);
	fflush(stdout);
	for (;;) {
		pass_on(area, second ? TO_PARTNER : TO_SECOND);
		if (own)
			own->answer = 2 * own->request;
		rest();
	}
}
