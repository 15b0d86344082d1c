/* SPDX-License-Identifier: GPL-2.0 */
/* Child processes that have files of a fake /dev open. Include fake_root.h for the root. */
#ifndef TEST_HOLDERS_H
#define TEST_HOLDERS_H

#include "fake_root.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
