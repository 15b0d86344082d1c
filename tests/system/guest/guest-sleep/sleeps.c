// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the results of sleeping calls, as an ordinary program and as a guest of exec.sleep. Both must pass. The calls
 * are made without the C library, which uses clock_nanosleep for all of them.
 */
#include "tests/system/lib/guest.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/time.h>

#define MS 1000000l
#define SECOND 1000000000l
#define MARK 77	   /* in a remaining time that must not be written */
#define LATE_S 4.0 /* permitted delay, also on a loaded machine */
#define THREADS 20 /* fewer than the executive's handler threads */
#define ORDER_TRIES                                                                                \
	8 /* a machine that stands still can let the deadlines of several threads pass */

/* A sleeping call. Each of them takes a time from now on, except those with `until`. */
struct call {
	const char *name;
	long number;
	clockid_t clock;
	bool until;
};

static const struct call calls[] = {
	{ "nanosleep", SYS_nanosleep, CLOCK_MONOTONIC, false },
	{ "clock_nanosleep of CLOCK_MONOTONIC", SYS_clock_nanosleep, CLOCK_MONOTONIC, false },
	{ "clock_nanosleep of CLOCK_REALTIME", SYS_clock_nanosleep, CLOCK_REALTIME, false },
	{ "clock_nanosleep of CLOCK_BOOTTIME", SYS_clock_nanosleep, CLOCK_BOOTTIME, false },
	{ "clock_nanosleep until a time of CLOCK_MONOTONIC", SYS_clock_nanosleep, CLOCK_MONOTONIC,
	  true },
	{ "clock_nanosleep until a time of CLOCK_REALTIME", SYS_clock_nanosleep, CLOCK_REALTIME,
	  true },
	{ "clock_nanosleep until a time of CLOCK_BOOTTIME", SYS_clock_nanosleep, CLOCK_BOOTTIME,
	  true },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))
#define RELATIVE 4 /* the first ones */

/* Makes the call with a request and the address for the remaining time. */
static long call_make(const struct call *call, const void *request, void *rest)
{
	if (call->number == SYS_nanosleep)
		return raw(SYS_nanosleep, (long)request, (long)rest, 0);
	return raw6(SYS_clock_nanosleep, call->clock, call->until ? TIMER_ABSTIME : 0,
		    (long)request, (long)rest, 0, 0);
}

/* Returns the request for a sleep of `ns`. */
static struct timespec request_of(const struct call *call, long ns)
{
	struct timespec time = { 0 };

	if (call->until)
		clock_gettime(call->clock, &time);
	ns += time.tv_nsec;
	time.tv_sec += ns / SECOND;
	time.tv_nsec = ns % SECOND;
	return time;
}

static double value_of(const struct timespec *time)
{
	return (double)time->tv_sec + (double)time->tv_nsec / 1e9;
}

static bool is_marked(const struct timespec *time)
{
	return time->tv_sec == MARK && time->tv_nsec == MARK;
}

/* --- sleeps that end by themselves */

static void length_check(const struct call *call, long ns)
{
	struct timespec rest = { MARK, MARK }, request = request_of(call, ns);
	const double from = seconds();
	double took;

	EQUAL(call_make(call, &request, &rest), 0);
	took = seconds() - from;
	/* Without `until`, the time that request_of() takes does not count. */
	if (took < (double)ns / 1e9 - (call->until ? 0.02 : 0))
		failed("%s of %ld ns took %f s", call->name, ns, took);
	if (took > (double)ns / 1e9 + LATE_S)
		failed("%s of %ld ns took %f s", call->name, ns, took);
	if (!is_marked(&rest))
		failed("%s that has ended wrote a remaining time", call->name);
}

static void lengths_check(void)
{
	struct timespec past = { 0, 0 };

	section("sleeps take their time");
	for (size_t i = 0; i < CALLS; i++) {
		length_check(&calls[i], 0);
		length_check(&calls[i], 1);
		length_check(&calls[i], 30 * MS);
		length_check(&calls[i], 1050 * MS);
		if (calls[i].until)
			EQUAL(call_make(&calls[i], &past, NULL), 0);
	}
}

/* --- arguments that Linux refuses */

static void invalid_check(const struct call *call)
{
	struct timespec bad[] = { { 0, -1 },	    { 0, SECOND }, { 0, INT64_MAX },
				  { 0, INT64_MIN }, { -1, 0 },	   { INT64_MIN, 0 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (call_make(call, &bad[i], NULL) != -EINVAL)
			failed("%s of { %ld, %ld } is not refused", call->name, bad[i].tv_sec,
			       bad[i].tv_nsec);
	EQUAL(call_make(call, NULL, NULL), -EFAULT);
	EQUAL(call_make(call, (void *)8, NULL), -EFAULT);
	EQUAL(call_make(call, (void *)0xffff800000000000, NULL), -EFAULT);
	EQUAL(call_make(call, (void *)0x8000000000000000, NULL), -EFAULT);
}

/* A request whose second half is in a page that does not exist. */
static void half_check(void)
{
	uint8_t *pages =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(pages != MAP_FAILED && !munmap(pages + 4096, 4096));
	for (size_t i = 0; i < CALLS; i++)
		EQUAL(call_make(&calls[i], pages + 4096 - sizeof(struct timespec) / 2, NULL),
		      -EFAULT);
	munmap(pages, 4096);
}

static void arguments_check(void)
{
	const struct timespec short_time = { 0, MS }, wrong = { 0, -1 };

	section("invalid arguments have Linux's errors");
	for (size_t i = 0; i < CALLS; i++)
		invalid_check(&calls[i]);
	half_check();
	EQUAL(raw6(SYS_clock_nanosleep, 99, 0, (long)&short_time, 0, 0, 0), -EINVAL);
	EQUAL(raw6(SYS_clock_nanosleep, 99, 0, 0, 0, 0, 0), -EINVAL);
	EQUAL(raw6(SYS_clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, (long)&short_time, 0, 0, 0),
	      -EOPNOTSUPP);
	EQUAL(raw6(SYS_clock_nanosleep, CLOCK_MONOTONIC_RAW, 0, (long)&short_time, 0, 0, 0),
	      -EOPNOTSUPP);
	EQUAL(raw6(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&wrong, 0, 0, 0), -EINVAL);
	/* Linux ignores other flags, and the upper halves of the clock and the flags. */
	EQUAL(raw6(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0x70, (long)&short_time, 0, 0, 0), 0);
	EQUAL(raw6(SYS_clock_nanosleep, (long)0x100000001, (long)0x100000000, (long)&short_time, 0,
		   0, 0),
	      0);
	/* An address for the remaining time is used only if a signal ends the sleep. */
	EQUAL(raw(SYS_nanosleep, (long)&short_time, 8, 0), 0);
}

/* --- signals */

static volatile int handled;

static void handler(int unused)
{
	(void)unused;
	handled++;
}

static void handler_sleeps(int unused)
{
	const struct timespec time = { 0, 20 * MS };

	(void)unused;
	EQUAL(raw(SYS_nanosleep, (long)&time, 0, 0), 0);
	handled++;
}

static void alarm_in(long us, void (*function)(int), int flags)
{
	const struct itimerval soon = { .it_value = { .tv_usec = us } };
	const struct sigaction action = { .sa_handler = function, .sa_flags = flags };

	handled = 0;
	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &soon, NULL))
		failed("setitimer: %s", strerror(errno));
}

/* A signal after 50 ms ends a sleep of 20 s with the rest. */
static void interrupted_check(const struct call *call, void (*function)(int), int flags)
{
	struct timespec request = request_of(call, 20 * SECOND), rest = { MARK, MARK };
	double from, took, left;

	alarm_in(50000, function, flags);
	from = seconds();
	EQUAL(call_make(call, &request, &rest), -EINTR);
	took = seconds() - from;
	EQUAL(handled, 1);
	if (took > LATE_S)
		failed("%s: the signal ended it after %f s", call->name, took);
	if (call->until) {
		if (!is_marked(&rest))
			failed("%s that was interrupted wrote a remaining time", call->name);
		return;
	}
	left = value_of(&rest);
	if (left > 19.96 || left < 20 - took - 0.001 || rest.tv_nsec >= SECOND)
		failed("%s: %f of 20 s remain after %f s", call->name, left, took);
}

static void interrupts_check(void)
{
	section("a signal handler ends a sleep with EINTR and the rest");
	for (size_t i = 0; i < CALLS; i++) {
		interrupted_check(&calls[i], handler, 0);
		interrupted_check(&calls[i], handler, SA_RESTART);
	}
	section("a signal handler that sleeps itself");
	for (size_t i = 0; i < CALLS; i++)
		interrupted_check(&calls[i], handler_sleeps, 0);
}

static sigjmp_buf jump;

static void handler_jumps(int unused)
{
	(void)unused;
	siglongjmp(jump, 1);
}

/* Each sleep is a new one, so none ends before the next signal. */
static void jumps_check(void)
{
	const struct timespec request = { 0, 300 * MS };

	section("a signal handler jumps out of a sleep");
	for (volatile int i = 0; i < 5; i++) {
		if (sigsetjmp(jump, 1))
			continue;
		alarm_in(100000, handler_jumps, 0);
		raw(SYS_nanosleep, (long)&request, 0, 0);
		failed("the sleep of round %d has ended", i);
	}
}

/* A program that sleeps for the rest until nothing is left sleeps for the whole time. */
static void rests_check(void)
{
	const struct itimerval often = { { 0, 7000 }, { 0, 7000 } }, never = { { 0, 0 }, { 0, 0 } };
	double from;

	section("a sleep in parts takes its whole time");
	for (size_t i = 0; i < RELATIVE; i++) {
		struct timespec left = { 0, 200 * MS };
		long result, parts = 0;

		alarm_in(7000, handler, 0);
		setitimer(ITIMER_REAL, &often, NULL);
		from = seconds();
		while ((result = call_make(&calls[i], &left, &left)) == -EINTR)
			parts++;
		setitimer(ITIMER_REAL, &never, NULL);
		EQUAL(result, 0);
		EXPECT(parts >= 3);
		/* Each part rounds its rest by less than a microsecond. */
		if (seconds() - from < 0.2 - 1e-6 * (double)(parts + 1))
			failed("%s of 200 ms in %ld parts took %f s", calls[i].name, parts,
			       seconds() - from);
	}
}

/* Linux writes the rest to the address that it got, and reports an address that is not valid. */
static void rest_address_check(void)
{
	const long page = 4096;
	struct timespec *fixed = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	section("the address for the rest");
	EXPECT(fixed != MAP_FAILED);
	for (size_t i = 0; i < CALLS; i++) {
		const long bad = calls[i].until ? -EINTR : -EFAULT;
		struct timespec request = request_of(&calls[i], 20 * SECOND);

		alarm_in(30000, handler, 0);
		EQUAL(call_make(&calls[i], &request, NULL), -EINTR);
		alarm_in(30000, handler, 0);
		EQUAL(call_make(&calls[i], &request, (void *)8), bad);
		alarm_in(30000, handler, 0);
		EQUAL(call_make(&calls[i], &request, fixed), bad);
		EQUAL(handled, 1);
	}
	munmap(fixed, page);
}

/* --- signals without a handler */

/* Runs a child that sleeps for 300 ms by the call, and disturbs it. The sleep must take its time and end well. */
static void undisturbed_check(const struct call *call, void (*disturb)(pid_t))
{
	pid_t pid = fork();

	if (!pid) {
		struct timespec rest = { MARK, MARK }, request = request_of(call, 300 * MS);
		const double from = seconds();

		signal(SIGUSR1, SIG_IGN);
		EQUAL(call_make(call, &request, &rest), 0);
		EXPECT(seconds() - from >= (call->until ? 0.28 : 0.3));
		child_exit();
	}
	EXPECT(task_sleeps_within(pid, 5));
	pause_us(20000);
	disturb(pid);
	GOOD(pid);
}

static void stop(pid_t pid)
{
	for (int i = 0; i < 3; i++) {
		kill(pid, SIGSTOP);
		pause_us(15000);
		EQUAL(task_state(pid), 'T');
		kill(pid, SIGCONT);
		pause_us(15000);
	}
}

/* The stop lasts longer than the sleep. */
static void stop_long(pid_t pid)
{
	kill(pid, SIGSTOP);
	pause_us(400000);
	EQUAL(task_state(pid), 'T');
	kill(pid, SIGCONT);
}

static void ignored(pid_t pid)
{
	for (int i = 0; i < 5; i++) {
		kill(pid, SIGUSR1);
		kill(pid, SIGCHLD);
		kill(pid, SIGWINCH);
		pause_us(5000);
	}
}

static void continued_check(void)
{
	section("stop signals do not end a sleep");
	for (size_t i = 0; i < CALLS; i++)
		undisturbed_check(&calls[i], stop);
	for (size_t i = 0; i < CALLS; i++)
		undisturbed_check(&calls[i], stop_long);
	section("ignored signals do not end a sleep");
	for (size_t i = 0; i < CALLS; i++)
		undisturbed_check(&calls[i], ignored);
}

/* --- the end of a program that sleeps */

static void *sleep_for_ever(void *index)
{
	struct timespec request = request_of(&calls[(long)index], 1000 * SECOND);

	for (;;)
		call_make(&calls[(long)index], &request, NULL);
	return NULL;
}

static void __attribute__((noreturn)) sleepers(bool ends)
{
	pthread_t thread;

	for (long i = 0; i < (long)CALLS; i++)
		if (pthread_create(&thread, NULL, sleep_for_ever, (void *)i))
			_exit(3);
	pause_us(50000);
	if (ends)
		_exit(CHILD_GOOD);
	sleep_for_ever(0);
	_exit(4);
}

static void ends_check(void)
{
	static const int ends[] = { SIGKILL, SIGTERM, SIGSEGV };
	pid_t pid;

	section("a signal ends a program whose threads all sleep");
	for (int i = 0; i < 6; i++) {
		pid = fork();
		if (!pid)
			sleepers(false);
		pause_us(100000);
		kill(pid, ends[i % 3]);
		KILLED(pid, ends[i % 3]);
	}
	section("exit ends a program whose other threads sleep");
	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (!pid)
			sleepers(true);
		GOOD(pid);
	}
	section("a stopped program is killed in its sleep");
	pid = fork();
	if (!pid)
		sleepers(false);
	pause_us(100000);
	kill(pid, SIGSTOP);
	pause_us(100000);
	kill(pid, SIGKILL);
	KILLED(pid, SIGKILL);
}

/* --- several threads */

static struct {
	struct timespec until[THREADS];
	int order[THREADS];
	volatile int ended, early;
} together;

static void *sleep_in_order(void *index)
{
	const struct timespec *until = &together.until[(long)index];
	struct timespec now;

	EQUAL(raw6(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)until, 0, 0, 0), 0);
	clock_gettime(CLOCK_MONOTONIC, &now);
	together.order[__atomic_fetch_add(&together.ended, 1, __ATOMIC_SEQ_CST)] = (int)(long)index;
	if (value_of(&now) < value_of(until))
		together.early++;
	return NULL;
}

/* Threads that start in another order than their deadlines. Returns whether they ended in the order of these. */
static bool order_is_right(void)
{
	pthread_t thread[THREADS];
	bool right = true;

	together.ended = 0;
	for (long i = 0; i < THREADS; i++)
		together.until[i] = request_of(&calls[4], (200 + 15 * i) * MS);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i * 7 % THREADS], NULL, sleep_in_order,
				   (void *)(i * 7 % THREADS)))
			die("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < THREADS; i++)
		right = right && together.order[i] == i;
	return right;
}

static void order_check(void)
{
	bool right = false;

	section("threads wake in the order of their times");
	for (int i = 0; i < ORDER_TRIES && !right; i++)
		right = order_is_right();
	EXPECT(right);
	EQUAL(together.early, 0);
}

int main(void)
{
	lengths_check();
	arguments_check();
	interrupts_check();
	jumps_check();
	rests_check();
	rest_address_check();
	continued_check();
	ends_check();
	order_check();
	return sections_finish();
}
