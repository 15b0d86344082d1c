// SPDX-License-Identifier: GPL-2.0
/*
 * Tests a guest whose executive waits without limit, or never answers. Stop, tracer, freezer, SIGTERM and SIGKILL must
 * take effect within a second, or ten seconds on a loaded machine. Arguments: the probe's mode (5 wait, 9 spin), and a
 * part. Without a part, tests all parts.
 */
#include "tests/system/lib/guest.h"

#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>

#define LIMIT 10.0

static long mode;

/* Returns whether the executive has a call of a guest. */
static bool is_inside(pid_t pid)
{
	static struct limpet_guest_info info[64];
	struct limpet_guest_list list = { (uintptr_t)info, 0, 64 };
	int device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
	int got = ioctl(device, LIMPET_GUEST_IOC_LIST, &list);

	close(device);
	for (int i = 0; i < got; i++)
		if (info[i].pid == (uint32_t)pid && info[i].state != LIMPET_GUEST_FREE)
			return true;
	return false;
}

/* Starts a guest with this handler of SIGUSR1, if any, that is in its executive. */
static pid_t stuck_handling(void (*handler)(int))
{
	volatile int *ready =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const double end = seconds() + 10;
	pid_t pid = fork();

	if (!pid) {
		if (handler)
			signal(SIGUSR1, handler);
		probe_mode(mode);
		*ready = 1;
		raw_getppid();
		_exit(1);
	}
	while ((!*ready || !is_inside(pid)) && seconds() < end)
		pause_us(1000);
	EXPECT(*ready && is_inside(pid));
	munmap((void *)ready, 4096);
	return pid;
}

static pid_t stuck(void)
{
	return stuck_handling(NULL);
}

/* Returns whether waitpid() reports a stop within the limit. */
static bool stops(pid_t pid)
{
	const double end = seconds() + LIMIT;
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG | WUNTRACED)) && seconds() < end)
		pause_us(1000);
	return got == pid && WIFSTOPPED(status);
}

/* Returns whether waitpid() reports that it continues within the limit. */
static bool continues(pid_t pid)
{
	const double end = seconds() + LIMIT;

	while (task_state(pid) == 'T' || task_state(pid) == 't') {
		if (seconds() > end)
			return false;
		pause_us(1000);
	}
	return true;
}

static void ends_by(pid_t pid, int signal)
{
	const double begin = seconds();

	kill(pid, signal);
	KILLED(pid, signal);
	if (seconds() - begin > LIMIT)
		failed("signal %d took %d ms", signal, (int)((seconds() - begin) * 1000));
}

static void check_stop(void)
{
	pid_t pid;

	section("SIGSTOP, SIGCONT, SIGSTOP, SIGKILL");
	pid = stuck();
	kill(pid, SIGSTOP);
	EXPECT(stops(pid));
	kill(pid, SIGCONT);
	EXPECT(continues(pid));
	pause_us(50000);
	kill(pid, SIGSTOP);
	EXPECT(stops(pid));
	ends_by(pid, SIGKILL);
}

static void check_trace(void)
{
	struct user_regs_struct regs;
	pid_t pid;

	section("a tracer stops it, sees its call, and detaches");
	pid = stuck();
	EQUAL(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	EQUAL(ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
	EXPECT(stops(pid));
	EQUAL(ptrace(PTRACE_GETREGS, pid, 0, &regs), 0);
	EQUAL(regs.rax, SYS_getppid);
	EQUAL(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
	EXPECT(continues(pid));
	pause_us(50000);
	ends_by(pid, SIGKILL);
	section("PTRACE_ATTACH");
	pid = stuck();
	EQUAL(ptrace(PTRACE_ATTACH, pid, 0, 0), 0);
	EXPECT(stops(pid));
	EQUAL(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
	ends_by(pid, SIGKILL);
}

#define GROUPS "/tmp/cgroup"
#define GROUP GROUPS "/guest"

static void text_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	EQUAL(write(fd, text, strlen(text)), (long)strlen(text));
	close(fd);
}

/* Returns whether the group becomes frozen, or thawed, within the limit. */
static bool becomes(const char *wanted)
{
	const double end = seconds() + LIMIT;
	char text[100];

	do {
		int fd = open(GROUP "/cgroup.events", O_RDONLY | O_CLOEXEC);
		ssize_t got = read(fd, text, sizeof(text) - 1);

		close(fd);
		text[got > 0 ? got : 0] = 0;
		if (strstr(text, wanted))
			return true;
		pause_us(1000);
	} while (seconds() < end);
	return false;
}

static void check_freeze(void)
{
	char number[20];
	pid_t pid;

	mkdir(GROUPS, 0700);
	section("cgroup freezer");
	EQUAL(mount("none", GROUPS, "cgroup2", 0, NULL), 0);
	mkdir(GROUP, 0700);
	pid = stuck();
	snprintf(number, sizeof(number), "%d", pid);
	text_write(GROUP "/cgroup.procs", number);
	text_write(GROUP "/cgroup.freeze", "1");
	EXPECT(becomes("frozen 1"));
	text_write(GROUP "/cgroup.freeze", "0");
	EXPECT(becomes("frozen 0"));
	text_write(GROUP "/cgroup.freeze", "1");
	EXPECT(becomes("frozen 1"));
	ends_by(pid, SIGKILL);
	pause_us(10000);
	rmdir(GROUP);
	umount(GROUPS);
}

static void handle(int signal)
{
	(void)signal;
	_exit(CHILD_GOOD);
}

static void check_term(void)
{
	pid_t pid;

	section("SIGTERM ends it");
	pid = stuck();
	ends_by(pid, SIGTERM);
	section("a handler runs, and its calls are answered");
	pid = stuck_handling(handle);
	const double begin = seconds();

	kill(pid, SIGUSR1);
	GOOD(pid);
	EXPECT(seconds() - begin < LIMIT);
}

static void check_kill(void)
{
	section("SIGKILL ends it");
	for (int i = 0; i < 3; i++)
		ends_by(stuck(), SIGKILL);
}

/*
 * Tests that the guest is killed, because the executive has committed to an answer that does not come. SIGUSR1's
 * handler does not run.
 */
static void check_commit(void)
{
	volatile int *ready =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if (mode != SPIN)
		return;
	section("SIGKILL for an answer that counts and does not come");
	pid = fork();
	if (!pid) {
		signal(SIGUSR1, handle);
		*ready = 1;
		probe_committed(UINT64_MAX);
		_exit(1);
	}
	while (!*ready || !is_inside(pid))
		pause_us(1000);
	kill(pid, SIGUSR1);
	KILLED(pid, SIGKILL);
}

static const struct {
	const char *name;
	void (*check)(void);
} parts[] = {
	{ "stop", check_stop }, { "trace", check_trace }, { "freeze", check_freeze },
	{ "term", check_term }, { "kill", check_kill },	  { "commit", check_commit },
};

int main(int argc, char **argv)
{
	mode = argc > 1 ? atol(argv[1]) : WAIT;
	for (unsigned int i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (argc < 3 || !strcmp(argv[2], parts[i].name))
			parts[i].check();
	return sections_finish();
}
