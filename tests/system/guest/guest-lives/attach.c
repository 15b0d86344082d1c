// SPDX-License-Identifier: GPL-2.0
/* Attaches and releases a running process with threads repeatedly. Argument: the number of times. */
#include "tests/system/lib/guest.h"

#include <dirent.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>

#define THREADS 4

static volatile int stop;
static volatile long served, passed, wrong, alarms, handled;
static volatile long counted[THREADS]; /* results that each thread has counted */
static long parent;

static void *thread_main(void *index)
{
	while (!stop) {
		const long result = raw_getppid();

		if (result == PROBE_VALUE)
			__atomic_fetch_add(&served, 1, __ATOMIC_RELAXED);
		else if (result == parent)
			__atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
		else
			wrong = result;
		counted[(long)index]++;
	}
	return index;
}

static void handle(int unused)
{
	(void)unused;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

struct report {
	volatile int stop, ready;
	volatile long served, passed, wrong, handled;
	volatile long min, max; /* smallest and largest of `counted` */
};

static void report_counted(struct report *r)
{
	long min = counted[0], max = counted[0];

	for (int i = 1; i < THREADS; i++) {
		const long count = counted[i];

		min = count < min ? count : min;
		max = count > max ? count : max;
	}
	r->min = min;
	r->max = max;
}

/* Runs the process that is attached: threads that make calls, one that waits, and a timer's signals. */
static void __attribute__((noreturn)) target(struct report *r)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct itimerspec every = { { 0, 3000000 }, { 0, 3000000 } };
	pthread_t thread[THREADS];
	timer_t timer;

	parent = getppid();
	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &every, NULL);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, thread_main, (void *)(long)i))
			_exit(1);
	r->ready = 1;
	while (!r->stop) {
		pause_us(5000);
		report_counted(r);
		r->served = served;
		r->passed = passed;
		r->handled = handled;
		if (wrong)
			r->wrong = wrong;
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	r->wrong = wrong;
	_exit(CHILD_GOOD);
}

static int device;

static int attach(pid_t pid, uint32_t flags)
{
	struct limpet_guest_enter enter = { .pid = (uint32_t)pid,
					    .component = LIMPET_GUEST_ANY,
					    .flags = flags };

	memset(enter.filter, 0xff, sizeof(enter.filter));
	return ioctl(device, LIMPET_GUEST_IOC_ATTACH, &enter) ? -errno : 0;
}

static int release(pid_t pid)
{
	return ioctl(device, LIMPET_GUEST_IOC_RELEASE, pid) ? -errno : 0;
}

/* Returns the number of guests of a process, or -1. */
static long guests_of(pid_t pid)
{
	static struct limpet_guest_info info[64];
	struct limpet_guest_list list = { (uintptr_t)info, 0, 64 };
	long count = 0;
	int got;

	while ((got = ioctl(device, LIMPET_GUEST_IOC_LIST, &list)) > 0) {
		for (int i = 0; i < got; i++)
			count += info[i].pid == (uint32_t)pid;
		list.first = info[got - 1].id + 1;
	}
	return got < 0 ? -1 : count;
}

static bool guests_become(pid_t pid, long count)
{
	for (int i = 0; i < 20000; i++) {
		if (guests_of(pid) == count)
			return true;
		pause_us(1000);
	}
	return false;
}

/* Returns whether a value of the report changes within ten seconds. */
static bool changes(const volatile long *value)
{
	const double end = seconds() + 10;
	const long before = *value;

	while (*value == before) {
		if (seconds() > end)
			return false;
		pause_us(1000);
	}
	return true;
}

/* Returns whether each thread, within ten seconds, counts the result of a call that it starts after this call. */
static bool all_count(const struct report *r)
{
	const double end = seconds() + 10;
	const long before = r->max;

	while (r->min <= before + 1) {
		if (seconds() > end)
			return false;
		pause_us(1000);
	}
	return true;
}

/* Returns the number of threads of a process that may not use all CPUs that this one may use, or -1. */
static long pinned(pid_t pid)
{
	char name[40];
	cpu_set_t own, set;
	struct dirent *entry;
	long count = 0;
	DIR *threads;

	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	threads = opendir(name);
	if (!threads || sched_getaffinity(0, sizeof(own), &own))
		return -1;
	while ((entry = readdir(threads)))
		count += entry->d_name[0] != '.' &&
			 !(!sched_getaffinity(atoi(entry->d_name), sizeof(set), &set) &&
			   CPU_EQUAL(&own, &set));
	closedir(threads);
	return count;
}

static void check_rounds(pid_t pid, const struct report *r, long rounds)
{
	uint64_t seed = 3;
	long before;

	section("attached: all threads become guests, and calls are answered");
	EQUAL(attach(pid, 0), 0);
	EXPECT(guests_become(pid, THREADS + 1));
	EXPECT(changes(&r->served));
	EQUAL(attach(pid, 0), -EBUSY);
	section("released: none is a guest, and calls are Linux's");
	EQUAL(release(pid), 0);
	EXPECT(guests_become(pid, 0));
	/* The second report is from after the release. A thread can still count an earlier answer in the first one. */
	EXPECT(changes(&r->passed));
	EXPECT(changes(&r->passed));
	EXPECT(all_count(r));
	EXPECT(changes(&r->passed));
	before = r->served;
	pause_us(100000);
	EXPECT(changes(&r->passed));
	EQUAL(r->served, before);
	section("again and again");
	for (long i = 0; i < rounds; i++) {
		int status;

		while ((status = attach(pid, 0)) == -EBUSY)
			pause_us(200); /* not yet released */
		EQUAL(status, 0);
		pause_us((long)(random_next(&seed) % 2000));
		EQUAL(release(pid), 0);
	}
	EXPECT(guests_become(pid, 0));
	for (int i = 0; i < 1000 && pinned(pid); i++)
		pause_us(1000);
	EQUAL(pinned(pid), 0);
	EQUAL(r->wrong, 0);
	for (int i = 0; i < 1000 && r->handled <= 10; i++)
		pause_us(10000);
	EXPECT(r->handled > 10);
}

static void check_refused(void)
{
	section("refused");
	EQUAL(attach(0x3ffffff, 0), -ESRCH);
	EQUAL(attach(0, 0), -ESRCH);
	EQUAL(attach(2, 0), -EPERM);
	EQUAL(attach(getpid(), 0x80), -EINVAL);
	EXPECT(release(getpid()) < 0);
	EXPECT(release(0x3ffffff) < 0);
}

/* Tests a process that is attached, and perhaps released, while it waits in a call. Its call ends 100 ms later. */
static void check_sleeper(bool released)
{
	pid_t pid;
	int ends[2];
	char byte = 7;

	EXPECT(!pipe(ends));
	pid = fork();
	if (!pid) {
		const long parent_now = getppid();

		EQUAL(read(ends[0], &byte, 1), 1);
		EQUAL(byte, 9);
		EQUAL(raw_getppid(), released ? parent_now : PROBE_VALUE);
		EQUAL(raw_getppid(), released ? parent_now : PROBE_VALUE);
		child_exit();
	}
	EXPECT(task_sleeps_within(pid, 10));
	EQUAL(attach(pid, 0), 0);
	EQUAL(attach(pid, 0), -EBUSY);
	if (released)
		EQUAL(release(pid), 0);
	pause_us(100000);
	byte = 9;
	EQUAL(write(ends[1], &byte, 1), 1);
	GOOD(pid);
	close(ends[0]);
	close(ends[1]);
}

/*
 * The page of clone3's arguments. Its first access waits for the owner of `fd`, which is a descriptor of the process.
 */
struct maker {
	volatile int fd;
	volatile uintptr_t page;
};

/* Creates a process with arguments that are not in memory yet. Both processes must be guests afterwards. */
static void __attribute__((noreturn)) maker_main(struct maker *m)
{
	struct uffdio_api api = { .api = UFFD_API };
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register part = { { (uintptr_t)page, 4096 },
					UFFDIO_REGISTER_MODE_MISSING,
					0 };
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	long pid;

	EXPECT(fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &part));
	m->page = (uintptr_t)page;
	m->fd = fd;
	pid = raw(SYS_clone3, (long)page, sizeof(struct clone_args), 0);
	EQUAL(raw_getppid(), PROBE_VALUE);
	if (!pid)
		child_exit();
	GOOD((pid_t)pid);
	child_exit();
}

static void check_maker(struct maker *m)
{
	static union {
		struct clone_args words;
		char page[4096];
	} arguments = { .words = { .exit_signal = SIGCHLD } };
	struct uffdio_copy copy = { .src = (uintptr_t)&arguments, .len = 4096 };
	pid_t pid = fork();
	int fd;

	if (!pid)
		maker_main(m);
	while (!m->fd)
		pause_us(1000);
	EXPECT(task_sleeps_within(pid, 10));
	EQUAL(attach(pid, 0), 0);
	fd = (int)syscall(SYS_pidfd_getfd, (int)syscall(SYS_pidfd_open, pid, 0), m->fd, 0);
	copy.dst = m->page;
	EXPECT(!ioctl(fd, UFFDIO_COPY, &copy));
	close(fd);
	GOOD(pid);
}

static void check_states(void)
{
	pid_t pid;

	section("a process that waits in a call becomes a guest, and the call goes on");
	check_sleeper(false);
	section("released before it has become a guest: it does not become one");
	check_sleeper(true);
	section("a process is attached while it makes another one: both become guests");
	check_maker(mmap(NULL, sizeof(struct maker), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	section("a stopped process becomes a guest when it continues");
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		EQUAL(raw_getppid(), PROBE_VALUE);
		child_exit();
	}
	while (task_state(pid) != 'T')
		pause_us(1000);
	EQUAL(attach(pid, 0), 0);
	pause_us(20000);
	kill(pid, SIGCONT);
	GOOD(pid);
	section("SIGKILL right after attach and release");
	for (int i = 0; i < 50; i++) {
		pid = fork();
		if (!pid)
			for (;;)
				raw_getppid();
		EQUAL(attach(pid, 0), 0);
		if (i & 1)
			release(pid);
		if (i & 2)
			pause_us(300);
		kill(pid, SIGKILL);
		KILLED(pid, SIGKILL);
	}
}

int main(int argc, char **argv)
{
	struct report *r =
		mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (!pid)
		target(r);
	device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("%s: %s", LIMPET_GUEST_DEVICE, strerror(errno));
	while (!r->ready)
		pause_us(1000);
	check_rounds(pid, r, argc > 1 ? atol(argv[1]) : 10);
	r->stop = 1;
	GOOD(pid);
	check_refused();
	check_states();
	return sections_finish();
}
