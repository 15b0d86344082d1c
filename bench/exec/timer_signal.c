// SPDX-License-Identifier: GPL-2.0
/*
 * Measures a 1 kHz timer signal: the first time stamp of the handler, less the timer's deadline. The process waits in
 * sigsuspend(). A signal for several expiries has the deadline of the first of them.
 *
 *   timer_signal CASE SUBJECT SIGNALS
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../clock.h"
#include "../figure.h"

#define PERIOD_NS 1000000ul

static volatile uint64_t stamp;
static volatile int overrun, signals;

static void expired(int number, siginfo_t *info, void *context)
{
	stamp = figure_time();
	(void)number;
	(void)context;
	overrun += info->si_overrun;
	signals++;
}

static timer_t timer_begin(uint64_t first)
{
	const struct sigaction action = { .sa_sigaction = expired, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	const struct itimerspec when = { .it_interval.tv_nsec = PERIOD_NS,
					 .it_value = { (time_t)(first / CLOCK_SECOND),
						       (long)(first % CLOCK_SECOND) } };
	timer_t timer;

	if (sigaction(SIGALRM, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, TIMER_ABSTIME, &when, NULL))
		figure_die("timer");
	return timer;
}

/* Waits for one signal, which is otherwise blocked. */
static void signal_await(void)
{
	int before = signals;
	sigset_t none;

	sigemptyset(&none);
	sigsuspend(&none);
	if (signals != before + 1) {
		fprintf(stderr, "timer_signal: %d signals instead of one\n", signals - before);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct figure figure = { "exec", argc == 4 ? argv[1] : "", argc == 4 ? argv[2] : "" };
	unsigned long count;
	uint64_t *samples, first;
	sigset_t alarm;
	struct clock clock;
	timer_t timer;

	if (argc != 4)
		figure_usage("timer_signal CASE SUBJECT SIGNALS");
	count = figure_number(argv[3]);
	samples = figure_samples(count);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	figure_pin(0);
	clock = clock_learn();
	first = clock_now() + 10 * PERIOD_NS;
	timer = timer_begin(first);
	for (unsigned long i = 0; i < count; i++) {
		uint64_t due =
			clock_ticks(&clock, first + (i + (unsigned long)overrun) * PERIOD_NS);

		signal_await();
		if (stamp < due) {
			fprintf(stderr, "timer_signal: %lu ticks early\n", due - stamp);
			return 1;
		}
		samples[i] = stamp - due;
	}
	timer_delete(timer);
	figure_print(&figure, samples, count);
	figure_print_histogram(&figure, samples, count);
	return 0;
}
