// SPDX-License-Identifier: GPL-2.0
/*
 * Filters and releases a process in which each thread creates the next one and ends. When the
 * request returns, it applies to all threads, also to those that were created during the request.
 * Argument: the number of times.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>
#include <sys/ioctl.h>

#define CHAINS 3
#define SEEN 1	 /* value of turn % 4 in which each getppid goes to the executive */
#define UNSEEN 3 /* filter value with which it goes to Linux */

struct shared {
	volatile int go, stop, turn, started;
	volatile int bad; /* turn in which a call had the wrong destination */
};

static struct shared *s;
static pthread_attr_t detached;

static void *link_main(void *unused)
{
	const int before = s->turn;
	const bool served = raw_getppid() == PROBE_VALUE;
	pthread_t next;

	if (s->turn == before && before % 4 == (served ? UNSEEN : SEEN))
		s->bad = before;
	__atomic_fetch_add(&s->started, 1, __ATOMIC_RELAXED);
	if (!s->stop && pthread_create(&next, &detached, link_main, NULL))
		s->bad = -1;
	return unused;
}

static void __attribute__((noreturn)) target(void)
{
	pthread_t first;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&detached, 65536);
	while (!s->go)
		pause_us(1000);
	for (int i = 0; i < CHAINS; i++)
		if (pthread_create(&first, &detached, link_main, NULL))
			s->bad = -1;
	while (!s->stop)
		pause_us(10000);
	_exit(CHILD_GOOD);
}

/* Waits until each chain has created a few threads. */
static void threads_await(void)
{
	const int enough = s->started + 4 * CHAINS;
	const double end = seconds() + 20;

	while (s->started < enough && seconds() < end)
		pause_us(1000);
	EXPECT(s->started >= enough);
}

static int guests_of(int device, pid_t pid)
{
	static struct limpet_guest_info info[LIMPET_GUESTS_MAX];
	struct limpet_guest_list list = { (uintptr_t)info, 0, LIMPET_GUESTS_MAX };
	const int got = ioctl(device, LIMPET_GUEST_IOC_LIST, &list);
	int count = 0;

	EXPECT(got >= 0);
	for (int i = 0; i < got; i++)
		count += info[i].pid == (uint32_t)pid;
	return count;
}

int main(int argc, char **argv)
{
	const int turns = argc > 1 ? atoi(argv[1]) : 10;
	int device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
	struct limpet_guest_enter enter = { .component = LIMPET_GUEST_ANY };
	struct limpet_guest_filter filter = { 0 };
	double end;
	pid_t pid;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	section("a filter holds for all threads when it is set");
	pid = fork();
	if (!pid)
		target();
	enter.pid = filter.pid = (uint32_t)pid;
	enter.filter[SYS_getppid / 64] = 1ul << SYS_getppid % 64;
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_ATTACH, &enter), 0);
	s->go = 1;
	threads_await();
	for (int i = 0; i < turns && !s->bad; i++) {
		memset(filter.filter, 0, sizeof(filter.filter));
		EQUAL(ioctl(device, LIMPET_GUEST_IOC_FILTER, &filter), 0);
		s->turn = 4 * i + UNSEEN;
		threads_await();
		s->turn = 4 * i + UNSEEN + 1;
		memcpy(filter.filter, enter.filter, sizeof(filter.filter));
		EQUAL(ioctl(device, LIMPET_GUEST_IOC_FILTER, &filter), 0);
		s->turn = 4 * i + 4 + SEEN;
		threads_await();
		s->turn = 4 * i + 4 + SEEN + 1;
	}
	EQUAL(s->bad, 0);
	section("no thread is a guest after a release");
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_RELEASE, pid), 0);
	s->turn = 4 * turns + UNSEEN;
	threads_await();
	end = seconds() + 20;
	while (guests_of(device, pid) && seconds() < end)
		pause_us(1000);
	EQUAL(guests_of(device, pid), 0);
	EQUAL(s->bad, 0);
	s->stop = 1;
	GOOD(pid);
	return sections_finish();
}
