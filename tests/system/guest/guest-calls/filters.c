// SPDX-License-Identifier: GPL-2.0
/*
 * Tests filters. The program starts with a filter of the probe's own calls and getuid, and changes
 * it by `limpet guest filter`, as root.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>

static long seen_of(long number)
{
	const long before = probe_counter(CALLS);

	raw(number, 0, 0, 0);
	return probe_counter(CALLS) - before - 1;
}

/* Sets the filter of a process to the probe's own calls and other calls. */
static int filter(pid_t pid, const char *more)
{
	char command[200];

	snprintf(command, sizeof(command),
		 "limpet guest filter %d --calls 499,500,501,502,503,504,505,506%s", pid, more);
	return system(command);
}

static volatile long thread_result;
static volatile int go;

static void *thread_main(void *unused)
{
	while (!go)
		sched_yield();
	thread_result = raw_getppid();
	return unused;
}

/* Tests that a guest that runs without system calls gets a new filter, too. */
static void check_running(void)
{
	volatile int *stop =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (!pid) {
		long first = raw_getppid(), last;

		stop[1] = 1;
		while (!stop[0])
			;
		last = raw_getppid();
		EXPECT(first != PROBE_VALUE);
		EQUAL(last, PROBE_VALUE);
		child_exit();
	}
	while (!stop[1])
		pause_us(1000);
	EQUAL(filter(pid, ",getppid"), 0);
	stop[0] = 1;
	GOOD(pid);
}

int main(void)
{
	const pid_t pid = getpid();
	pthread_t thread;

	section("calls in the filter are seen, others are not");
	EQUAL(seen_of(SYS_getuid), 1);
	EQUAL(seen_of(SYS_getppid), 0);
	EQUAL(seen_of(SYS_getgid), 0);
	EXPECT(raw_getppid() != PROBE_VALUE);
	section("a child inherits the filter");
	pid_t child = fork();

	if (!child) {
		EQUAL(seen_of(SYS_getuid), 1);
		EQUAL(seen_of(SYS_getppid), 0);
		EQUAL(raw_getppid(), pid);
		child_exit();
	}
	GOOD(child);
	section("limpet guest filter changes it, for all threads");
	EXPECT(!pthread_create(&thread, NULL, thread_main, NULL));
	EQUAL(filter(pid, ",getppid"), 0);
	EQUAL(raw_getppid(), PROBE_VALUE);
	EQUAL(seen_of(SYS_getuid), 0);
	go = 1;
	pthread_join(thread, NULL);
	EQUAL(thread_result, PROBE_VALUE);
	EQUAL(filter(pid, ""), 0);
	EXPECT(raw_getppid() != PROBE_VALUE);
	section("of a guest that runs");
	check_running();
	section("of a process that is not a guest it is refused");
	EXPECT(filter(1, "") != 0);
	probe_check();
	return sections_finish();
}
