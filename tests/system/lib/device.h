/* SPDX-License-Identifier: GPL-2.0 */
/* Functions for the C programs of the properties. After a failure they print a message to stdout, and exit with 1. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <limpet/device.h>
#include <limpet/node.h>

static inline void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vprintf(format, values);
	va_end(values);
	printf("\n");
	exit(1);
}

/* Returns the same numbers for the same seed: splitmix64. */
static inline uint64_t random_next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline void pause_us(long us)
{
	struct timespec pause = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&pause, &pause) && errno == EINTR)
		;
}

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline int device_open(void)
{
	int fd = open(LIMPET_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die("%s: %s", LIMPET_DEVICE, strerror(errno));
	return fd;
}

/* Opens the node of a channel. */
static inline int node_open(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), LIMPET_NODES "%s", name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static inline struct limpet_ioc_info device_info(int fd)
{
	struct limpet_ioc_info info;

	if (ioctl(fd, LIMPET_IOC_INFO, &info))
		die("LIMPET_IOC_INFO: %s", strerror(errno));
	return info;
}

/* Returns whether the module has no system within `seconds`. */
static inline int device_empty_within(int fd, double limit)
{
	double end = seconds() + limit;

	while (device_info(fd).state != LIMPET_STATE_EMPTY) {
		if (seconds() > end)
			return 0;
		pause_us(2000);
	}
	return 1;
}

/* Returns the state letter of a process or thread in /proc, or 0 if there is no such thread. */
static inline char task_state(pid_t pid)
{
	char path[40], line[300], *at = NULL;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (got > 0) {
		line[got] = 0;
		at = strrchr(line, ')');
	}
	return at ? at[2] : 0;
}

/* Waits until a process or thread sleeps in a call. Returns false if it ends first, or after `limit` seconds. */
static inline int task_sleeps_within(pid_t pid, double limit)
{
	double end = seconds() + limit;
	char state;

	while ((state = task_state(pid)) != 'S' && state != 'D') {
		if (!state || seconds() > end)
			return 0;
		pause_us(1000);
	}
	return 1;
}

#endif
