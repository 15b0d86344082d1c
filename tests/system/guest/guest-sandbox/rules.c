// SPDX-License-Identifier: GPL-2.0
/*
 * Checks each rule of systems/guest-files/sandbox.toml in a guest. run.sh makes the files: /tmp/race/open, and
 * /srv/race/secret, which no rule allows. With the argument `plain` the same calls run without Limpet, where nothing is
 * refused. This shows that only the sandbox refuses them.
 */
#include "tests/system/lib/guest.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define SECRET "/srv/race/secret"
#define OPEN "/tmp/race/open"
#define RANGE ((char *)0x680000000000ul) /* as in sandbox.h */

static int plain;

/* Returns 0, or the error of a call that returned a number. */
static int error_of(long result)
{
	return result < 0 ? errno : 0;
}

/* A call must succeed, or be refused by the sandbox. */
#define ALLOWED(call) EQUAL(error_of(call), 0)
#define REFUSED(call) EQUAL(error_of(call), plain ? 0 : EPERM)

static int opens(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd >= 0)
		close(fd);
	return fd;
}

static int opens_at(int folder, const char *path, int flags)
{
	int fd = openat(folder, path, flags, 0600);

	if (fd >= 0)
		close(fd);
	return fd;
}

static void names_check(void)
{
	struct stat status;

	section("permitted paths");
	ALLOWED(opens(OPEN, O_RDONLY));
	ALLOWED(opens("/tmp/race/../race/./open", O_RDWR));
	ALLOWED(opens("/srv/../tmp//race/open", O_RDONLY));
	ALLOWED(opens("/tmp/race/new", O_CREAT | O_WRONLY));
	ALLOWED(stat("/etc/../tmp/race/new", &status));
	ALLOWED(rename("/tmp/race/new", "/tmp/race/newer"));
	ALLOWED(unlink("/tmp/race/newer"));
	ALLOWED(opens("/proc/self/status", O_RDONLY));
	section("refused paths");
	REFUSED(opens(SECRET, O_RDONLY));
	REFUSED(opens(SECRET, O_RDWR));
	REFUSED(opens(SECRET, O_PATH));
	REFUSED(stat(SECRET, &status));
	REFUSED(access(SECRET, F_OK));
	REFUSED(truncate(SECRET, 7));
	REFUSED(chmod(SECRET, 0600));
	REFUSED(rename(SECRET, SECRET));
	REFUSED(mkdir("/srv/race/folder", 0700));
	REFUSED(rmdir("/srv/race/folder"));
	REFUSED(opens("/bin/busybox", O_WRONLY | O_APPEND) < 0 && errno != ETXTBSY ? -1 : 0);
	section("refused paths by .. and repeated slashes");
	REFUSED(opens("/tmp/../srv/race/secret", O_RDONLY));
	REFUSED(opens("/tmp/race/../../srv/race/secret", O_RDONLY));
	REFUSED(opens("/tmp/./race/.././../srv/race/secret", O_RDONLY));
	REFUSED(opens("//srv//race///secret", O_RDONLY));
	REFUSED(opens("/../srv/race/secret", O_RDONLY));
	REFUSED(opens("/tmp/../srv/race/.", O_RDONLY | O_DIRECTORY));
	EQUAL(error_of(opens("/tmpfile", O_RDONLY)), plain ? ENOENT : EPERM);
	EQUAL(error_of(opens("", O_RDONLY)), ENOENT);
}

static void folders_check(void)
{
	int folder;

	section("relative paths");
	ALLOWED(chdir("/tmp/race"));
	ALLOWED(opens("open", O_RDONLY));
	ALLOWED(opens("./mine/../open", O_RDONLY));
	REFUSED(opens("../../srv/race/secret", O_RDONLY));
	REFUSED(opens("mine/../../../srv/race/secret", O_RDONLY));
	REFUSED(opens("./../../srv/race/secret", O_RDONLY));
	REFUSED(chdir("../../srv/race"));
	ALLOWED(chdir("/tmp/race"));
	REFUSED(chdir("/srv/race"));
	ALLOWED(chdir("/tmp/race"));
	REFUSED(chdir(".."));
	ALLOWED(chdir("/tmp/race"));
	section("paths below a folder");
	folder = open("/tmp/race", O_RDONLY | O_DIRECTORY);
	EXPECT(folder >= 0);
	ALLOWED(opens_at(folder, "open", O_RDONLY));
	REFUSED(opens_at(folder, "../../srv/race/secret", O_RDONLY));
	REFUSED(opens_at(folder, SECRET, O_RDONLY));
	close(folder);
	EQUAL(error_of(folder = open("/srv/race", O_RDONLY | O_DIRECTORY)), plain ? 0 : EPERM);
	close(folder);
	section("the links of /proc");
	REFUSED(opens("/proc/self/root/srv/race/secret", O_RDONLY));
	REFUSED(opens("/proc/self/cwd/open", O_RDONLY));
	REFUSED(opens("/proc/thread-self/root", O_RDONLY));
	ALLOWED(opens("/proc/self/exe", O_RDONLY));
}

/* Calls whose relative path leads into /etc, which guests may read only. Without Limpet they make files there. */
static void etc_check(int etc)
{
	struct stat status;

	REFUSED(opens_at(etc, "limpet-race", O_CREAT | O_WRONLY));
	REFUSED(linkat(etc, "limpet-race", etc, "limpet-race2", 0));
	REFUSED(renameat(etc, "limpet-race", etc, "limpet-race3"));
	REFUSED(unlinkat(etc, "limpet-race3", 0));
	REFUSED(symlinkat("passwd", etc, "limpet-race4"));
	REFUSED(mkdirat(etc, "limpet-race5", 0700));
	EQUAL(error_of(fstatat(etc, "limpet-race5", &status, 0)), plain ? 0 : ENOENT);
	unlink("/etc/limpet-race2");
	unlink("/etc/limpet-race4");
	rmdir("/etc/limpet-race5");
}

/* A guest that has changed to a folder that it may only read must not write there by relative paths. */
static void working_folder_check(void)
{
	int etc, self;

	section("a working folder that may only be read");
	ALLOWED(chdir("/tmp/race"));
	REFUSED(chdir("/etc"));
	REFUSED(chdir("/tmp/race/../../etc"));
	ALLOWED(opens("limpet-race", O_CREAT | O_WRONLY)); /* in the guest still below /tmp/race */
	EQUAL(access("/etc/limpet-race", F_OK), plain ? 0 : -1);
	unlink("/etc/limpet-race");
	ALLOWED(chdir("/tmp/race"));
	unlink("limpet-race");
	ALLOWED(etc = open("/etc", O_RDONLY | O_DIRECTORY));
	REFUSED(fchdir(etc));
	ALLOWED(chdir("/tmp/race"));
	section("paths below a descriptor of such a folder");
	etc_check(etc);
	ALLOWED(opens_at(etc, ".", O_RDONLY | O_DIRECTORY));
	close(etc);
	section("links of /proc below a descriptor");
	ALLOWED(self = open("/proc/self", O_RDONLY | O_DIRECTORY));
	REFUSED(opens_at(self, "root/srv/race/secret", O_RDONLY));
	REFUSED(opens_at(self, "cwd/open", O_RDONLY));
	REFUSED(opens_at(self, "task/../root", O_RDONLY));
	ALLOWED(opens_at(self, "status", O_RDONLY));
	close(self);
}

static void links_check(void)
{
	section("links");
	ALLOWED(symlink("/tmp/race/open", "/tmp/race/link"));
	ALLOWED(opens("/tmp/race/link", O_RDONLY));
	ALLOWED(unlink("/tmp/race/link"));
	ALLOWED(symlink("open", "/tmp/race/link"));
	ALLOWED(opens("/tmp/race/link", O_RDONLY));
	ALLOWED(unlink("/tmp/race/link"));
	ALLOWED(link("/tmp/race/open", "/tmp/race/link"));
	ALLOWED(unlink("/tmp/race/link"));
	REFUSED(symlink(SECRET, "/tmp/race/link"));
	unlink("/tmp/race/link");
	REFUSED(symlink("../../srv/race/secret", "/tmp/race/link"));
	unlink("/tmp/race/link");
	REFUSED(symlink("mine/../../../srv", "/tmp/race/link"));
	unlink("/tmp/race/link");
	REFUSED(symlink("/etc/passwd", "/tmp/race/link"));
	unlink("/tmp/race/link");
	EQUAL(error_of(opens("/tmp/race/link", O_RDONLY)), ENOENT);
	/* Names are checked in their normalised form, so Linux does not follow `outward` here. */
	ALLOWED(opens("/tmp/race/outward/../open", O_RDONLY) < 0 && !plain ? -1 : 0);
	EQUAL(error_of(opens("/tmp/race/outward/../race/secret", O_RDONLY)), plain ? 0 : ENOENT);
}

static struct sockaddr_in inet(const char *address, int port)
{
	struct sockaddr_in result = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	inet_pton(AF_INET, address, &result.sin_addr);
	return result;
}

/* Returns whether a call's error is the sandbox's. Without Limpet it depends on Linux's network. */
static int is_refused(long result)
{
	return result < 0 && errno == EPERM;
}

#define OUTSIDE(call) EQUAL(is_refused(call), !plain)

static int connects(int type, const char *address, int port)
{
	struct sockaddr_in to = inet(address, port);
	int fd = socket(AF_INET, type, 0), result = connect(fd, (void *)&to, sizeof(to));
	int error = errno;

	close(fd);
	errno = error;
	return result;
}

static int binds(const char *address, int port)
{
	struct sockaddr_in to = inet(address, port);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), result = bind(fd, (void *)&to, sizeof(to));
	int error = errno;

	close(fd);
	errno = error;
	return result;
}

/* Sends a byte by sendto() or sendmsg(). */
static long sends(const char *address, int port, int by_message)
{
	struct sockaddr_in to = inet(address, port);
	struct iovec byte = { "x", 1 };
	struct msghdr message = {
		.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &byte, .msg_iovlen = 1
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), error;
	long result = by_message ? sendmsg(fd, &message, 0)
				 : sendto(fd, "x", 1, 0, (void *)&to, sizeof(to));

	error = errno;
	close(fd);
	errno = error;
	return result;
}

/* Sends data over a connection, to show that permitted addresses work. */
static void connection_check(void)
{
	struct sockaddr_in at = inet("127.0.0.1", 7003);
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), got;
	int one = 1;
	char text[5] = "";

	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	ALLOWED(bind(server, (void *)&at, sizeof(at)));
	ALLOWED(listen(server, 1));
	ALLOWED(connect(client, (void *)&at, sizeof(at)));
	EXPECT((got = accept(server, NULL, NULL)) >= 0);
	EQUAL(write(client, "data", 4), 4);
	EQUAL(read(got, text, 4), 4);
	EXPECT(!strcmp(text, "data"));
	close(got);
	close(client);
	close(server);
}

static void inet_check(void)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(7001) };
	struct sockaddr_in none = inet("192.0.2.1", 7001);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	section("permitted addresses");
	connection_check();
	ALLOWED(connects(SOCK_DGRAM, "127.1.2.3", 9));
	ALLOWED(binds("127.0.0.1", 7004));
	EQUAL(sends("127.0.0.1", 7004, 0), 1);
	EQUAL(sends("127.0.0.1", 7004, 1), 1);
	section("refused addresses");
	OUTSIDE(connects(SOCK_STREAM, "192.0.2.1", 7001));
	OUTSIDE(connects(SOCK_DGRAM, "128.0.0.1", 7001));
	OUTSIDE(connects(SOCK_DGRAM, "0.0.0.0", 7001));
	OUTSIDE(binds("0.0.0.0", 7001));
	OUTSIDE(binds("126.255.255.255", 7001));
	OUTSIDE(sends("192.0.2.1", 7001, 0));
	OUTSIDE(sends("192.0.2.1", 7001, 1));
	OUTSIDE(connect(fd, (void *)&six, sizeof(six)));
	none.sin_family = AF_UNSPEC;
	OUTSIDE(bind(fd, (void *)&none, sizeof(none)));
	close(fd);
}

static int binds_unix(const char *path, size_t length)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), result, error;

	memcpy(at.sun_path, path, length);
	result =
		bind(fd, (void *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	error = errno;
	close(fd);
	errno = error;
	return result;
}

static void unix_check(void)
{
	int pair[2];

	section("unix sockets");
	ALLOWED(binds_unix("/tmp/race/socket", 17));
	ALLOWED(unlink("/tmp/race/socket"));
	ALLOWED(binds_unix("/srv/../tmp/race/socket", 24));
	ALLOWED(unlink("/tmp/race/socket"));
	ALLOWED(binds_unix("\0abstract", 9));
	ALLOWED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	close(pair[0]);
	close(pair[1]);
	REFUSED(binds_unix("/srv/race/socket", 17));
	unlink("/srv/race/socket");
	REFUSED(binds_unix("/tmp/../srv/race/socket", 24));
	unlink("/srv/race/socket");
	/* Without a final 0. */
	REFUSED(binds_unix("/srv/race/socket", 16));
	unlink("/srv/race/socket");
}

static sigjmp_buf fault;

static void fault_handle(int unused)
{
	(void)unused;
	siglongjmp(fault, 1);
}

static int faults(volatile char *at, int write)
{
	if (sigsetjmp(fault, 1))
		return 1;
	if (write)
		*at = 1;
	else
		(void)*at;
	return 0;
}

/* A child that has used its own page, and stays alive until its standard input ends. */
static pid_t neighbour_start(int ends[2])
{
	char byte;
	pid_t child;

	if (pipe(ends))
		die("pipe");
	child = fork();
	if (!child) {
		close(ends[1]);
		opens(OPEN, O_RDONLY);
		_exit(read(ends[0], &byte, 1) ? 1 : CHILD_GOOD);
	}
	close(ends[0]);
	if (!task_sleeps_within(child, 20))
		failed("the child does not sleep");
	return child;
}

/* Moves the heap to an address, so that brk() unmaps what is there. */
static int heap_move(char *address)
{
	struct prctl_mm_map map = { .exe_fd = (uint32_t)-1 };
	const uint64_t code = (uint64_t)(uintptr_t)&seconds & ~4095ul;

	map.start_code = map.start_data = map.start_stack = map.arg_start = map.env_start = code;
	map.end_code = map.end_data = map.arg_end = map.env_end = code + 1;
	map.start_brk = (uint64_t)(uintptr_t)address;
	map.brk = map.start_brk + (4ul << 20);
	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0))
		return -1;
	syscall(SYS_brk, address);
	return 0;
}

/* Moves a page of a ring of asynchronous input and output to an address, at which io_destroy() then unmaps 4 MiB. */
static int ring_destroy(char *address)
{
	unsigned long ring = 0;

	if (syscall(SYS_io_setup, 65536, &ring))
		return -1;
	if (mremap((void *)ring, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, address) == MAP_FAILED)
		return -1;
	return (int)syscall(SYS_io_destroy, address);
}

/* Each of these calls would let a guest change a copy of its arguments after the check. */
static void range_check(void)
{
	const struct sigaction action = { .sa_handler = fault_handle };
	int ends[2], id = shmget(IPC_PRIVATE, 4096, 0600), visible = 0;
	const size_t bytes = 1024 * 4096;
	unsigned char resident[1024];
	pid_t child;

	section("the mapping of the copies cannot be changed");
	REFUSED(mprotect(RANGE, 4096, PROT_READ | PROT_WRITE));
	REFUSED(mprotect(RANGE + bytes - 4096, 4096, PROT_READ | PROT_WRITE));
	REFUSED(munmap(RANGE, bytes));
	REFUSED(munmap(RANGE - 4096, 8192));
	REFUSED((long)mmap(RANGE, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	REFUSED((long)mremap(RANGE, 4096, 8192, MREMAP_MAYMOVE));
	REFUSED(madvise(RANGE, 4096, MADV_DONTNEED));
	REFUSED((long)shmat(id, RANGE, SHM_REMAP));
	REFUSED((long)mmap(RANGE, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REFUSED(heap_move(RANGE));
	REFUSED(ring_destroy(RANGE - 4096));
	EQUAL(error_of(mincore(RANGE, bytes, resident)), 0);
	shmctl(id, IPC_RMID, NULL);
	section("a guest sees its own copies only, and cannot write them");
	child = neighbour_start(ends);
	opens(OPEN, O_RDONLY);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (volatile char *at = RANGE; at < RANGE + bytes; at += 4096) {
		visible += !faults(at, 0);
		if (!faults(at, 1))
			failed("a page can be written");
	}
	EQUAL(visible, 1);
	close(ends[1]);
	GOOD(child);
	ALLOWED(opens(OPEN, O_RDONLY));
}

static void calls_check(void)
{
	static char *const arguments[] = { "true", NULL };
	pid_t child;

	section("refused calls");
	EQUAL(error_of(socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP)),
	      plain ? EPROTONOSUPPORT : EPERM);
	REFUSED(mount("none", "/tmp/race/mine", "tmpfs", 0, NULL));
	umount("/tmp/race/mine");
	REFUSED(unshare(CLONE_NEWUTS));
	section("programs");
	child = fork();
	if (!child) {
		execv("/bin/busybox", arguments);
		_exit(1);
	}
	EQUAL(child_wait(child, 20), 0);
	child = fork();
	if (!child) {
		execv("/srv/race/program", arguments);
		_exit(errno == EPERM ? CHILD_GOOD : 1);
	}
	if (plain)
		EQUAL(child_wait(child, 20), 0);
	else
		GOOD(child);
	if (plain)
		return;
	section("calls that do not exist");
	EQUAL(raw(600, 0, 0, 0), -EPERM);
	EQUAL(raw(0x40000000 | SYS_getpid, 0, 0, 0), -EPERM);
	section("a call that ends the process");
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		child_exit();
	}
	KILLED(child, SIGSYS);
}

int main(int argc, char **argv)
{
	plain = argc > 1 && !strcmp(argv[1], "plain");
	names_check();
	folders_check();
	working_folder_check();
	links_check();
	inet_check();
	unix_check();
	if (!plain)
		range_check();
	calls_check();
	return sections_finish();
}
