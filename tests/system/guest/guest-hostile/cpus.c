// SPDX-License-Identifier: GPL-2.0
/*
 * Tests guests on other CPUs than their executive's, while CPUs go offline and online. The program
 * starts guests, but is not a guest itself, because it writes to sysfs. It checks nothing with one
 * CPU.
 */
#include "tests/system/lib/guest.h"

static int cpus;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	EQUAL(sched_setaffinity(0, sizeof(set), &set), 0);
}

static int online(int cpu, bool on)
{
	char path[80];
	int fd, status;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	status = write(fd, on ? "1" : "0", 1) == 1 ? 0 : -errno;
	close(fd);
	return status;
}

static void become_guest(void)
{
	struct limpet_guest_enter how = { .component = LIMPET_GUEST_ANY };
	int device = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);

	memset(how.filter, 0xff, sizeof(how.filter));
	EQUAL(ioctl(device, LIMPET_GUEST_IOC_ENTER, &how), 0);
	close(device);
}

static volatile int *stop;

/* Runs a guest that moves from CPU to CPU and makes many kinds of calls. */
static void __attribute__((noreturn)) wander(uint64_t second, int kind)
{
	long parent;

	become_guest();
	probe_mode(PASS);
	parent = raw_getppid();
	for (long i = 0; !*stop; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET((int)(i % cpus), &set);
		sched_setaffinity(0, sizeof(set), &set); /* the CPU can be offline */
		probe_mode(kind);
		for (int k = 0; k < 20; k++)
			EQUAL(raw_getppid(), kind == PASS || kind == RESULT ? parent : PROBE_VALUE);
		EQUAL(probe_run(second / 10000), 0);
		EQUAL(probe_wait(second / 10000, 0), LIMPET_ETIME);
		EQUAL(raw(508, 0, 0, 0), 0);
		pid_t pid = fork();

		if (!pid)
			_exit(CHILD_GOOD);
		GOOD(pid);
	}
	child_exit();
}

int main(void)
{
	const uint64_t second = ticks_second();
	static const int kinds[] = { SERVE, PASS, RESULT, REPLACE, MOVE };
	pid_t pid[5];

	cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	section("guests on all CPUs");
	for (int i = 0; i < 5; i++) {
		pid[i] = fork();
		if (!pid[i])
			wander(second, kinds[i]);
	}
	pause_us(1000000);
	if (cpus > 1) {
		section("other CPUs go offline and come back");
		pin(0);
		for (int i = 0; i < 6; i++) {
			EQUAL(online(1, false), 0);
			pause_us(50000);
			EQUAL(online(1, true), 0);
			pause_us(50000);
		}
		section("the executive's CPU cannot go offline");
		EXPECT(online(0, false) < 0);
	}
	*stop = 1;
	section("all calls were right");
	for (int i = 0; i < 5; i++)
		GOOD(pid[i]);
	return sections_finish();
}
