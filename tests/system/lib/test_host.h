/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A host process of the tests, which can do things that `limpet run` never does. Its host threads may have signal
 * handlers in C, because Linux gives these fresh vector registers.
 */
#ifndef TEST_HOST_H
#define TEST_HOST_H

#include "device.h"

#include <cli/host/lend.h>
#include <limpet/node.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

struct test_host {
	int fd;
	unsigned int cpu, linux_cpu;
	int priority; /* of SCHED_FIFO; 0 is an ordinary thread */
	pthread_t thread;
	volatile pid_t tid;
	volatile long left; /* 1 + result of host_lend(), or 0 before it returns */
};

/* Loads a system on CPUs of Linux from `first` on. */
static inline void test_load_from(int fd, const char *path, unsigned int first, unsigned int cpus,
				  unsigned int share)
{
	struct limpet_ioc_load load = { .cpus = cpus, .linux_share = share };
	int image = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;

	if (image < 0 || fstat(image, &stat))
		die("%s: %s", path, strerror(errno));
	load.size = (uint64_t)stat.st_size;
	load.image =
		(uintptr_t)mmap(NULL, load.size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, image, 0);
	for (unsigned int i = 0; i < cpus; i++)
		load.cpu[i] = first + i;
	if (ioctl(fd, LIMPET_IOC_LOAD, &load))
		die("%s: %s: %s", path, strerror(errno), load.error);
	munmap((void *)load.image, load.size);
	close(image);
}

static inline void test_load(int fd, const char *path, unsigned int cpus, unsigned int share)
{
	test_load_from(fd, path, 0, cpus, share);
}

static inline void test_enter(struct test_host *host)
{
	struct limpet_ioc_enter enter = { host->cpu };
	struct sched_param parameters = { .sched_priority = host->priority };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(host->linux_cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity: %s", strerror(errno));
	if (host->priority && sched_setscheduler(0, SCHED_FIFO, &parameters))
		die("sched_setscheduler: %s", strerror(errno));
	if (ioctl(host->fd, LIMPET_IOC_ENTER, &enter))
		die("LIMPET_IOC_ENTER: %s", strerror(errno));
	host->tid = (pid_t)syscall(SYS_gettid);
}

static inline void *test_host_main(void *argument)
{
	struct test_host *host = argument;

	test_enter(host);
	host->left = 1 + host_lend(host->fd);
	return NULL;
}

/* Starts a host thread for CPU 0 of a loaded system, and waits until the system runs. */
static inline void test_start(struct test_host *host)
{
	double end = seconds() + 10;

	if (pthread_create(&host->thread, NULL, test_host_main, host))
		die("pthread_create");
	while (!host->tid || device_info(host->fd).state != LIMPET_STATE_RUNNING) {
		if (seconds() > end)
			die("the system does not start");
		pause_us(1000);
	}
}

/* Returns the number of kernel calls of all components of a CPU, which rises while they run. */
static inline uint64_t test_calls(int fd, unsigned int cpu)
{
	struct limpet_ioc_stat stat = { .number = cpu };

	if (ioctl(fd, LIMPET_IOC_STAT, &stat))
		die("LIMPET_IOC_STAT: %s", strerror(errno));
	return stat.cpu.calls;
}

/* Returns whether components make at least `calls` kernel calls within `seconds`. */
static inline int test_runs(int fd, unsigned int cpu, uint64_t calls, double limit)
{
	uint64_t begin = test_calls(fd, cpu);
	double end = seconds() + limit;

	while (test_calls(fd, cpu) - begin < calls) {
		if (seconds() > end)
			return 0;
		pause_us(5000);
	}
	return 1;
}

/* Exits unless the console's memory contains `wanted` and not `unwanted`. Unread text stays in the memory. */
static inline void test_console_check(unsigned int cpu, const char *wanted, const char *unwanted)
{
	const double end = seconds() + 20;
	struct limpet_node_info info;
	char path[64], *memory;
	int fd;

	snprintf(path, sizeof(path), LIMPET_NODES "console.%u", cpu);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, LIMPET_NODE_INFO, &info))
		die("%s: %s", path, strerror(errno));
	memory = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap of the console: %s", strerror(errno));
	while (!memmem(memory, info.size, wanted, strlen(wanted))) {
		if (seconds() > end)
			die("the console does not say '%s'", wanted);
		pause_us(10000);
	}
	if (memmem(memory, info.size, unwanted, strlen(unwanted)))
		die("the console says '%s'", unwanted);
	munmap(memory, info.size);
	close(fd);
}

#endif
