// SPDX-License-Identifier: GPL-2.0
/*
 * A process of a user reads ahead in a file of a FUSE server, and the server never answers a read. Linux keeps the pages
 * of such reads locked. Prints "holds" when some of the highest TOP_MIB of memory are locked, where Limpet looks for
 * memory first. The rest of the memory is free then. Keeps the pages until it is killed.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#include "../../lib/device.h"

#define USER 1000
#define PAGE 4096
#define FILE_AT "/tmp/held"
#define FILE_SIZE (1ull << 40)
#define READ_AHEAD (128 * 1024) /* at most that much for each request of a process */
#define LONG_TIME 100000	/* s */
#define TOP_MIB 64
#define FILLED_MIB                                                                                 \
	100 /* of free memory while the rest is filled, so that the pages come from the top */
#define FREE_MIB 45 /* then, because Linux needs some */

/* Bits of /proc/kpageflags. */
#define PAGE_LOCKED 1ull
#define PAGE_NONE (1ull << 20)

/* <linux/fuse.h> is not on musl-gcc's path. */
enum { FUSE_GETATTR = 3, FUSE_OPEN = 14, FUSE_READ = 15, FUSE_INIT = 26 };
#define FUSE_ASYNC_READ 1u

struct request {
	uint32_t length, opcode;
	uint64_t unique, node;
	uint32_t user, group, process, padding;
	uint32_t body[2048 * 4];
};

struct answer {
	uint32_t length;
	int32_t error;
	uint64_t unique;
	union {
		struct {
			uint32_t major, minor, readahead, flags;
			uint16_t background, congestion;
			uint32_t write, unused[9];
		} init;
		struct {
			uint64_t valid;
			uint32_t valid_ns, padding;
			uint64_t inode, size, blocks, time[3];
			uint32_t time_ns[3], mode, links, user, group, device, block, flags;
		} attributes;
		struct {
			uint64_t file;
			uint32_t flags, padding;
		} open;
	};
};

#define HEADER __builtin_offsetof(struct answer, init)

/* The root of this file system is its only file. Returns the size of the answer's body. */
static size_t answer_fill(const struct request *request, struct answer *answer)
{
	switch (request->opcode) {
	case FUSE_INIT:
		answer->init.major = request->body[0];
		answer->init.minor = request->body[1];
		answer->init.readahead = READ_AHEAD;
		answer->init.flags = FUSE_ASYNC_READ;
		answer->init.background = answer->init.congestion = UINT16_MAX;
		answer->init.write = 4096;
		return sizeof(answer->init);
	case FUSE_GETATTR:
		answer->attributes.valid = LONG_TIME;
		answer->attributes.inode = 1;
		answer->attributes.size = FILE_SIZE;
		answer->attributes.mode = 0100444;
		answer->attributes.links = 1;
		answer->attributes.user = answer->attributes.group = USER;
		answer->attributes.block = 4096;
		return sizeof(answer->attributes);
	case FUSE_OPEN:
		return sizeof(answer->open);
	}
	answer->error = -ENOSYS;
	return 0;
}

static void serves(int fuse)
{
	static struct request request;

	while (read(fuse, &request, sizeof(request)) > 0) {
		struct answer answer = { .unique = request.unique };

		if (request.opcode == FUSE_READ)
			continue;
		answer.length = (uint32_t)(HEADER + answer_fill(&request, &answer));
		if (write(fuse, &answer, answer.length) != (ssize_t)answer.length)
			die("answer to %u: %s", request.opcode, strerror(errno));
	}
	die("/dev/fuse: %s", strerror(errno));
}

static void mounts(int fuse)
{
	const int at = open(FILE_AT, O_CREAT | O_RDONLY, 0444);
	char options[80];

	snprintf(options, sizeof(options), "fd=%d,rootmode=100444,user_id=%d,group_id=%d", fuse,
		 USER, USER);
	if (at < 0 || mount("held", FILE_AT, "fuse", MS_NOSUID | MS_NODEV, options))
		die("mount: %s", strerror(errno));
}

static void user_become(void)
{
	if (setgid(USER) || setuid(USER) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		die("setuid: %s", strerror(errno));
}

static unsigned long free_mib(void)
{
	struct sysinfo info;

	sysinfo(&info);
	return info.freeram * info.mem_unit >> 20;
}

/* Uses memory up to the last FILLED_MIB. Linux takes the lowest memory first. */
static void *memory_fill(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	for (size_t at = 0; at < size && free_mib() > FILLED_MIB; at += PAGE)
		memory[at] = 1;
	return memory;
}

/* Reads ahead in distant parts of the file, because Linux reads no more than READ_AHEAD ahead of one place. */
static void pages_hold(void)
{
	const int fd = open(FILE_AT, O_RDONLY);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) || stat.st_size != FILE_SIZE)
		die(FILE_AT ": %s", strerror(errno));
	for (off_t done = 0; free_mib() > FREE_MIB; done += READ_AHEAD)
		if (posix_fadvise(fd, done, READ_AHEAD, POSIX_FADV_WILLNEED))
			die("posix_fadvise");
}

/* Returns how many of the highest pages of the memory are locked. */
static unsigned int top_locked(int flags)
{
	static uint64_t pages[1 << 20];
	const ssize_t length = read(flags, pages, sizeof(pages));
	size_t top = length > 0 ? length / sizeof(*pages) : 0;
	unsigned int locked = 0;

	while (top && pages[top - 1] & PAGE_NONE)
		top--;
	for (size_t i = 0; i < TOP_MIB << 8 && top; i++)
		locked += !!(pages[--top] & PAGE_LOCKED);
	return locked;
}

int main(void)
{
	const size_t size = (size_t)1 << 30;
	const int fuse = open("/dev/fuse", O_RDWR), flags = open("/proc/kpageflags", O_RDONLY);
	void *filled;

	if (fuse < 0 || flags < 0)
		die("/dev/fuse, /proc/kpageflags: %s", strerror(errno));
	mounts(fuse);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serves(fuse); /* as root, because a user's server may have fewer requests at a time */
	}
	close(fuse);
	user_become();
	filled = memory_fill(size);
	pages_hold();
	munmap(filled, size);
	printf("holds %u\n", top_locked(flags));
	fflush(stdout);
	pause();
	return 0;
}
