// SPDX-License-Identifier: GPL-2.0
/*
 * Tests signals to a guest that makes all kinds of calls. Another process queues numbered real-time
 * signals, and a timer sends SIGALRM each millisecond. Each number must arrive once and in order.
 * Handlers make calls themselves, and all results must be correct. Argument: signals of each part.
 */
#include "tests/system/lib/guest.h"

#include <sys/time.h>

static volatile sig_atomic_t next, disorder, alarms, handler_wrong;
static volatile long handler_result, handler_wanted;
static uint64_t second;
static int stalls; /* calls that took longer than half of the time limit for an answer */

#define STALL 0.05 /* seconds */

static void handle_numbered(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_value.sival_int != next)
		disorder = 1;
	next = info->si_value.sival_int + 1;
	handler_result = raw_getppid();
	if (handler_result != handler_wanted)
		handler_wrong = 1;
}

static void handle_alarm(int signal)
{
	(void)signal;
	alarms++;
	if (raw_getppid() != handler_wanted)
		handler_wrong = 1;
}

/* Sends `count` signals to the parent, at random intervals. */
static void __attribute__((noreturn)) sender(pid_t to, int count)
{
	uint64_t seed = 11;

	probe_mode(PASS);
	for (int i = 0; i < count; i++) {
		while (sigqueue(to, SIGRTMIN, (union sigval){ .sival_int = i }))
			sched_yield();
		pause_us((long)(random_next(&seed) % 1500) + 200);
	}
	_exit(CHILD_GOOD);
}

static long parent, self;
static int ends[2];

enum {
	DO_SERVE,
	DO_PASS,
	DO_RESULT,
	DO_CHANGE,
	DO_REPLACE,
	DO_MOVE,
	DO_RUN,
	DO_WAIT,
	DO_READ,
	DO_BLOCK,
	DO_COUNT
};

static const struct {
	const char *name;
	long mode, wanted;
} parts[DO_COUNT] = {
	{ "served", SERVE, PROBE_VALUE },
	{ "passed", PASS, 0 },
	{ "results", RESULT, 0 },
	{ "changed", CHANGE, -1 },
	{ "replaced", REPLACE, PROBE_VALUE },
	{ "moved to the host thread", MOVE, PROBE_VALUE },
	{ "the executive runs for 300 us", SERVE, PROBE_VALUE },
	{ "the executive waits for 300 us", SERVE, PROBE_VALUE },
	{ "a system call with a result, of a pipe", RESULT, 0 },
	{ "a call that blocks and starts again", RESULT, 0 },
};

/* Makes one call. Its result must be correct independent of signals. */
static void one(int part)
{
	char bytes[16];

	switch (part) {
	case DO_RUN:
		EQUAL(probe_run(second * 3 / 10000), 0);
		break;
	case DO_WAIT:
		EQUAL(probe_wait(second * 3 / 10000, 0), LIMPET_ETIME);
		break;
	case DO_READ:
		EQUAL(raw(SYS_write, ends[1], (long)"twelve bytes", 12), 12);
		EQUAL(raw(SYS_read, ends[0], (long)bytes, 16), 12);
		EXPECT(!memcmp(bytes, "twelve bytes", 12));
		break;
	case DO_BLOCK: {
		struct timespec left = { 0, 2000000 };

		/* The call is not restarted. It returns EINTR with the remaining time. */
		while (raw(SYS_nanosleep, (long)&left, (long)&left, 0) == -EINTR)
			EXPECT(left.tv_sec == 0);
		break;
	}
	default:
		EQUAL(raw_getppid(), handler_wanted);
	}
}

static void check_part(int part, int count, int flags)
{
	struct sigaction numbered = { .sa_sigaction = handle_numbered,
				      .sa_flags = SA_SIGINFO | flags };
	struct sigaction alarmed = { .sa_handler = handle_alarm, .sa_flags = flags };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	pid_t pid;
	const double end = seconds() + 30;

	next = disorder = alarms = handler_wrong = 0;
	probe_mode(parts[part].mode);
	handler_wanted = parts[part].wanted > 0 ? parts[part].wanted
			 : parts[part].wanted	? self
						: parent;
	sigaction(SIGRTMIN, &numbered, NULL);
	sigaction(SIGALRM, &alarmed, NULL);
	pid = fork();
	if (!pid)
		sender((pid_t)self, count);
	if (part != DO_WAIT) /* the call is repeated with its whole time after each signal */
		setitimer(ITIMER_REAL, &every, NULL);
	do {
		const double start = seconds();

		one(part);
		stalls += seconds() > start + STALL;
	} while (next < count && seconds() < end);
	setitimer(ITIMER_REAL, &none, NULL);
	GOOD(pid);
	EQUAL(next, count);
	EQUAL(disorder, 0);
	if (handler_wrong)
		failed("a handler's getppid returned %ld, not %ld", handler_result, handler_wanted);
	EXPECT(alarms > 0 || part == DO_WAIT);
}

int main(int argc, char **argv)
{
	static char names[2 * DO_COUNT][80];
	const int count = argc > 1 ? atoi(argv[1]) : 100;

	second = ticks_second();
	self = getpid();
	probe_mode(PASS);
	parent = raw_getppid();
	EXPECT(!pipe(ends));
	for (int i = 0; i < 2 * DO_COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "%s, %s SA_RESTART", parts[i / 2].name,
			 i & 1 ? "with" : "without");
		section(names[i]);
		check_part(i / 2, count, i & 1 ? SA_RESTART : 0);
	}
	probe_mode(SERVE);
	probe_check_stalled(stalls);
	return sections_finish();
}
