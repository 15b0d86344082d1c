// SPDX-License-Identifier: GPL-2.0
/*
 * An unmodified program that prints all times that it reads by functions of the C library. Between them it sleeps for
 * hours, which a clock with steps does not take. With an argument it does not sleep, so that it can run without Limpet.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600
#define DAY 86400

static const struct {
	const char *name;
	clockid_t clock;
} clocks[] = {
	{ "realtime", CLOCK_REALTIME },
	{ "monotonic", CLOCK_MONOTONIC },
	{ "realtime, coarse", CLOCK_REALTIME_COARSE },
	{ "monotonic, coarse", CLOCK_MONOTONIC_COARSE },
	{ "monotonic, raw", CLOCK_MONOTONIC_RAW },
	{ "boottime", CLOCK_BOOTTIME },
	{ "process", CLOCK_PROCESS_CPUTIME_ID },
	{ "thread", CLOCK_THREAD_CPUTIME_ID },
};

static int sleeps;

static struct timespec now(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		exit(2);
	return t;
}

static void print(const char *who, const char *what, long seconds, long parts)
{
	printf("%s: %s %ld %ld\n", who, what, seconds, parts);
}

static void print_all(const char *who)
{
	struct timeval day;
	struct timespec t;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		t = now(clocks[i].clock);
		print(who, clocks[i].name, t.tv_sec, t.tv_nsec);
	}
	if (gettimeofday(&day, NULL))
		exit(3);
	print(who, "gettimeofday", day.tv_sec, day.tv_usec);
	print(who, "time", time(NULL), 0);
}

/* A sleep for an hour, and one until an hour later, by each function. */
static void sleep_all(const char *who)
{
	const struct timespec hour = { HOUR, 1 };
	struct timespec until;

	if (!sleeps)
		return;
	if (nanosleep(&hour, NULL) || clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL))
		exit(4);
	print_all(who);
	until = now(CLOCK_MONOTONIC);
	until.tv_sec += HOUR;
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		exit(5);
	until = now(CLOCK_REALTIME);
	until.tv_sec += DAY;
	if (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) || sleep(HOUR))
		exit(6);
	print_all(who);
}

static void *thread_run(void *unused)
{
	print_all("thread");
	sleep_all("thread");
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status = 0;

	(void)argv;
	sleeps = argc == 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("vDSO: %s\n", getauxval(AT_SYSINFO_EHDR) ? "yes" : "no");
	print_all("program");
	sleep_all("program");
	if (pthread_create(&thread, NULL, thread_run, NULL) || pthread_join(thread, NULL))
		return 7;
	if (!fork()) {
		print_all("child");
		sleep_all("child");
		return 0;
	}
	if (wait(&status) < 0 || status)
		return 8;
	print_all("program");
	return 0;
}
