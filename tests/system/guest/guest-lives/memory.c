// SPDX-License-Identifier: GPL-2.0
/*
 * Tests guests that create processes and threads while hunger.ko refuses memory for their records. A child without a
 * record is killed. Argument: open. The child then continues as an ordinary process.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>

#define PARAMETERS "/sys/module/hunger/parameters/"

static bool open_guest;

static void refuse(bool on)
{
	int fd = open(PARAMETERS "refuse", O_WRONLY | O_CLOEXEC);

	EQUAL(write(fd, on ? "1" : "0", 1), 1);
	close(fd);
}

static long refused(void)
{
	char text[20] = "";
	int fd = open(PARAMETERS "refused", O_RDONLY | O_CLOEXEC);

	EXPECT(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return atol(text);
}

/* Checks that a child without a record was killed before its first instruction, or that it was not a guest (`open`). */
static void unseen(pid_t pid, int line)
{
	const int status = child_wait(pid, 20);

	if (status != (open_guest ? CHILD_GOOD << 8 : SIGKILL))
		failed("line %d: status 0x%x of a child without a record", line, status);
}
#define UNSEEN(pid) unseen(pid, __LINE__)

static pid_t ordinary(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(probe_id() == -ENOSYS ? CHILD_GOOD : 1);
	return pid;
}

static pid_t guest(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(probe_id() >= 0 ? CHILD_GOOD : 1);
	return pid;
}

static void check_fork(void)
{
	pid_t pid;

	section("a child uses the record that its parent allocated before");
	refuse(true);
	pid = fork();
	if (!pid) {
		EXPECT(probe_id() >= 0);
		UNSEEN(ordinary());
		EXPECT(probe_id() >= 0);
		child_exit();
	}
	GOOD(pid);
	EXPECT(refused() > 0);
	section("the next child has no record");
	for (int i = 0; i < 3; i++) {
		UNSEEN(ordinary());
		EXPECT(probe_id() >= 0);
	}
	pid = vfork();
	if (!pid)
		_exit(CHILD_GOOD);
	UNSEEN(pid);
	section("when there is memory again, children are guests");
	refuse(false);
	pause_us(10000); /* the thread then tries to allocate the record again */
	for (int i = 0; i < 3; i++)
		GOOD(guest());
}

static void *thread_main(void *seen)
{
	*(long *)seen = probe_id();
	return NULL;
}

static void check_thread(void)
{
	pid_t pid;

	section("a thread without a record");
	refuse(true);
	pid = fork();
	if (!pid) {
		pthread_t thread;
		long seen = 0;

		EXPECT(!pthread_create(&thread, NULL, thread_main, &seen));
		pthread_join(thread, NULL);
		EQUAL(seen, -ENOSYS); /* reached only with `open` */
		EXPECT(probe_id() >= 0);
		child_exit();
	}
	UNSEEN(pid);
	refuse(false);
	pause_us(10000);
	GOOD(guest());
}

int main(int argc, char **argv)
{
	open_guest = argc > 1 && !strcmp(argv[1], "open");
	check_fork();
	check_thread();
	probe_check();
	return sections_finish();
}
