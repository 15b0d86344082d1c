// SPDX-License-Identifier: GPL-2.0
/*
 * Tests guests in all kinds of calls while others make one executive after another crash. Arguments: the number of
 * crashes, and `open` for guests that continue meanwhile without the crashed executive.
 */
#include "stack.h"

#define KINDS 6

static uint64_t second;
static bool open_guests;

struct shared {
	volatile int stop;
	volatile long rounds[KINDS], wrong[KINDS];
};

/* Makes calls that Linux executes unless the executive that serves them is present. Returns a wrong result, or 0. */
static long check_call(int kind, long parent, const int *ends)
{
	char bytes[8];
	long got = 0;
	pid_t pid;

	switch (kind) {
	case 0:
		got = raw_getppid();
		return got == PROBE_VALUE || (open_guests && got == parent) ? 0 : got ?: -9999;
	case 1:
		return raw(SYS_getuid, 0, 0, 0);
	case 2:
		raw(SYS_write, ends[1], (long)"seven b", 7);
		got = raw(SYS_read, ends[0], (long)bytes, 8);
		return got == 7 ? 0 : got ?: -9999;
	case 3:
		got = own(1, OWN_WAIT, (long)(second / 1000), 0, 0);
		return got == LIMPET_ETIME || (open_guests && got == -ENOSYS) ? 0 : got ?: -9999;
	case 4:
		got = own(2, OWN_PRINT, 0, 0, 0);
		return !got || (open_guests && got == -ENOSYS) ? 0 : got;
	default:
		pid = fork();
		if (!pid)
			_exit(raw_getppid() ? CHILD_GOOD : 1);
		return child_wait(pid, 60) == CHILD_GOOD << 8 ? 0 : -9998;
	}
}

static void __attribute__((noreturn)) work(struct shared *s, int kind, long parent)
{
	int ends[2];

	if (pipe(ends))
		_exit(1);
	for (; !s->stop; s->rounds[kind]++) {
		const long wrong = check_call(kind, parent, ends);

		if (wrong && !s->wrong[kind])
			s->wrong[kind] = wrong;
	}
	_exit(CHILD_GOOD);
}

static bool all_work(const struct shared *s, const long *before)
{
	for (int i = 0; i < KINDS; i++)
		if (s->rounds[i] < before[i] + 2)
			return false;
	return true;
}

/* Checks that every kind of work continues. */
static void work_continues(const struct shared *s)
{
	long before[KINDS];

	for (int i = 0; i < KINDS; i++)
		before[i] = s->rounds[i];
	for (int i = 0; i < 3000 && !all_work(s, before); i++)
		pause_us(10000);
	EXPECT(all_work(s, before));
}

static void crash(int level)
{
	pid_t pid = fork();

	if (!pid) {
		own(level, OWN_FAULT, 0, 0, 0);
		_exit(0);
	}
	EXPECT(child_wait(pid, 60) >= 0);
}

int main(int argc, char **argv)
{
	static const char *const names[KINDS] = { "served",	  "passed",	  "pipes",
						  "waits in one", "moved in one", "children" };
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const int crashes = argc > 1 ? atoi(argv[1]) : 3;
	const long parent = getpid();
	pid_t pid[KINDS];

	open_guests = argc > 2;
	second = ticks_second();
	section("one executive after another crashes");
	for (int i = 0; i < KINDS; i++) {
		pid[i] = fork();
		if (!pid[i])
			work(s, i, parent);
	}
	work_continues(s);
	for (int i = 0; i < crashes; i++) {
		crash(i % LEVELS);
		if (i % 4 == 3)
			crash((i + 1) % LEVELS); /* a second crash shortly after the first */
		work_continues(s);
	}
	s->stop = 1;
	for (int i = 0; i < KINDS; i++)
		GOOD(pid[i]);
	for (int i = 0; i < KINDS; i++) {
		section(names[i]);
		EQUAL(s->wrong[i], 0);
	}
	return sections_finish();
}
