// SPDX-License-Identifier: GPL-2.0
/*
 * blocked read|write NODE: an unprivileged process reads or writes with memory whose first access never returns, as in
 * a file whose server hangs (userfaultfd). It first prints "waits".
 * blocked list FOLDER: lists a folder in the same way. Linux holds the folder's lock meanwhile.
 * blocked open PATH: opens a file, and prints the result.
 * blocked tap NODE: a process blocks in the same way in a write to a TAP device, and so holds the device's lock. Checks
 * that the module refuses to carry frames of this device, and carries them after that process has ended.
 */
#include <limpet/node.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../lib/device.h"

#define PAGE 4096
#define USER 1000

/* <linux/userfaultfd.h> and <linux/if_tun.h> are not on musl-gcc's path. */
struct api {
	uint64_t api, features, ioctls;
};
struct range {
	uint64_t start, length, mode, ioctls;
};
#define UFFD_API 0xaa
#define UFFDIO_API _IOWR(0xaa, 0x3f, struct api)
#define UFFDIO_REGISTER _IOWR(0xaa, 0x00, struct range)
#define MISSING 1
#define TUNSETIFF 0x400454cau
#define IFF_TAP 0x0002
#define IFF_NAPI 0x0010
#define IFF_NAPI_FRAGS 0x0020
#define IFF_NO_PI 0x1000

/* Returns memory whose page faults are never handled. */
static void *hanging(size_t pages)
{
	struct api api = { .api = UFFD_API };
	struct range range = { .length = pages * PAGE, .mode = MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	range.start = (uintptr_t)memory;
	if (fd < 0 || memory == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		die("userfaultfd: %s", strerror(errno));
	return memory;
}

static void says(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
}

static void blocks(const char *how, const char *name)
{
	void *memory = hanging(1);
	int fd;

	if (setgid(USER) || setuid(USER))
		die("setuid: %s", strerror(errno));
	if (!strcmp(how, "list")) {
		fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		says("waits");
		die("getdents64: %ld, %s", syscall(SYS_getdents64, fd, memory, PAGE),
		    strerror(errno));
	}
	fd = node_open(name, O_RDWR);
	if (!strcmp(how, "read")) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		if (write(fd, "there", 5) != 5 || poll(&wait, 1, 20000) != 1)
			die("nothing comes back");
		says("waits");
		die("read: %zd, %s", read(fd, memory, PAGE), strerror(errno));
	}
	says("waits");
	die("write: %zd, %s", write(fd, memory, PAGE), strerror(errno));
}

static void opens(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	says(fd < 0 ? strerror(errno) : "opened");
}

static int tap_open(void)
{
	struct {
		char name[16];
		short flags;
		char rest[22];
	} request = { .name = "blocked",
		      .flags = (short)(IFF_TAP | IFF_NO_PI | IFF_NAPI | IFF_NAPI_FRAGS) };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		die("/dev/net/tun: %s", strerror(errno));
	return fd;
}

static int tap, other_error;
static volatile int up; /* the link is up, so the next call blocks until a signal interrupts it */
static pthread_t caller;

/*
 * Tries to write to the device while its frames are carried, which must fail. Then interrupts the call that carries
 * them.
 */
static void *other_thread(void *unused)
{
	char byte = 0;

	(void)unused;
	while (!up)
		pause_us(1000);
	if (!task_sleeps_within(getpid(), 20))
		die("the caller does not wait");
	other_error = write(tap, &byte, 1) < 0 ? errno : 0;
	pthread_kill(caller, SIGUSR1);
	return NULL;
}

static void interrupt(int signal)
{
	(void)signal;
}

static void carries(int fd, uint32_t link, int wanted)
{
	struct limpet_node_tap argument = { .fd = tap, .link = link };
	int error = ioctl(fd, LIMPET_NODE_TAP, &argument) ? errno : 0;

	tap = argument.fd;
	if (error != wanted)
		die("carrying: %s instead of %s", strerror(error), strerror(wanted));
	if (fcntl(tap, F_GETFD) < 0)
		die("the descriptor did not come back");
}

static void takes_device(const char *name)
{
	const struct sigaction action = { .sa_handler = interrupt };
	static const char frame[100];
	pthread_t thread;
	pid_t writer;
	int fd = node_open(name, O_RDWR);

	tap = tap_open();
	writer = fork();
	if (!writer)
		exit(write(tap, hanging(1), PAGE) < 0);
	pause_us(200000);
	/* The component returns the frame to the device. */
	if (write(fd, frame, sizeof(frame)) != sizeof(frame))
		die("write: %s", strerror(errno));
	carries(fd, 0, EBUSY);
	kill(writer, SIGKILL);
	if (waitpid(writer, NULL, 0) != writer)
		die("the writer does not die");
	sigaction(SIGUSR1, &action, NULL);
	caller = pthread_self();
	pthread_create(&thread, NULL, other_thread, NULL);
	carries(fd, 0, 0); /* returns because the link came up */
	up = 1;
	carries(fd, 1, EINTR);
	pthread_join(thread, NULL);
	if (other_error != EBADF)
		die("another thread's write: %s", strerror(other_error));
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "open"))
		opens(argv[2]);
	else if (!strcmp(argv[1], "tap"))
		takes_device(argv[2]);
	else
		blocks(argv[1], argv[2]);
	return 0;
}
