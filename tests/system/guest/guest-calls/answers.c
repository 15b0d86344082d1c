// SPDX-License-Identifier: GPL-2.0
/* Checks the effect of each answer of the executive on the guest and on the counters. Every call is counted. */
#include "tests/system/lib/guest.h"

/* Returns the number of calls that the executive has got, without the call that reads this number. */
static long calls(void)
{
	return probe_counter(CALLS) - 1;
}

static void check_counts(void)
{
	long before, results;

	section("every call is counted once");
	before = calls();
	for (int i = 0; i < 100; i++)
		raw_getppid();
	EQUAL(calls() - before, 100 + 1);
	section("results are seen, and only of calls that ask for it");
	probe_mode(RESULT);
	results = probe_counter(RESULTS);
	for (int i = 0; i < 100; i++)
		raw(SYS_getuid, 0, 0, 0);
	EQUAL(probe_counter(RESULTS) - results, 100);
	probe_mode(PASS);
	results = probe_counter(RESULTS);
	for (int i = 0; i < 100; i++)
		raw(SYS_getuid, 0, 0, 0);
	EQUAL(probe_counter(RESULTS) - results, 0);
}

static void check_modes(void)
{
	pid_t pid;

	section("a child inherits the mode");
	probe_mode(SERVE);
	pid = fork();
	if (!pid) {
		EQUAL(raw_getppid(), PROBE_VALUE);
		EQUAL(probe_mode(PASS), SERVE);
		child_exit();
	}
	GOOD(pid);
	EQUAL(raw_getppid(), PROBE_VALUE);
	section("unknown modes are refused");
	EQUAL(probe_mode(99), -EINVAL);
	EQUAL(raw(500, SERVE, 2, 0), -EINVAL);
	section("pass: a child has its parent");
	probe_mode(PASS);
	const pid_t self = getpid();

	pid = fork();
	if (!pid) {
		EQUAL(raw_getppid(), self);
		child_exit();
	}
	GOOD(pid);
}

static void check_ends(void)
{
	pid_t pid;
	long guests;

	section("release: the call is carried out, and later ones are not seen");
	guests = calls();
	const pid_t self = getpid();

	pid = fork();
	if (!pid) {
		probe_mode(RELEASE);
		EQUAL(raw_getppid(), self);
		EQUAL(raw_getppid(), self);
		EQUAL(raw(499, 0, 0, 0), -ENOSYS);
		child_exit();
	}
	GOOD(pid);
	EXPECT(calls() > guests);
	section("kill: the process ends by SIGKILL in its call");
	pid = fork();
	if (!pid) {
		probe_mode(KILL);
		raw_getppid();
		_exit(3);
	}
	KILLED(pid, SIGKILL);
	section("moved: the console has the line");
	EQUAL(raw(508, 0, 0, 0), 0);
}

int main(void)
{
	section("an id");
	EXPECT(probe_id() >= 0 && probe_id() < LIMPET_GUESTS_MAX);
	check_counts();
	check_modes();
	check_ends();
	probe_mode(SERVE);
	probe_check();
	return sections_finish();
}
