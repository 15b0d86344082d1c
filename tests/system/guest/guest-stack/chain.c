// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the events of stacked executives, their order, and the state of the guest. Arguments: the first executive of
 * the chain (0 or 1), and the number of processes that are killed.
 */
#include "stack.h"

#include <pthread.h>
#include <sys/time.h>

static int first;
static uint64_t seed = 1;

static void modes(long outer, long middle, long inner)
{
	const long to[LEVELS] = { outer, middle, inner };

	for (int i = LEVELS - 1; i >= first; i--)
		mode(i, to[i]);
}

#define MADE 200

static void check_counts(void)
{
	long before[LEVELS], after[LEVELS];

	section("each executive gets each call once");
	modes(PASS, PASS, PASS);
	for (int i = LEVELS - 1; i >= first; i--)
		before[i] = counter(i, CALLS);
	for (int i = 0; i < MADE; i++)
		raw_getppid();
	for (int i = LEVELS - 1; i >= first; i--)
		after[i] = counter(i, CALLS);
	for (int i = first; i < LEVELS; i++)
		EQUAL(after[i] - before[i], MADE + LEVELS - i);
}

static void check_order(void)
{
	long calls[LEVELS], results[LEVELS];

	section("calls come in order, results in reverse order");
	for (int round = 0; round < 20; round++) {
		modes(RECORD, RECORD, RECORD);
		EQUAL(raw(SYS_getpgid, 0, 0, 0), getpgid(0));
		for (int i = first; i < LEVELS; i++)
			mode(i, PASS); /* the results of the others no longer cause events */
		for (int i = first; i < LEVELS; i++) {
			calls[i] = counter(i, CALL_TIME);
			results[i] = counter(i, RESULT_TIME);
			EQUAL(counter(i, LAST), getpgid(0));
			EXPECT(results[i] > calls[i]);
		}
		for (int i = first + 1; i < LEVELS; i++) {
			EXPECT(calls[i] > calls[i - 1]);
			EXPECT(results[i] < results[i - 1]);
		}
	}
}

/* Makes a call, and checks that the registers of arguments keep their values. Returns the result. */
static long getppid_kept(void)
{
	register long r10 __asm__("r10") = 44;
	register long r8 __asm__("r8") = 55;
	register long r9 __asm__("r9") = 66;
	long rdi = 11, rsi = 22, rdx = 33, result;

	__asm__ volatile("syscall"
			 : "=a"(result), "+D"(rdi), "+S"(rsi), "+d"(rdx), "+r"(r10), "+r"(r8),
			   "+r"(r9)
			 : "0"(SYS_getppid)
			 : "rcx", "r11", "memory");
	if (rdi != 11 || rsi != 22 || rdx != 33 || r10 != 44 || r8 != 55 || r9 != 66)
		failed("registers of arguments have changed");
	return result;
}

static void check_answers(long parent)
{
	section("a call that one executive changes");
	for (int i = first; i < LEVELS; i++) {
		modes(RESULT, RESULT, RESULT);
		mode(i, CHANGE);
		for (int k = 0; k < 20; k++)
			EQUAL(getppid_kept(), getpid());
	}
	section("executives see the call as those before have changed it");
	modes(CHANGE, first ? CHANGE : RECORD, RECORD);
	EQUAL(getppid_kept(), getpid());
	for (int i = first; i < LEVELS; i++)
		mode(i, PASS);
	EQUAL(counter(2, NUMBER), SYS_getpid);
	EQUAL(counter(2, LAST), getpid());
	section("a call that one executive serves has its value for those before");
	for (int i = first; i < LEVELS; i++) {
		modes(RECORD, RECORD, RECORD);
		mode(i, SERVE);
		EQUAL(getppid_kept(), PROBE_VALUE);
		for (int k = first; k < LEVELS; k++)
			mode(k, PASS);
		for (int k = first; k < i; k++) {
			EQUAL(counter(k, NUMBER), SYS_getppid);
			EQUAL(counter(k, LAST), PROBE_VALUE);
		}
		EQUAL(getppid_kept(), parent);
	}
	section("a result that one executive replaces");
	for (int i = first; i < LEVELS; i++) {
		modes(RECORD, RECORD, RECORD);
		mode(i, REPLACE);
		EQUAL(getppid_kept(), PROBE_VALUE);
		for (int k = first; k < LEVELS; k++)
			mode(k, PASS);
		for (int k = first; k < LEVELS; k++)
			if (k != i)
				EQUAL(counter(k, LAST), k < i ? PROBE_VALUE : parent);
	}
	section("a handler thread that moves");
	for (int i = first; i < LEVELS; i++) {
		modes(RESULT, RESULT, RESULT);
		mode(i, MOVE);
		for (int k = 0; k < 20; k++)
			EQUAL(getppid_kept(), PROBE_VALUE);
	}
	section("kill: the process ends by SIGKILL in its call");
	for (int i = first; i < LEVELS; i++) {
		pid_t pid = fork();

		if (!pid) {
			modes(RESULT, RESULT, RESULT);
			mode(i, KILL);
			raw_getppid();
			_exit(3);
		}
		KILLED(pid, SIGKILL);
	}
}

/*
 * Tests that the earlier executives get the call again for each call of Linux, and later ones get the calls of Linux.
 */
static void check_linux(void)
{
	section("several calls of Linux, made by one executive");
	for (int i = first; i < LEVELS; i++)
		for (int k = 0; k < 4; k++) {
			const long to = k & 1 ? RESULT : PASS, behind = k & 2 ? RESULT : PASS;
			const long before = counter(LEVELS - 1, CALLS);

			modes(i > 0 ? to : behind, i > 1 ? to : behind, behind);
			EQUAL(own(i, OWN_CHAIN, 1, SYS_getpid, 0), getpid());
			EQUAL(own(i, OWN_CHAIN, 9, SYS_getpid, 0), 9 * getpid());
			if (i < LEVELS - 1)
				EXPECT(counter(LEVELS - 1, CALLS) >= before + 10);
		}
}

struct shared {
	volatile long signals, calls, done, id;
};
static struct shared *shared;

static void on_alarm(int signal)
{
	(void)signal;
	shared->signals++;
	shared->calls += raw(SYS_getpid, 0, 0, 0) == getpid();
}

static void signals_await(long more)
{
	const long end = shared->signals + more;
	const double limit = seconds() + 30;

	while (shared->signals < end && seconds() < limit)
		pause_us(1000);
	EXPECT(shared->signals >= end);
}

/* Tests that wakes of other executives, and signals, do not end the wait. */
static void wait_check(int level)
{
	const struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { { 0, 0 }, { 0, 0 } };
	pid_t pid;

	*shared = (struct shared){ .id = own(level, OWN_ID, 0, 0, 0) };
	modes(RESULT, RESULT, RESULT);
	own(level, OWN_WAIT, 1, 0, 0); /* consumes a pending wake */
	pid = fork();
	if (!pid) {
		signals_await(3);
		for (int i = first; i < LEVELS; i++)
			if (i != level)
				EQUAL(own(i, OWN_WAKE, shared->id, 0, 0), LIMPET_OK);
		signals_await(3);
		EXPECT(!shared->done);
		EQUAL(own(level, OWN_WAKE, shared->id, 0, 0), LIMPET_OK);
		child_exit();
	}
	mode(level, WAIT);
	setitimer(ITIMER_REAL, &often, NULL);
	EQUAL(getppid_kept(), PROBE_VALUE);
	shared->done = 1;
	setitimer(ITIMER_REAL, &never, NULL);
	mode(level, PASS);
	GOOD(pid);
	EQUAL(shared->calls, shared->signals);
}

static void check_waits(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	section("waits, signals, and wakes of others");
	for (int i = first; i < LEVELS; i++)
		wait_check(i);
	section("signals while each executive works");
	const uint64_t second = ticks_second();
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };

	modes(RESULT, RESULT, RESULT);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int k = 0; k < 10; k++)
		for (int i = first; i < LEVELS; i++)
			EQUAL(own(i, OWN_RUN, (long)(second / 100), 0, 0), 0);
	setitimer(ITIMER_REAL, &never, NULL);
}

/* Checks the levels that get calls of this thread. */
static void seen_by(bool outer, bool middle, bool inner)
{
	const bool seen[LEVELS] = { outer, middle, inner };

	for (int i = first; i < LEVELS; i++) {
		const long id = own(i, OWN_ID, 0, 0, 0);

		if (seen[i] ? id < 0 : id != -ENOSYS)
			failed("executive %d answers %ld", i, id);
	}
}

static void released_by(int level, long parent)
{
	mode(level, RELEASE);
	EQUAL(getppid_kept(), parent);
}

static void check_release(void)
{
	const long self = getpid();
	pid_t pid, child;

	section("an executive that releases the guest, which goes on with the others");
	modes(RESULT, PASS, RESULT);
	pid = fork();
	if (!pid) {
		seen_by(1, 1, 1);
		released_by(2, self);
		seen_by(1, 1, 0);
		child = fork();
		if (!child) {
			seen_by(1, 1, 0);
			child_exit();
		}
		GOOD(child);
		released_by(first, self);
		seen_by(0, !first, 0);
		if (!first)
			released_by(1, self);
		seen_by(0, 0, 0);
		EQUAL(getppid_kept(), self);
		child_exit();
	}
	GOOD(pid);
}

static void *thread_main(void *unused)
{
	for (int i = 0; i < 20; i++)
		raw_getppid();
	return unused;
}

#define CHILDREN 8

/* Returns whether this program is the only guest that each executive knows. */
static bool alone(void)
{
	for (int i = first; i < LEVELS; i++)
		if (counter(i, BEGINS) - counter(i, ENDS) != 1)
			return false;
	return true;
}

static void check_lives(char **argv)
{
	long begins[LEVELS], ends[LEVELS], executions[LEVELS];

	section("threads, processes, programs: each executive gets their events");
	modes(RESULT, SERVE, PASS);
	for (int i = first; i < LEVELS; i++) {
		begins[i] = counter(i, BEGINS);
		ends[i] = counter(i, ENDS);
		executions[i] = counter(i, EXECS);
	}
	for (int k = 0; k < CHILDREN; k++) {
		pid_t pid = fork();

		if (!pid) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, thread_main, NULL))
				_exit(1);
			pthread_join(thread, NULL);
			execl(argv[0], argv[0], "nothing", NULL);
			_exit(2);
		}
		GOOD(pid);
	}
	for (int i = first; i < LEVELS; i++) {
		for (int k = 0; k < 1000 && counter(i, ENDS) - ends[i] < 2 * CHILDREN; k++)
			pause_us(10000);
		EQUAL(counter(i, BEGINS) - begins[i], 2 * CHILDREN);
		EQUAL(counter(i, EXECS) - executions[i], CHILDREN);
		EQUAL(counter(i, ENDS) - ends[i], 2 * CHILDREN);
	}
}

#define RANGE(level) ((uint8_t *)0x200000000000 + ((long)(level) << 30))
#define RANGE_BYTES (16 * 4096l)

static void check_faults(void)
{
	long before[LEVELS];

	section("pages come from the executive that has made the range");
	modes(RESULT, PASS, RESULT);
	for (int i = first; i < LEVELS; i++)
		EQUAL(own(i, OWN_MAP, (long)RANGE(i), RANGE_BYTES, 1), 0);
	for (int i = first; i < LEVELS; i++) {
		for (int k = first; k < LEVELS; k++)
			before[k] = counter(k, FAULTS);
		for (int page = 0; page < 16; page++)
			EQUAL(*(volatile long *)(RANGE(i) + page * 4096l), page);
		EQUAL(raw(SYS_getrandom, (long)RANGE(i) + 8, 8, 0), 8);
		for (int k = first; k < LEVELS; k++)
			EQUAL(counter(k, FAULTS) - before[k], k == i ? 16 : 0);
	}
	section("an executive takes back pages of its own ranges only");
	for (int i = first; i < LEVELS; i++) {
		for (int k = first; k < LEVELS; k++)
			if (k != i)
				EQUAL(own(k, OWN_REVOKE, (long)RANGE(i), RANGE_BYTES, 0), 0);
		before[i] = counter(i, FAULTS);
		EQUAL(*(volatile long *)RANGE(i), 0);
		EQUAL(counter(i, FAULTS) - before[i], 0);
		EQUAL(own(i, OWN_REVOKE, (long)RANGE(i), RANGE_BYTES, 0), 0);
		EQUAL(*(volatile long *)RANGE(i), 0);
		EQUAL(counter(i, FAULTS) - before[i], 1);
		munmap(RANGE(i), RANGE_BYTES);
	}
}

static void __attribute__((noreturn)) victim(int kind)
{
	const uint64_t second = 1ull << 30;

	modes(kind & 1 ? RESULT : PASS, kind & 2 ? RESULT : PASS, kind & 4 ? MOVE : SERVE);
	for (;;) {
		raw_getppid();
		if (kind & 8)
			own(first + kind % (LEVELS - first), OWN_RUN, (long)(second / 1000), 0, 0);
		if (kind == 5)
			own(2, OWN_WAIT, -1, 0, 0);
	}
}

static void check_kills(long count)
{
	section("processes that are killed at any moment");
	modes(RESULT, PASS, PASS);
	for (long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (!pid)
			victim((int)(i % 16));
		pause_us((long)(random_next(&seed) % 8000));
		kill(pid, SIGKILL);
		KILLED(pid, SIGKILL);
	}
	for (int i = 0; i < 1000 && !alone(); i++)
		pause_us(10000);
	EXPECT(alone());
}

int main(int argc, char **argv)
{
	long parent;

	if (argc == 2)
		return CHILD_GOOD;
	first = argc > 1 ? atoi(argv[1]) : 0;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	section("the beginning");
	modes(PASS, PASS, PASS);
	parent = raw_getppid();
	EXPECT(parent > 0 && parent != PROBE_VALUE);
	check_counts();
	check_order();
	check_answers(parent);
	check_linux();
	check_waits();
	check_release();
	check_lives(argv);
	check_faults();
	check_kills(argc > 2 ? atol(argv[2]) : 20);
	section("violations that the executives saw");
	for (int i = first; i < LEVELS; i++)
		EQUAL(counter(i, BAD), 0);
	modes(PASS, SERVE, PASS);
	return sections_finish();
}
