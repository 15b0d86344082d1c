// SPDX-License-Identifier: GPL-2.0
/* Checks guests of two systems with one executive each. A process has guests of only one system. */
#include "../../lib/guest.h"

#include <pthread.h>

static int device;

static long enter(uint32_t system)
{
	struct limpet_guest_enter how = { .system = system, .component = LIMPET_GUEST_ANY };

	memset(how.filter, 0xff, sizeof(how.filter));
	return ioctl(device, LIMPET_GUEST_IOC_ENTER, &how) ? -errno : 0;
}

static void child_await(pid_t pid)
{
	int status = -1;

	EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid);
	EQUAL(status, CHILD_GOOD << 8);
}

/* Makes a child that becomes a guest of the system. The child and its own children make calls there. */
static void child(uint32_t system, long calls)
{
	pid_t pid = fork(), self;

	if (pid) {
		child_await(pid);
		return;
	}
	EQUAL(enter(system), 0);
	for (long i = 0; i < calls; i++) {
		EQUAL(raw_getppid(), getppid());
		if (i % 100)
			continue;
		self = getpid();
		pid = fork();
		if (!pid) {
			EQUAL(raw_getppid(), self);
			child_exit();
		}
		child_await(pid);
	}
	child_exit();
}

static void *other_thread(void *system)
{
	return (void *)enter((uint32_t)(uintptr_t)system);
}

/* Checks that after one thread has become a guest of system 0, another one cannot become a guest of system 1. */
static void check_process(void)
{
	pid_t pid;

	section("a process has one system");
	pid = fork();
	if (!pid) {
		pthread_t thread;
		void *result = NULL;

		EQUAL(enter(0), 0);
		/* Threads that this guest creates are guests of system 0 from the start. */
		EXPECT(!pthread_create(&thread, NULL, other_thread, (void *)1) &&
		       !pthread_join(thread, &result));
		EQUAL(result, -EBUSY);
		child_exit();
	}
	child_await(pid);
}

static struct {
	pthread_barrier_t before, after;
	long result;
} second;

static void *second_thread(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&second.before);
	second.result = enter(1);
	pthread_barrier_wait(&second.after);
	return NULL;
}

/* Does the same for a thread that existed before, and so is not a guest. */
static void check_thread(void)
{
	pid_t pid;

	section("a thread that was there before");
	pid = fork();
	if (!pid) {
		pthread_t thread;

		EXPECT(!pthread_barrier_init(&second.before, NULL, 2) &&
		       !pthread_barrier_init(&second.after, NULL, 2) &&
		       !pthread_create(&thread, NULL, second_thread, NULL));
		EQUAL(enter(0), 0);
		pthread_barrier_wait(&second.before);
		pthread_barrier_wait(&second.after);
		EQUAL(second.result, -EBUSY);
		child_exit();
	}
	child_await(pid);
}

/* Runs guests of both systems together. The CPU changes between the systems with each thread switch. */
static void check_both(void)
{
	pid_t pid;

	section("guests of both systems at a time");
	pid = fork();
	if (!pid) {
		child(1, 3000);
		child_exit();
	}
	child(0, 3000);
	child_await(pid);
}

int main(void)
{
	device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
	section("systems that do not run");
	EXPECT(device >= 0);
	EQUAL(enter(2), -ENODEV);
	EQUAL(enter(LIMPET_SYSTEMS_MAX), -ENODEV);
	EQUAL(enter(LIMPET_SYSTEM_ANY), -ENOTUNIQ);
	section("each system");
	child(0, 500);
	child(1, 500);
	check_process();
	check_thread();
	check_both();
	return sections_finish();
}
