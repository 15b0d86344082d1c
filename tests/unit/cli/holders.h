/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Child processes that have files of a fake /dev open. Files in its folder limpet, and rtf0 to rtf9..., are nodes: stat()
 * and fstatat() are wrapped, and show them as devices. A name that ends in "forged" is a file of another mount
 * namespace, whose path is that of a node. Call nodes_make() first.
 */
#ifndef TEST_HOLDERS_H
#define TEST_HOLDERS_H

#include "fake_root.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE_MAJOR 250

/* Makes Linux's list of drivers, with that of the nodes. */
static inline void nodes_make(void)
{
	put("/proc/devices", "Character devices:\n  1 mem\n250 limpet\n");
}

/* Shows a file as a device if its path is that of a node. */
static inline void node_show(const char *path, struct stat *status)
{
	static const char forged[] = "forged";
	const char *name = path + strlen(root), *end = path + strlen(path) - strlen(forged);

	if (!S_ISREG(status->st_mode) || strncmp(path, root, strlen(root)) || !strcmp(end, forged))
		return;
	if (strncmp(name, "/dev/limpet/", 12) && (strncmp(name, "/dev/rtf", 8) || name[8] > '9'))
		return;
	status->st_mode = S_IFCHR | 0600;
	status->st_rdev = makedev(NODE_MAJOR, status->st_ino & 0xfffff);
}

int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status)
{
	const int result = __real_stat(path, status);

	if (!result)
		node_show(path, status);
	return result;
}

int __real_fstatat(int folder, const char *path, struct stat *status, int flags);
int __wrap_fstatat(int folder, const char *path, struct stat *status, int flags);
int __wrap_fstatat(int folder, const char *path, struct stat *status, int flags)
{
	const int result = __real_fstatat(folder, path, status, flags);
	char target[4096];
	const ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (!result && length > (ssize_t)strlen(root)) {
		target[length] = 0;
		node_show(target, status);
	}
	return result;
}

/* Opens a file below the root. Creates it if it does not exist. */
static inline int file_open(const char *name)
{
	char path[512];
	int fd;

	put(name, "");
	snprintf(path, sizeof(path), "%s%s", root, name);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	return fd;
}

/* Starts a child that calls `hold` with this argument, and waits until it writes a byte to the given descriptor. */
static inline pid_t child_start(void (*hold)(const char *name, int ready), const char *name)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hold(name, ready[1]);
		_exit(1);
	}
	assert_true(child > 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static inline void ready_say(int ready)
{
	if (write(ready, "", 1) == 1)
		for (;;)
			pause();
}

static inline void hold_open(const char *name, int ready)
{
	file_open(name);
	prctl(PR_SET_NAME, strrchr(name, '/') + 1);
	ready_say(ready);
}

static inline void child_end(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

#endif
