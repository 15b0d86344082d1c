// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that children of all kinds are guests before their first instruction: fork, vfork, clone with its flags,
 * threads, and the programs that they execute. Some programs are executed by a thread that is not the first one. Checks
 * the numbers of their BEGIN, EXEC and END events. Argument: the probe's mode, 0 to 2.
 */
#include "tests/system/lib/guest.h"

#include <linux/sched.h>
#include <pthread.h>

static long mode;

/* Returns whether this guest's getppid is answered according to its mode. */
static bool is_answered(void)
{
	return mode != SERVE || raw_getppid() == PROBE_VALUE;
}

/* Waits until the counters stay the same for a while, so that all events have arrived. */
static void settle(long counters[BAD + 1])
{
	long last[BAD + 1] = { 0 };

	for (int i = 0; i < 100; i++) {
		for (int n = BEGINS; n <= ENDS; n++)
			counters[n] = probe_counter(n);
		if (!memcmp(last, counters, sizeof(last)) && i)
			break;
		memcpy(last, counters, sizeof(last));
		pause_us(20000);
	}
}

static long before[BAD + 1];

static void count_begin(const char *name)
{
	section(name);
	memset(before, 0, sizeof(before));
	settle(before);
}

/*
 * Checks the numbers of guests that have started and ended, and of executed programs, since count_begin(). Events can
 * come late.
 */
static void count_end(long guests, long programs)
{
	const double end = seconds() + 10;
	long now[BAD + 1] = { 0 };

	do
		settle(now);
	while ((now[BEGINS] - before[BEGINS] < guests || now[ENDS] - before[ENDS] < guests ||
		now[EXECS] - before[EXECS] < programs) &&
	       seconds() < end);
	EQUAL(now[BEGINS] - before[BEGINS], guests);
	EQUAL(now[ENDS] - before[ENDS], guests);
	EQUAL(now[EXECS] - before[EXECS], programs);
}

/* --- processes */

#define EACH 20

static void check_fork(void)
{
	count_begin("fork");
	for (int i = 0; i < EACH; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(is_answered() ? CHILD_GOOD : 1);
		GOOD(pid);
	}
	count_end(EACH, 0);
	count_begin("vfork");
	for (int i = 0; i < EACH; i++) {
		pid_t pid = vfork();

		if (!pid)
			_exit(is_answered() ? CHILD_GOOD : 1);
		GOOD(pid);
	}
	count_end(EACH, 0);
}

static int clone_child(void *unused)
{
	(void)unused;
	return is_answered() ? CHILD_GOOD : 1;
}

static void check_clone(void)
{
	static const int flags[] = {
		SIGCHLD,
		SIGCHLD | CLONE_VM,
		SIGCHLD | CLONE_VM | CLONE_VFORK,
		SIGCHLD | CLONE_FS | CLONE_FILES,
		SIGCHLD | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_SYSVSEM,
		SIGCHLD | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
		SIGCHLD | CLONE_NEWPID,
		SIGCHLD | CLONE_NEWNS,
		SIGCHLD | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET,
		SIGCHLD | CLONE_IO,
		0, /* no signal at its end */
	};
	static uint8_t stack[65536] __attribute__((aligned(16)));
	const int count = sizeof(flags) / sizeof(*flags);
	pid_t tid;

	count_begin("clone");
	for (int i = 0; i < count; i++) {
		pid_t pid =
			clone(clone_child, stack + sizeof(stack), flags[i], NULL, &tid, NULL, &tid);

		if (pid < 0)
			failed("clone with flags 0x%x: %s", flags[i], strerror(errno));
		else
			GOOD(pid);
	}
	count_end(count, 0);
}

static void check_clone3(void)
{
	struct clone_args arguments = { .flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
					.exit_signal = SIGCHLD };
	int pidfd = -1;
	long pid;

	arguments.pidfd = (uintptr_t)&pidfd;
	count_begin("clone3");
	pid = raw(SYS_clone3, (long)&arguments, sizeof(arguments), 0);
	if (!pid)
		_exit(is_answered() ? CHILD_GOOD : 1);
	EXPECT(pid > 0 && pidfd >= 0);
	GOOD((pid_t)pid);
	close(pidfd);
	count_end(1, 0);
	count_begin("clone that fails");
	EQUAL(raw(SYS_clone, CLONE_SIGHAND, 0, 0), -EINVAL);
	EQUAL(raw(SYS_clone, CLONE_THREAD, 0, 0), -EINVAL);
	count_end(0, 0);
}

/* --- threads */

#define THREADS 8

static void *thread_main(void *unused)
{
	for (int i = 0; i < 20; i++)
		if (!is_answered())
			failed("a thread's call");
	return unused;
}

static void check_threads(void)
{
	pthread_t thread[THREADS];

	count_begin("threads");
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < THREADS; i++)
			EXPECT(!pthread_create(&thread[i], NULL, thread_main, NULL));
		for (int i = 0; i < THREADS; i++)
			EXPECT(!pthread_join(thread[i], NULL));
	}
	count_end(5 * THREADS, 0);
}

static void *thread_waits(void *unused)
{
	pause();
	return unused;
}

/* Runs a process with threads that exits as a whole, or whose first thread exits first. */
static void check_group_exit(void)
{
	pthread_t thread;

	count_begin("exit_group with other threads");
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (!pid) {
			for (int k = 0; k < THREADS; k++)
				if (pthread_create(&thread, NULL,
						   k & 1 ? thread_waits : thread_main, NULL))
					_exit(1);
			_exit(CHILD_GOOD);
		}
		GOOD(pid);
	}
	count_end(10 * (THREADS + 1), 0);
	count_begin("the first thread exits first");
	pid_t pid = fork();

	if (!pid) {
		if (pthread_create(&thread, NULL, thread_main, NULL))
			_exit(1);
		raw(SYS_exit, 0, 0, 0);
	}
	EQUAL(child_wait(pid, 10), 0);
	count_end(2, 0);
}

/* --- programs */

static const char *self;

static void execute(const char *how)
{
	char text[8];

	snprintf(text, sizeof(text), "%ld", mode);
	execl(self, self, text, how, NULL);
	_exit(9);
}

static void *thread_executes(void *unused)
{
	(void)unused;
	execute("executed");
	return NULL;
}

static void check_execute(void)
{
	pthread_t thread;

	count_begin("execve");
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid)
			execute("executed");
		GOOD(pid);
	}
	count_end(5, 5);
	count_begin("execve in a row");
	pid_t pid = fork();

	if (!pid)
		execute("again");
	GOOD(pid);
	count_end(1, 4);
	count_begin("execve that fails");
	EQUAL(raw(SYS_execve, (long)"/no/such/file", 0, 0), -ENOENT);
	EQUAL(raw(SYS_execve, 0, 0, 0), -EFAULT);
	EXPECT(is_answered());
	count_end(0, 0);
	count_begin("execve by a thread that is not the first, among others");
	for (int i = 0; i < 5; i++) {
		pid = fork();
		if (!pid) {
			for (int k = 0; k < 4; k++)
				pthread_create(&thread, NULL, k & 1 ? thread_waits : thread_main,
					       NULL);
			pthread_create(&thread, NULL, thread_executes, NULL);
			pause();
		}
		GOOD(pid);
	}
	count_end(5 * 6, 5);
}

static void check_ends(void)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGSYS };

	count_begin("ends by signals");
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		pid_t pid = fork();

		if (!pid)
			for (;;)
				raw_getppid();
		pause_us(2000);
		kill(pid, signals[i]);
		KILLED(pid, signals[i]);
	}
	pid_t pid = fork();

	if (!pid)
		__asm__ volatile("movl $0, 8");
	KILLED(pid, SIGSEGV);
	count_end(6, 0);
	count_begin("a guest whose parent ends first");
	pid = fork();
	if (!pid) {
		if (!fork()) {
			pause_us(20000);
			_exit(0);
		}
		_exit(CHILD_GOOD);
	}
	GOOD(pid);
	count_end(2, 0);
}

int main(int argc, char **argv)
{
	self = argv[0];
	mode = argc > 1 ? atol(argv[1]) : SERVE;
	if (argc > 2 && !strcmp(argv[2], "executed"))
		return is_answered() ? CHILD_GOOD : 1;
	if (argc > 2 && strlen(argv[2]) < 8) {
		char more[9];

		snprintf(more, sizeof(more), "%s!", argv[2]);
		execute(strlen(more) < 8 ? more : "executed");
	}
	probe_mode(mode);
	check_fork();
	check_clone();
	check_clone3();
	check_threads();
	check_group_exit();
	check_execute();
	check_ends();
	probe_check();
	return sections_finish();
}
