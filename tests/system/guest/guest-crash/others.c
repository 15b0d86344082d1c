// SPDX-License-Identifier: GPL-2.0
/*
 * Tests guests in all kinds of calls while another guest makes the executive crash. Their calls are repeated or
 * continue, and their results are correct. Argument: the number of crashes.
 */
#include "tests/system/lib/guest.h"

static uint64_t second;

/* WAITS waits without limit. Only the crash ends this wait, because the restarted executive serves the call. */
enum { SERVED, RUNS, SLEEPS, MOVED, PASSED, WAITS, KINDS };

struct shared {
	volatile int stop;
	volatile long rounds[KINDS], wrong[KINDS];
};

static void work(struct shared *s, int kind)
{
	int ends[2];
	char bytes[8];

	EXPECT(!pipe(ends));
	for (; !s->stop; s->rounds[kind]++) {
		long got = 0, wanted = 0;

		switch (kind) {
		case SERVED:
			got = raw_getppid();
			wanted = PROBE_VALUE;
			break;
		case RUNS:
			got = probe_run(second / 2000);
			break;
		case SLEEPS:
			got = probe_wait(second / 1000, 0);
			wanted = LIMPET_ETIME;
			break;
		case MOVED:
			got = raw(508, 0, 0, 0);
			break;
		case WAITS:
			probe_mode(WAIT);
			got = raw_getppid();
			wanted = PROBE_VALUE;
			break;
		default:
			raw(SYS_write, ends[1], (long)"seven b", 7);
			got = raw(SYS_read, ends[0], (long)bytes, 8);
			wanted = 7;
			break;
		}
		if (got != wanted && !s->wrong[kind])
			s->wrong[kind] = got ? got : -9999;
	}
	_exit(CHILD_GOOD);
}

static bool all_work(const struct shared *s)
{
	for (int i = 0; i < WAITS; i++)
		if (s->rounds[i] <= 5)
			return false;
	return true;
}

static void await_waiting(pid_t pid)
{
	for (int k = 0; k < 2000 && task_state(pid) != 'S'; k++)
		pause_us(10000);
}

int main(int argc, char **argv)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static const char *const names[] = { "served", "runs in the executive", "sleeps", "moved",
					     "passed", "waits without limit" };
	const int crashes = argc > 1 ? atoi(argv[1]) : 5;
	pid_t pid[KINDS];

	second = ticks_second();
	section("the executive crashes again and again");
	for (int i = 0; i < KINDS; i++) {
		pid[i] = fork();
		if (!pid[i])
			work(s, i);
	}
	for (int i = 0; i < crashes && !section_failures; i++) {
		const long waited = s->rounds[WAITS];
		pid_t crasher;

		await_waiting(pid[WAITS]);
		crasher = fork();
		if (!crasher) {
			probe_fault();
			_exit(0);
		}
		for (int k = 0; k < 2000 && s->rounds[WAITS] == waited; k++)
			pause_us(10000);
		EXPECT(s->rounds[WAITS] > waited);
		kill(crasher, SIGKILL);
		EXPECT(child_wait(crasher, 10) >= 0);
		for (int k = 0; k < 2000 && raw_getppid() != PROBE_VALUE; k++)
			pause_us(10000);
		pause_us(20000);
	}
	for (int i = 0; i < 1000 && !all_work(s); i++)
		pause_us(10000);
	kill(pid[WAITS], SIGKILL);
	KILLED(pid[WAITS], SIGKILL);
	s->stop = 1;
	for (int i = 0; i < WAITS; i++)
		GOOD(pid[i]);
	for (int i = 0; i < KINDS; i++) {
		section(names[i]);
		EQUAL(s->wrong[i], 0);
		EXPECT(s->rounds[i] >= (i == WAITS ? crashes : 6));
	}
	return sections_finish();
}
