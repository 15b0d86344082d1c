// SPDX-License-Identifier: GPL-2.0
/*
 * Tests SIGNAL and EXCEPTION of a guest with several executives. Each executive gets each event once and in order, and
 * each answer has its effect. Arguments: the first executive of the chain (0 or 1), and rounds. Argument `again` tests
 * executives that never answer.
 */
#include "stack.h"

#include "tests/system/lib/guest_notes.h"

#include <sys/time.h>

#define ALL (-1l)
#define INVALID_BYTES 2

static int first;
static volatile int handled;
static volatile int *interrupted; /* set by the handler; shared with children */
static volatile long handled_skip;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	handled++;
	*interrupted = 1;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += handled_skip;
}

static void handle_on(int signal, long skip)
{
	sigaction(signal, &(struct sigaction){ .sa_sigaction = handle, .sa_flags = SA_SIGINFO },
		  NULL);
	handled = 0;
	handled_skip = skip;
}

static void modes(long to)
{
	for (int i = LEVELS - 1; i >= first; i--)
		mode(i, to);
}

/* Sets the answers of an executive to exceptions and signals. */
static void treat(int level, long exception, long signal)
{
	EQUAL(own(level, OWN_TREAT, exception, INVALID_BYTES, signal), 0);
}

static void treat_all(long exception, long signal)
{
	for (int i = first; i < LEVELS; i++)
		treat(i, exception, signal);
}

static void faults_all(long signals)
{
	for (int i = first; i < LEVELS; i++)
		EQUAL(own(i, OWN_FAULTS, signals, 0, 0), 0);
}

static __attribute__((noinline)) long invalid(void)
{
	long value = 77;

	__asm__ volatile("ud2" : "+a"(value));
	return value;
}

/* --- each executive's notes of this thread, without the test's own calls */

static struct note noted[LEVELS][64];
static long noted_count[LEVELS], noted_from[LEVELS];

static void noting_begin(void)
{
	for (int i = LEVELS - 1; i >= first; i--)
		noted_from[i] = own(i, OWN_NOTING, 1, 0, 0);
}

static bool is_own(const struct note *n)
{
	if (LIMPET_GUEST_KIND(n->event) != LIMPET_GUEST_CALL &&
	    LIMPET_GUEST_KIND(n->event) != LIMPET_GUEST_RESULT)
		return false;
	for (int i = 0; i < LEVELS; i++)
		if (n->word[0] - (uint64_t)(own_first[i] + OWN_CHAIN) < OWN_REVOKE - OWN_CHAIN + 1)
			return true;
	return false;
}

static void noting_end(void)
{
	for (int i = first; i < LEVELS; i++)
		own(i, OWN_NOTING, 0, 0, 0);
	for (int i = first; i < LEVELS; i++) {
		const uint32_t id = (uint32_t)own(i, OWN_ID, 0, 0, 0);
		const long got = own(i, OWN_NOTES, noted_from[i], (long)note, NOTES_MAX);

		noted_count[i] = 0;
		for (long k = 0; k < got && noted_count[i] < 64; k++)
			if (LIMPET_GUEST_ID(note[k].event) == id && !is_own(&note[k]))
				noted[i][noted_count[i]++] = note[k];
	}
}

/* Checks the kinds of events that an executive has noted. */
static void noted_are(int level, int line, int count, const unsigned int *kinds)
{
	bool same = noted_count[level] == count;

	for (int k = 0; same && k < count; k++)
		same = LIMPET_GUEST_KIND(noted[level][k].event) == kinds[k];
	if (!same)
		failed("line %d: executive %d has %ld events: %u %u %u %u, not %d", line, level,
		       noted_count[level], LIMPET_GUEST_KIND(noted[level][0].event),
		       LIMPET_GUEST_KIND(noted[level][1].event),
		       LIMPET_GUEST_KIND(noted[level][2].event),
		       LIMPET_GUEST_KIND(noted[level][3].event), count);
}
#define NOTED(level, ...)                                                                          \
	noted_are(level, __LINE__,                                                                 \
		  sizeof((const unsigned int[]){ __VA_ARGS__ }) / sizeof(unsigned int),            \
		  (const unsigned int[]){ __VA_ARGS__ })

enum {
	CALL = LIMPET_GUEST_CALL,
	RESULT_ = LIMPET_GUEST_RESULT,
	SIGNAL = LIMPET_GUEST_SIGNAL,
	EXCEPTION = LIMPET_GUEST_EXCEPTION
};

/* Checks that event `at` came to the executives in order, or in reverse order. */
static void in_order(int at, bool reverse)
{
	for (int i = first + 1; i < LEVELS; i++)
		EXPECT(reverse ? noted[i][at].time < noted[i - 1][at].time
			       : noted[i][at].time > noted[i - 1][at].time);
}

/* --- SIGNAL */

static void check_signals(int rounds)
{
	section("each executive gets each signal once, in order, and before its handler");
	modes(PASS);
	handle_on(SIGUSR1, 0);
	for (int k = 0; k < rounds; k++) {
		noting_begin();
		raise(SIGUSR1);
		noting_end();
		EQUAL(handled, k + 1);
		for (int i = first; i < LEVELS; i++) {
			const long end = noted_count[i];

			EXPECT(end >= 3);
			EQUAL(LIMPET_GUEST_KIND(noted[i][end - 2].event), SIGNAL);
			EQUAL(LIMPET_GUEST_SIGNAL_NUMBER(noted[i][end - 2].word[0]), SIGUSR1);
			EQUAL(noted[i][end - 1].word[0], SYS_rt_sigreturn);
		}
	}
}

static void check_order(int rounds)
{
	section("the call's results come first, in reverse order, and then the signal");
	handle_on(SIGUSR1, 0);
	for (int k = 0; k < rounds; k++) {
		modes(RESULT);
		noting_begin();
		EQUAL(raw(SYS_tgkill, getpid(), raw(SYS_gettid, 0, 0, 0), SIGUSR1), 0);
		noting_end();
		modes(PASS);
		for (int i = first; i < LEVELS; i++) {
			NOTED(i, CALL, RESULT_, CALL, RESULT_, CALL, RESULT_, SIGNAL, CALL);
			EQUAL(noted[i][7].word[0], SYS_rt_sigreturn);
		}
		in_order(4, false);
		in_order(5, true);
		in_order(6, false);
		in_order(7, false);
	}
	EQUAL(handled, rounds);
}

/* Waits until a process sleeps in read() of a pipe. */
static bool reads_within(pid_t pid, double limit)
{
	char path[40], where[80];
	const double end = seconds() + limit;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	while (seconds() < end) {
		const int file = open(path, O_RDONLY);
		const ssize_t got = read(file, where, sizeof(where) - 1);

		close(file);
		where[got > 0 ? got : 0] = 0;
		if (strstr(where, "pipe_read"))
			return true;
		pause_us(1000);
	}
	return false;
}

/* Interrupts the read() of its parent, and writes after the parent's handler has run. */
static void interrupt_parent(int to)
{
	if (!reads_within(getppid(), 20) || kill(getppid(), SIGALRM))
		_exit(2);
	for (int k = 0; k < 2000 && !*interrupted; k++)
		pause_us(10000);
	_exit(write(to, "x", 1) == 1 ? CHILD_GOOD : 1);
}

static void check_interrupted(int flags)
{
	int ends[2];
	char byte;
	pid_t pid;

	section(flags ? "a call that restarts is a new call for each executive"
		      : "a call that a signal interrupts");
	EQUAL(pipe(ends), 0);
	handled = 0;
	*interrupted = 0;
	handled_skip = 0;
	sigaction(SIGALRM,
		  &(struct sigaction){ .sa_sigaction = handle, .sa_flags = SA_SIGINFO | flags },
		  NULL);
	modes(RESULT);
	pid = fork();
	if (!pid)
		interrupt_parent(ends[1]);
	noting_begin();
	const long got = raw(SYS_read, ends[0], (long)&byte, 1);

	noting_end();
	modes(PASS);
	GOOD(pid);
	EQUAL(got, flags ? 1 : -EINTR);
	EQUAL(handled, 1);
	for (int i = first; i < LEVELS; i++) {
		int alarm_ends = 0;

		for (long k = 0; k + 2 < noted_count[i]; k++) {
			const struct note *n = &noted[i][k];

			if (LIMPET_GUEST_KIND(n->event) != RESULT_ || n->word[0] != SYS_read ||
			    !n->word[2])
				continue;
			alarm_ends++;
			EQUAL(n->word[1], -EINTR);
			EQUAL(LIMPET_GUEST_KIND(n[1].event), SIGNAL);
			EQUAL(n[2].word[0], SYS_rt_sigreturn);
			if (flags)
				EQUAL(n[3].word[0], SYS_read);
		}
		EQUAL(alarm_ends, 1);
	}
	close(ends[0]);
	close(ends[1]);
}

/*
 * Tests more consecutive stops than events can be queued. The process does not reach its executives between two stops.
 */
#define STOPS (LIMPET_GUEST_SIGNALS + 4)

static bool is_stopped(pid_t pid)
{
	for (int k = 0; k < 2000 && task_state(pid) != 'T'; k++)
		pause_us(10000);
	return task_state(pid) == 'T';
}

static void check_missed(void)
{
	const struct sched_param high = { .sched_priority = 1 }, none = { 0 };
	pid_t pid;

	section("signals that do not fit into the queue are counted");
	pid = fork();
	if (!pid) {
		handle_on(SIGUSR1, 0);
		noting_begin();
		raise(SIGSTOP);
		raise(SIGUSR1);
		noting_end();
		for (int i = first; i < LEVELS; i++) {
			int stops = 0, missed = 0, users = 0;

			for (long k = 0; k < noted_count[i]; k++) {
				const uint64_t word = noted[i][k].word[0];

				if (LIMPET_GUEST_KIND(noted[i][k].event) != SIGNAL)
					continue;
				missed += (int)LIMPET_GUEST_SIGNAL_MISSED(word);
				if (LIMPET_GUEST_SIGNAL_NUMBER(word) == SIGUSR1)
					users++;
				else
					stops += LIMPET_GUEST_SIGNAL_FATE(word) ==
						 LIMPET_GUEST_STOPPED;
				if (LIMPET_GUEST_SIGNAL_NUMBER(word) != SIGUSR1)
					EQUAL(missed, 0);
			}
			EQUAL(stops, LIMPET_GUEST_SIGNALS);
			EQUAL(missed, STOPS - LIMPET_GUEST_SIGNALS);
			EQUAL(users, 1);
		}
		child_exit();
	}
	/* The process is on this thread's CPU, so it does not run between SIGCONT and SIGSTOP. */
	EQUAL(sched_setscheduler(0, SCHED_FIFO, &high), 0);
	for (int k = 1; k < STOPS; k++) {
		EXPECT(is_stopped(pid));
		kill(pid, SIGCONT);
		kill(pid, SIGSTOP);
	}
	EXPECT(is_stopped(pid));
	kill(pid, SIGCONT);
	EQUAL(sched_setscheduler(0, SCHED_OTHER, &none), 0);
	GOOD(pid);
}

/* --- answers */

static void check_signal_answers(void)
{
	section("an executive that waits or moves in SIGNAL");
	handle_on(SIGUSR1, 0);
	for (int i = first; i < LEVELS; i++)
		for (long way = TREAT_WAIT; way <= TREAT_MOVE; way++) {
			const long before = counter(LEVELS - 1, SIGNALS);

			treat_all(TREAT_PASS, TREAT_PASS);
			treat(i, TREAT_PASS, way);
			handled = 0;
			raise(SIGUSR1);
			EQUAL(handled, 1);
			EQUAL(counter(LEVELS - 1, SIGNALS), before + 1);
		}
	treat_all(TREAT_PASS, TREAT_PASS);
	section("KILL in SIGNAL");
	for (int i = first; i < LEVELS; i++) {
		pid_t pid = fork();

		if (!pid) {
			treat(i, TREAT_PASS, TREAT_KILL);
			raise(SIGUSR1);
			_exit(1);
		}
		KILLED(pid, SIGKILL);
	}
	section("RELEASE in SIGNAL: the others get further signals");
	for (int i = first; i < LEVELS; i++) {
		pid_t pid = fork();

		if (!pid) {
			long before[LEVELS];

			treat(i, TREAT_PASS, TREAT_RELEASE);
			handled = 0;
			raise(SIGUSR1);
			EQUAL(handled, 1);
			for (int k = first; k < LEVELS; k++)
				before[k] = counter(k, SIGNALS);
			raise(SIGUSR1);
			raise(SIGUSR1);
			EQUAL(handled, 3);
			for (int k = first; k < LEVELS; k++)
				EQUAL(counter(k, SIGNALS), k == i ? -ENOSYS : before[k] + 2);
			child_exit();
		}
		GOOD(pid);
	}
}

/* --- EXCEPTION */

static void check_exceptions(int rounds)
{
	section("an exception that is passed: each executive gets it, then the signal");
	modes(PASS);
	handle_on(SIGILL, INVALID_BYTES);
	for (int k = 0; k < rounds; k++) {
		faults_all(ALL);
		treat_all(k & 1 ? TREAT_CHANGE : TREAT_PASS, TREAT_PASS);
		noting_begin();
		EQUAL(invalid(), 77);
		noting_end();
		for (int i = first; i < LEVELS; i++) {
			NOTED(i, EXCEPTION, SIGNAL, CALL);
			EQUAL(noted[i][0].word[0], SIGILL);
			EQUAL(noted[i][0].word[3], 6);
			EQUAL(noted[i][2].word[0], SYS_rt_sigreturn);
		}
		in_order(0, false);
		in_order(1, false);
		EXPECT(noted[first][1].time > noted[LEVELS - 1][0].time);
	}
	EQUAL(handled, rounds);
	section("an exception that one executive serves does not reach those behind it");
	for (int i = first; i < LEVELS; i++) {
		handled = 0;
		treat_all(TREAT_CHANGE, TREAT_PASS);
		treat(i, TREAT_SERVE, TREAT_PASS);
		noting_begin();
		EQUAL(invalid(), PROBE_VALUE);
		noting_end();
		EQUAL(handled, 0);
		for (int k = first; k < LEVELS; k++)
			EQUAL(noted_count[k], k <= i);
	}
	section("each executive has its own filter of exceptions");
	for (int i = first; i < LEVELS; i++) {
		handled = 0;
		treat_all(TREAT_PASS, TREAT_PASS);
		faults_all(0);
		EQUAL(own(i, OWN_FAULTS, 1l << SIGILL, 0, 0), 0);
		noting_begin();
		EQUAL(invalid(), 77);
		noting_end();
		EQUAL(handled, 1);
		for (int k = first; k < LEVELS; k++)
			EQUAL(LIMPET_GUEST_KIND(noted[k][0].event), k == i ? EXCEPTION : SIGNAL);
	}
	faults_all(ALL);
}

static void check_exception_answers(void)
{
	section("an executive that waits or moves in EXCEPTION");
	handle_on(SIGILL, INVALID_BYTES);
	for (int i = first; i < LEVELS; i++)
		for (long way = TREAT_WAIT; way <= TREAT_MOVE; way++) {
			treat_all(TREAT_PASS, TREAT_PASS);
			treat(i, way, TREAT_PASS);
			EQUAL(invalid(), 77);
		}
	EQUAL(handled, 2 * (LEVELS - first));
	treat_all(TREAT_PASS, TREAT_PASS);
	section("KILL in EXCEPTION");
	for (int i = first; i < LEVELS; i++) {
		pid_t pid = fork();

		if (!pid) {
			faults_all(ALL);
			treat(i, TREAT_KILL, TREAT_PASS);
			invalid();
			_exit(1);
		}
		KILLED(pid, SIGKILL);
	}
	section("RELEASE in EXCEPTION: the signal is delivered, and the others go on");
	for (int i = first; i < LEVELS; i++) {
		pid_t pid = fork();

		if (!pid) {
			long before[LEVELS];

			faults_all(ALL);
			treat_all(TREAT_PASS, TREAT_PASS);
			treat(i, TREAT_RELEASE, TREAT_PASS);
			handled = 0;
			EQUAL(invalid(), 77);
			EQUAL(handled, 1);
			for (int k = first; k < LEVELS; k++)
				before[k] = counter(k, EXCEPTIONS);
			EQUAL(invalid(), 77);
			for (int k = first; k < LEVELS; k++)
				EQUAL(counter(k, EXCEPTIONS), k == i ? -ENOSYS : before[k] + 1);
			child_exit();
		}
		GOOD(pid);
	}
}

static int serving_level;

static void handle_alarm(int signal)
{
	(void)signal;
	handled++;
	treat(serving_level, TREAT_SERVE, TREAT_PASS);
}

/* Returns the number of events of a kind that executive `i` has noted. */
static int noted_kind(int i, unsigned int kind)
{
	int count = 0;

	for (long k = 0; k < noted_count[i]; k++)
		count += LIMPET_GUEST_KIND(noted[i][k].event) == kind;
	return count;
}

/* Returns whether the first executive saw the exception before the signal. */
static bool exception_first(void)
{
	long k = 0;
	unsigned int kind = 0;

	while (k < noted_count[first] && kind != LIMPET_GUEST_SIGNAL &&
	       kind != LIMPET_GUEST_EXCEPTION)
		kind = LIMPET_GUEST_KIND(noted[first][k++].event);
	return kind == LIMPET_GUEST_EXCEPTION;
}

/*
 * Executes an invalid instruction, whose event executive `serving_level` does not answer, and gets a signal `us` later.
 * Returns false if the signal came before the exception, as it can on a loaded machine.
 */
static bool exception_interrupted(int us)
{
	const struct itimerval once = { { 0, 0 }, { 0, us } };

	treat_all(TREAT_PASS, TREAT_PASS);
	treat(serving_level, TREAT_SPIN, TREAT_PASS);
	handled = 0;
	noting_begin();
	setitimer(ITIMER_REAL, &once, NULL);
	EQUAL(invalid(), PROBE_VALUE);
	noting_end();
	EQUAL(handled, 1);
	return exception_first();
}

/*
 * Tests an executive that does not answer. A signal is handled, and then the event is sent again, also to earlier
 * executives.
 */
static void check_again(void)
{
	section("a signal comes before the answer to EXCEPTION");
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = handle_alarm }, NULL);
	for (serving_level = first; serving_level < LEVELS; serving_level++) {
		int us = 30000;

		while (!exception_interrupted(us) && us < 500000)
			us *= 2;
		for (int i = first; i < LEVELS; i++) {
			EQUAL(noted_kind(i, LIMPET_GUEST_SIGNAL), 1);
			EQUAL(noted_kind(i, LIMPET_GUEST_EXCEPTION), i <= serving_level ? 2 : 0);
		}
	}
}

int main(int argc, char **argv)
{
	const int rounds = argc > 2 ? atoi(argv[2]) : 20;

	if (argc > 1 && !strcmp(argv[1], "again")) {
		faults_all(ALL);
		check_again();
		return sections_finish();
	}
	first = argc > 1 ? atoi(argv[1]) : 0;
	interrupted = mmap(NULL, sizeof(*interrupted), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT(interrupted != MAP_FAILED);
	check_signals(rounds);
	check_order(rounds);
	check_interrupted(0);
	check_interrupted(SA_RESTART);
	check_missed();
	check_signal_answers();
	check_exceptions(rounds);
	check_exception_answers();
	section("the executives saw no violations");
	for (int i = first; i < LEVELS; i++)
		EQUAL(counter(i, BAD), 0);
	modes(PASS);
	mode(1, SERVE);
	return sections_finish();
}
