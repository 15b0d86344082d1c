// SPDX-License-Identifier: GPL-2.0
/* Tests --alone: only the program is a guest, not its children, threads and executed programs. */
#include "tests/system/lib/guest.h"

#include <pthread.h>

static volatile long thread_result;

static void *thread_main(void *unused)
{
	thread_result = raw(499, 0, 0, 0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		return raw(499, 0, 0, 0) == -ENOSYS ? CHILD_GOOD : 1;
	section("the program is a guest");
	EXPECT(probe_id() >= 0);
	EQUAL(raw_getppid(), PROBE_VALUE);
	section("its child is not");
	const long begins = probe_counter(BEGINS);
	const pid_t self = getpid();
	pid_t pid = fork();

	if (!pid) {
		EQUAL(raw_getppid(), self);
		EQUAL(raw(499, 0, 0, 0), -ENOSYS);
		child_exit();
	}
	GOOD(pid);
	section("its thread is not");
	EXPECT(!pthread_create(&thread, NULL, thread_main, NULL));
	pthread_join(thread, NULL);
	EQUAL(thread_result, -ENOSYS);
	section("a program that its child executes is not");
	pid = fork();
	if (!pid) {
		execl(argv[0], argv[0], "executed", NULL);
		_exit(1);
	}
	GOOD(pid);
	EQUAL(probe_counter(BEGINS), begins);
	probe_check();
	if (fork())
		return sections_finish();
	return 0;
}
