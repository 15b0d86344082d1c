// SPDX-License-Identifier: GPL-2.0
/*
 * The executive crashes in a call of this guest (call 507). With a supervisor it serves again, and the call is made again
 * by the kernel's rules: so a guest must not make 507 for ever; a child does, and is killed. Argument: open (calls go to
 * Linux meanwhile), gone and gone-open (there is no supervisor).
 */
#include "tests/system/lib/guest.h"

/* A child makes the executive crash again and again, until it is killed. */
static pid_t crasher(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			probe_fault();
	return pid;
}

static void check_crash(bool open, long parent)
{
	long served = 0, passed = 0, wrong = 0;
	const double end = seconds() + 2;
	pid_t pid;

	section("calls have right results while the executive crashes and restarts");
	pid = crasher();
	while (seconds() < end) {
		const long result = raw_getppid();

		if (result == PROBE_VALUE)
			served++;
		else if (open && result == parent)
			passed++;
		else
			wrong = result;
	}
	kill(pid, SIGKILL);
	KILLED(pid, SIGKILL);
	EQUAL(wrong, 0);
	EXPECT(served > 0);
	section("afterwards all calls are served");
	for (int i = 0; i < 500 && raw_getppid() != PROBE_VALUE; i++)
		pause_us(10000);
	for (int i = 0; i < 100; i++)
		EQUAL(raw_getppid(), PROBE_VALUE);
	EXPECT(probe_id() >= 0);
	EQUAL(getpid(), raw(SYS_getpid, 0, 0, 0));
}

/* Without a supervisor: the call of a guest that is not open waits for ever. */
static int gone(bool open)
{
	pid_t pid = fork();
	const pid_t self = getppid();

	(void)self;
	if (!pid) {
		probe_fault();
		_exit(0);
	}
	pause_us(200000);
	if (!open) {
		raw_getppid();
		return 1;
	}
	if (raw_getppid() == PROBE_VALUE || raw_getppid() <= 0)
		return 2;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return CHILD_GOOD;
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
