// SPDX-License-Identifier: GPL-2.0
/*
 * Tests crashes of the executive in a call of a guest (call 507). With a supervisor it serves again. A guest whose call
 * makes it crash twice gets SIGKILL. Arguments: open (calls go to Linux meanwhile), gone and gone-open (without a
 * supervisor, so that each crash uses up a handler thread).
 */
#include "tests/system/lib/guest.h"

/* Starts a guest that makes the executive crash. */
static pid_t crasher(void)
{
	pid_t pid = fork();

	if (!pid) {
		probe_fault();
		_exit(0);
	}
	return pid;
}

/* Makes the executive crash repeatedly, until its process group is killed. */
static pid_t crashers(void)
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		for (;;)
			waitpid(crasher(), NULL, 0);
	}
	setpgid(pid, pid);
	return pid;
}

static void check_crash(bool open, long parent)
{
	long served = 0, passed = 0, wrong = 0;
	const double end = seconds() + 2;
	pid_t pid;

	section("calls have right results while the executive crashes and restarts");
	pid = crashers();
	while (seconds() < end || (!served && seconds() < end + 20)) {
		const long result = raw_getppid();

		if (result == PROBE_VALUE)
			served++;
		else if (open && result == parent)
			passed++;
		else
			wrong = result;
	}
	kill(-pid, SIGKILL);
	KILLED(pid, SIGKILL);
	EQUAL(wrong, 0);
	EXPECT(served > 0);
	section("the guest that makes it crash gets SIGKILL");
	for (int i = 0; i < 2000 && raw_getppid() != PROBE_VALUE; i++)
		pause_us(10000);
	pid = crasher();
	if (open)
		EXPECT(child_wait(pid, 10) >=
		       0); /* the repeated call can go to Linux, which does not have it */
	else
		KILLED(pid, SIGKILL);
	section("afterwards all calls are served");
	for (int i = 0; i < 2000 && raw_getppid() != PROBE_VALUE; i++)
		pause_us(10000);
	for (int i = 0; i < 100; i++)
		EQUAL(raw_getppid(), PROBE_VALUE);
	EXPECT(probe_id() >= 0);
	EQUAL(getpid(), raw(SYS_getpid, 0, 0, 0));
}

/*
 * Tests crashes without a supervisor. The first crashes use up the handler threads. After that, calls wait without
 * limit. A guest runs until its crashes have ended it, or until it waits.
 */
static int gone(bool open)
{
	const long before = raw_getppid();

	for (int i = 0; i < 6; i++) {
		pid_t pid = crasher();

		for (int k = 0; k < 2000 && task_state(pid) == 'R'; k++)
			pause_us(10000);
		kill(pid, SIGKILL);
		if (child_wait(pid, 10) < 0)
			return 3;
		if (!open && !i && raw_getppid() != PROBE_VALUE)
			return 4;
	}
	const long after = raw_getppid();

	if (!open)
		return 1; /* the guest must wait */
	return after > 0 && after != PROBE_VALUE && (before == PROBE_VALUE || before == after)
		       ? CHILD_GOOD
		       : 2;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	long parent;

	if (!strncmp(word, "gone", 4))
		return gone(!strcmp(word, "gone-open"));
	section("the beginning");
	probe_mode(PASS);
	parent = raw_getppid();
	probe_mode_all(SERVE);
	EQUAL(raw_getppid(), PROBE_VALUE);
	check_crash(!strcmp(word, "open"), parent);
	return sections_finish();
}
