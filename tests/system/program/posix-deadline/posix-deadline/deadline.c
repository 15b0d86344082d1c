// SPDX-License-Identifier: GPL-2.0
/*
 * Tests SCHED_DEADLINE with 2 ms of 10 ms beside a thread that computes, and the processor time of the program. With
 * argument `fixed` it tests the refusals of a scheduler without deadlines. Each part prints that it is right, or the
 * error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <posix/schedule.h>

#define US 1000l
#define MS 1000000l
#define RUNTIME (2 * MS)
#define PERIOD (10 * MS)
#define PERIODS 20
#define THREADS 6
#define SAMPLES 1000

static int wrongs;

static void check(int good, const char *what)
{
	if (good)
		return;
	wrongs++;
	printf("wrong: %s\n", what);
}

static void check_range(long value, long min, long max, const char *what)
{
	if (value >= min && value <= max)
		return;
	wrongs++;
	printf("wrong: %s: %ld, not %ld to %ld\n", what, value, min, max);
}

static long read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000l + time.tv_nsec;
}

static long now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static int deadline_set(pid_t tid, uint64_t runtime, uint64_t period)
{
	struct sched_attr attr = { .size = sizeof(attr),
				   .sched_policy = SCHED_DEADLINE,
				   .sched_runtime = runtime,
				   .sched_deadline = period,
				   .sched_period = period };

	return syscall(SYS_sched_setattr, tid, &attr, 0) ? errno : 0;
}

static volatile int computing = 1;

static void *compute(void *argument)
{
	while (computing)
		;
	return argument;
}

static void *nothing(void *argument)
{
	return argument;
}

static int compare(const void *left, const void *right)
{
	const long a = *(const long *)left, b = *(const long *)right;

	return (a > b) - (a < b);
}

static long median(long *values, int count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

/*
 * The earliest start gives the grid of periods. Interrupts of Linux can make a start late, so only more than half of the
 * starts must be on the grid.
 */
static void check_starts(long *starts, int count, const char *what)
{
	long first = starts[0];

	for (int i = 0; i < count; i++) {
		starts[i] -= i * PERIOD;
		if (starts[i] < first)
			first = starts[i];
	}
	check_range(median(starts, count) - first, 0, 300 * US, what);
}

/*
 * Computes without a wait. A run ends when the thread cannot run for more than 4 ms, because it has used its budget.
 * Interrupts of Linux are shorter. The first run can be shorter than the others, because the thread had its budget
 * before it looked.
 */
static void throttled(void)
{
	long starts[PERIODS + 1], totals[PERIODS + 1], used[PERIODS], before = now();

	for (int runs = 0; runs <= PERIODS;) {
		const long time = now();

		if (time - before > 4 * MS) {
			totals[runs] = read_clock(CLOCK_THREAD_CPUTIME_ID);
			starts[runs++] = time;
		}
		before = time;
	}
	for (int i = 0; i < PERIODS; i++)
		used[i] = totals[i + 1] - totals[i];
	check_range(median(used, PERIODS), RUNTIME - 100 * US, RUNTIME + 100 * US,
		    "run time in a period");
	check_starts(starts, PERIODS + 1, "lateness of the starts of runs");
	printf("throttled at its runtime\n");
}

/* Ends each job early. The next one starts in the next period. */
static void jobs(void)
{
	long starts[PERIODS + 1];

	for (int job = 0; job <= PERIODS; job++) {
		sched_yield();
		starts[job] = now();
		while (now() < starts[job] + 500 * US)
			;
	}
	check_starts(starts, PERIODS + 1, "lateness of the starts of jobs");
	printf("sched_yield ends a job\n");
}

static void *deadline(void *argument)
{
	struct sched_attr attr;
	pthread_t thread;

	check(!deadline_set(0, RUNTIME, PERIOD), "sched_setattr");
	check(!syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0), "sched_getattr");
	check(attr.sched_policy == SCHED_DEADLINE && attr.sched_runtime == RUNTIME &&
		      attr.sched_deadline == PERIOD && attr.sched_period == PERIOD,
	      "the attributes are those that were set");
	check(pthread_create(&thread, NULL, nothing, NULL) == EAGAIN,
	      "a thread of SCHED_DEADLINE cannot create one");
	throttled();
	jobs();
	check(deadline_set(getpid(), 9 * MS, PERIOD) == EBUSY, "more than all of the time");
	check(sched_setscheduler(gettid(), SCHED_OTHER, &(struct sched_param){ 0 }) ==
		      SCHED_DEADLINE,
	      "sched_setscheduler");
	/* The thread may have used its runtime of this period. So the time is free in the next one, as on Linux. */
	nanosleep(&(struct timespec){ .tv_nsec = PERIOD }, NULL);
	check(!deadline_set(getpid(), 9 * MS, PERIOD), "the time is free again");
	check(sched_setscheduler(getpid(), SCHED_OTHER, &(struct sched_param){ 0 }) ==
		      SCHED_DEADLINE,
	      "sched_setscheduler of another thread");
	printf("reservations done\n");
	return argument;
}

static long clock_of(pthread_t thread)
{
	clockid_t clock;

	check(!pthread_getcpuclockid(thread, &clock), "pthread_getcpuclockid");
	return read_clock(clock);
}

/* The computing thread gets the time that the reservation leaves, and the program's time is the sum of its threads'. */
static void deadlines(void)
{
	pthread_t computer, thread;
	long start, used, ended, sums[SAMPLES];

	pthread_create(&computer, NULL, compute, NULL);
	start = now();
	used = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	pthread_create(&thread, NULL, deadline, NULL);
	pthread_join(thread, NULL);
	check_range((read_clock(CLOCK_PROCESS_CPUTIME_ID) - used) * 100 / (now() - start), 80, 100,
		    "per cent of the time that the program ran");
	check_range(clock_of(computer) * 100 / (now() - start), 70, 92,
		    "per cent of the time that the other thread ran");
	ended = read_clock(CLOCK_PROCESS_CPUTIME_ID) - clock_of(computer) -
		clock_of(pthread_self());
	check(ended > PERIODS * (RUNTIME + 500 * US), "the ended thread counts");
	for (int i = 0; i < SAMPLES; i++) {
		sums[i] = clock_of(pthread_self()) + clock_of(computer) + ended;
		sums[i] = read_clock(CLOCK_PROCESS_CPUTIME_ID) - sums[i];
	}
	check_range(median(sums, SAMPLES), -50 * US, MS + 50 * US, "sum of the threads");
	computing = 0;
	pthread_join(computer, NULL);
	printf("times done\n");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_mutex(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return argument;
}

/* The median, because Linux can interrupt a call. */
static long clock_cost(void)
{
	long times[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		times[i] = now();
		clock();
		times[i] = now() - times[i];
	}
	return median(times, SAMPLES);
}

/* Threads that wait make clock() little slower. */
static void costs(void)
{
	pthread_t threads[THREADS];
	long few, many;

	clock_cost(); /* loads the caches */
	few = clock_cost();
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < THREADS; i++)
		check(!pthread_create(&threads[i], NULL, wait_for_mutex, NULL), "pthread_create");
	nanosleep(&(struct timespec){ 0, 10 * MS }, NULL);
	many = clock_cost();
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check_range(many * 100 / few, 50, 130, "per cent of the time of clock() with more threads");
	printf("costs: %ld ns with 1 thread, %ld ns with %d\n", few, many, THREADS + 1);
}

/* No scheduler has the sporadic server. */
static void sporadic(void)
{
	const struct sched_param param = { .sched_priority = 10 };
	pthread_attr_t attr;
	pthread_t thread;

	check(sched_setscheduler(0, SCHED_SPORADIC, &param) < 0 && errno == ENOTSUP,
	      "sched_setscheduler, sporadic");
	check(pthread_setschedparam(pthread_self(), SCHED_SPORADIC, &param) == ENOTSUP,
	      "pthread_setschedparam, sporadic");
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_SPORADIC);
	pthread_attr_setschedparam(&attr, &param);
	check(pthread_create(&thread, &attr, nothing, NULL) == ENOTSUP, "pthread_create, sporadic");
	printf("sporadic done\n");
}

int main(int count, char **arguments)
{
	if (count > 1 && !strcmp(arguments[1], "fixed"))
		check(deadline_set(0, RUNTIME, PERIOD) == EINVAL, "no deadlines");
	else
		deadlines();
	costs();
	sporadic();
	printf("%d wrong\n", wrongs);
	return wrongs != 0;
}
