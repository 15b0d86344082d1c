// SPDX-License-Identifier: GPL-2.0
/* Tests GUEST_WAIT and GUEST_WAKE. Argument: rounds of two guests that wake each other. */
#include "tests/system/lib/guest.h"

static uint64_t second;

struct shared {
	volatile long id[2];
	volatile long turns[2];
	volatile long errors;
};

/* Waits with a deadline until the other guest has set `turn`. A wake can come before the wait. */
static void play(struct shared *s, int self, long rounds)
{
	s->id[self] = probe_id();
	while (s->id[!self] < 0)
		sched_yield();
	for (long i = 0; i < rounds; i++) {
		s->turns[self] = i + 1;
		if (probe_wake(s->id[!self]) != LIMPET_OK)
			s->errors++;
		while (s->turns[!self] <= i)
			if (probe_wait(second * 10, 0) != LIMPET_OK)
				s->errors++;
	}
}

static void check_both(long rounds)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	section("two guests wake each other in turn");
	s->id[0] = s->id[1] = -1;
	pid = fork();
	if (!pid) {
		play(s, 1, rounds);
		probe_wait(1, 0); /* an earlier wake can be pending */
		probe_wait(second / 2, 0);
		child_exit();
	}
	play(s, 0, rounds);
	GOOD(pid);
	EQUAL(s->errors, 0);
	EQUAL(s->turns[0], rounds);
	EQUAL(s->turns[1], rounds);
	probe_wait(1, 0);
}

static void check_deadlines(uint64_t early)
{
	uint64_t worst = 0, min = ~0ull;

	for (int i = 0; i < 20; i++) {
		const uint64_t ticks = second / 1000 * (uint64_t)(i % 5), begin = ticks_now();

		EQUAL(probe_wait(ticks, early), LIMPET_ETIME);
		const uint64_t took = ticks_now() - begin;

		EXPECT(took >= ticks);
		worst = took - ticks > worst ? took - ticks : worst;
		min = took - ticks < min ? took - ticks : min;
	}
	if (worst > second * 10) /* the machine can pause for a second or two */
		failed("%lu us late", worst * 1000000 / second);
	if (min > second / 100)
		failed("always %lu us late or more", min * 1000000 / second);
}

static void check_wakes(void)
{
	uint64_t begin;
	pid_t pid;
	const long id = probe_id();

	section("a wake that comes before the wait ends it");
	EQUAL(probe_wake(id), LIMPET_OK);
	EQUAL(probe_wait(~0ull, 0), LIMPET_OK);
	section("only once");
	EQUAL(probe_wait(second / 100, 0), LIMPET_ETIME);
	section("a guest that does not exist");
	EQUAL(probe_wake(LIMPET_GUESTS_MAX - 1), LIMPET_ENOENT);
	EQUAL(probe_wake(-1), LIMPET_ENOENT);
	EQUAL(probe_wake(LIMPET_GUESTS_MAX), LIMPET_ENOENT);
	section("early is a millisecond at most");
	EQUAL(probe_wait(second, second / 500), LIMPET_ERANGE);
	section("a child wakes its parent, which waits for ever");
	begin = ticks_now();
	pid = fork();
	if (!pid) {
		pause_us(100000);
		EQUAL(probe_wake(id), LIMPET_OK);
		child_exit();
	}
	EQUAL(probe_wait(~0ull, 0), LIMPET_OK);
	EXPECT(ticks_now() - begin >= second / 11);
	GOOD(pid);
	section("a guest that has ended cannot be woken");
	int ids[2];
	long other = -1;

	EQUAL(pipe(ids), 0);
	pid = fork();
	if (!pid) {
		other = probe_id();
		_exit(write(ids[1], &other, sizeof(other)) == sizeof(other) ? CHILD_GOOD : 1);
	}
	GOOD(pid);
	EQUAL(read(ids[0], &other, sizeof(other)), sizeof(other));
	for (int i = 0; i < 1000 && probe_wake(other) != LIMPET_ENOENT; i++)
		pause_us(10000); /* the event END may come later */
	EQUAL(probe_wake(other), LIMPET_ENOENT);
}

static void check_waiting_mode(void)
{
	int ids[2];
	long other = -1;
	pid_t pid;

	section("mode wait: the call is served when the guest is woken");
	EQUAL(pipe(ids), 0);
	pid = fork();
	if (!pid) {
		other = probe_id();
		EXPECT(write(ids[1], &other, sizeof(other)) == sizeof(other));
		probe_mode(WAIT);
		EQUAL(raw_getppid(), PROBE_VALUE);
		child_exit();
	}
	EQUAL(read(ids[0], &other, sizeof(other)), sizeof(other));
	pause_us(50000);
	EQUAL(child_wait(pid, 0.05), -1);
	EQUAL(probe_wake(other), LIMPET_OK);
	GOOD(pid);
}

int main(int argc, char **argv)
{
	second = ticks_second();
	section("deadlines: never early");
	check_deadlines(0);
	section("deadlines with the end waited out: never early");
	check_deadlines(second / 20000);
	check_wakes();
	check_waiting_mode();
	check_both(argc > 1 ? atol(argv[1]) : 100);
	probe_check();
	return sections_finish();
}
