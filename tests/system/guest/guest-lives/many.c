// SPDX-License-Identifier: GPL-2.0
/*
 * Runs many guests at the same time: processes and threads that make calls, while others wait. Argument: their number.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>

#define THREADS 4 /* threads of each process, with the first one */

struct shared {
	volatile int go, ready, bad;
};

static struct shared *s;

static void *thread_main(void *unused)
{
	__atomic_fetch_add(&s->ready, 1, __ATOMIC_RELAXED);
	/*
	 * The pauses are long, because otherwise the waiting threads of a slow machine would leave no time to start the
	 * others.
	 */
	while (!s->go)
		pause_us(1000000);
	for (int i = 0; i < 20; i++)
		if (raw_getppid() != PROBE_VALUE)
			s->bad = __LINE__;
	return unused;
}

static void __attribute__((noreturn)) process(void)
{
	pthread_attr_t small;
	pthread_t thread[THREADS - 1];

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < THREADS - 1; i++)
		if (pthread_create(&thread[i], &small, thread_main, NULL))
			s->bad = __LINE__;
	thread_main(NULL);
	for (int i = 0; i < THREADS - 1; i++)
		pthread_join(thread[i], NULL);
	_exit(CHILD_GOOD);
}

static long guests_now(void)
{
	static struct limpet_guest_info info[64];
	struct limpet_guest_list list = { (uintptr_t)info, 0, 64 };
	int device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC), got;
	long count = 0;

	while ((got = ioctl(device, LIMPET_GUEST_IOC_LIST, &list)) > 0) {
		count += got;
		list.first = info[got - 1].id + 1;
	}
	close(device);
	return count;
}

int main(int argc, char **argv)
{
	const int processes = (argc > 1 ? atoi(argv[1]) : 100) / THREADS;
	pid_t *pid = calloc((size_t)processes, sizeof(*pid));
	const double end = seconds() + 40;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	section("all begin");
	for (int i = 0; i < processes; i++) {
		pid[i] = fork();
		if (!pid[i])
			process();
		EXPECT(pid[i] > 0);
	}
	while (s->ready < processes * THREADS && seconds() < end)
		pause_us(10000);
	EQUAL(s->ready, processes * THREADS);
	section("the list has all of them");
	EXPECT(guests_now() >= processes * THREADS + 1);
	section("all calls are answered, and all end");
	s->go = 1;
	for (int i = 0; i < processes; i++)
		GOOD(pid[i]);
	EQUAL(s->bad, 0);
	return sections_finish();
}
