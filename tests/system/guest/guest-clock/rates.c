// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the guest's clock with Linux's, which /proc/uptime tells. Each comparison reads Linux's clock before and
 * after the guest's, so the limits hold on a machine of any speed. Arguments: the rate per mille, the start of the
 * guest's clock in seconds, and the length of a measurement on Linux's clock in milliseconds.
 */
#include "tests/system/lib/guest.h"

#include <sys/time.h>

#define UNIT 0.01    /* resolution of /proc/uptime */
#define ERROR 0.01   /* permitted error of the rate: Linux corrects the speed of its clock */
#define LATE_S 3.0   /* permitted delay on Linux's clock */
#define START_MAX 30 /* seconds on Linux's clock since the program's start */

static double rate;
static double length; /* of a measurement on Linux's clock, in seconds */

static double linux_seconds(void)
{
	double result = 0;
	FILE *file = fopen("/proc/uptime", "r");

	if (!file || fscanf(file, "%lf", &result) != 1)
		die("/proc/uptime cannot be read");
	fclose(file);
	return result;
}

static double clock_seconds(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		die("clock %d cannot be read", (int)clock);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double day_seconds(clockid_t unused)
{
	struct timeval t;

	(void)unused;
	if (gettimeofday(&t, NULL))
		die("gettimeofday");
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* A time of the guest's clock, and Linux's before and after it. */
struct reading {
	double before, value, after;
};

static struct reading read_by(double (*read)(clockid_t), clockid_t clock)
{
	struct reading r;

	r.before = linux_seconds();
	r.value = read(clock);
	r.after = linux_seconds();
	return r;
}

/* Checks that the guest's clock advanced at its rate between two readings. */
static void rate_check(const struct reading *from, const struct reading *to)
{
	double took = to->value - from->value;
	double min = (to->before - from->after - UNIT) * rate * (1 - ERROR);
	double max = (to->after - from->before + UNIT) * rate * (1 + ERROR);

	if (took < min || took > max)
		failed("the clock advanced by %f s, not %f to %f", took, min, max);
}

static void clock_check(double (*read)(clockid_t), clockid_t clock)
{
	struct reading from = read_by(read, clock), to;
	double last = from.value, value;

	while (linux_seconds() < from.after + length) {
		value = read(clock);
		if (value < last)
			failed("the clock went back by %.9f s", last - value);
		last = value;
	}
	to = read_by(read, clock);
	rate_check(&from, &to);
}

/* Sleeps by `call` for `length`. */
static void sleep_check(int (*call)(const struct timespec *))
{
	double ns = length * rate * 1e9;
	const struct timespec time = { (time_t)(ns / 1e9), (long)ns % 1000000000 };
	struct reading from = read_by(clock_seconds, CLOCK_MONOTONIC), to;
	double slept;

	EQUAL(call(&time), 0);
	to = read_by(clock_seconds, CLOCK_MONOTONIC);
	rate_check(&from, &to);
	if (to.value - from.value < length * rate)
		failed("the sleep took %f s of the guest's clock", to.value - from.value);
	slept = to.after - from.before;
	if (slept < length * (1 - ERROR) - UNIT || slept > length + LATE_S)
		failed("the sleep took %f s of Linux's clock", slept);
}

static int by_nanosleep(const struct timespec *time)
{
	return nanosleep(time, NULL);
}

static int by_clock(const struct timespec *time)
{
	return clock_nanosleep(CLOCK_BOOTTIME, 0, time, NULL);
}

static int sleep_until(clockid_t clock, const struct timespec *time)
{
	struct timespec until;

	clock_gettime(clock, &until);
	until.tv_sec += time->tv_sec;
	until.tv_nsec += time->tv_nsec;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	return clock_nanosleep(clock, TIMER_ABSTIME, &until, NULL);
}

static int until_monotonic(const struct timespec *time)
{
	return sleep_until(CLOCK_MONOTONIC, time);
}

static int until_realtime(const struct timespec *time)
{
	return sleep_until(CLOCK_REALTIME, time);
}

static void alarmed(int unused)
{
	(void)unused;
}

/* A timer of Linux interrupts a sleep. The remaining time must be one of the guest's clock. */
static void interrupted_check(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 300000 } };
	const double asked = 100 * rate;
	const struct timespec time = { (time_t)asked, 0 };
	const struct sigaction action = { .sa_handler = alarmed };
	struct timespec rest = { -1, -1 };
	double from, left, took;

	sigaction(SIGALRM, &action, NULL);
	from = seconds();
	if (setitimer(ITIMER_REAL, &soon, NULL))
		die("setitimer");
	EQUAL(nanosleep(&time, &rest), -1);
	EQUAL(errno, EINTR);
	took = seconds() - from;
	left = (double)rest.tv_sec + (double)rest.tv_nsec / 1e9;
	if (left >= asked || left < asked - took)
		failed("%f of %f s remain after %f s", left, asked, took);
	if (took < 0.3 * rate * (1 - ERROR) || took > LATE_S * rate)
		failed("the timer of 0.3 s ended the sleep after %f s", took);
}

static void child_check(void)
{
	struct reading from = read_by(clock_seconds, CLOCK_MONOTONIC), to;
	pid_t child = fork();

	if (!child) {
		pause_us((long)(rate * 200000));
		to = read_by(clock_seconds, CLOCK_MONOTONIC);
		rate_check(&from, &to);
		child_exit();
	}
	GOOD(child);
}

int main(int argc, char **argv)
{
	double start;

	if (argc != 4)
		return 2;
	rate = atof(argv[1]) / 1000;
	start = atof(argv[2]);
	length = atof(argv[3]) / 1000;
	section("the time at the start");
	if (time(NULL) < (time_t)start || (double)time(NULL) > start + START_MAX * rate)
		failed("it is %ld", (long)time(NULL));
	section("CLOCK_MONOTONIC");
	clock_check(clock_seconds, CLOCK_MONOTONIC);
	section("CLOCK_REALTIME");
	clock_check(clock_seconds, CLOCK_REALTIME);
	section("gettimeofday");
	clock_check(day_seconds, 0);
	section("nanosleep");
	sleep_check(by_nanosleep);
	section("clock_nanosleep");
	sleep_check(by_clock);
	section("clock_nanosleep until a time of CLOCK_MONOTONIC");
	sleep_check(until_monotonic);
	section("clock_nanosleep until a time of CLOCK_REALTIME");
	sleep_check(until_realtime);
	section("a sleep that a signal interrupts");
	interrupted_check();
	section("a child continues with the clock");
	child_check();
	return sections_finish();
}
