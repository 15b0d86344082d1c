// SPDX-License-Identifier: GPL-2.0
/*
 * The Linux side of suite rtlinux. It reads the samples of bench/rtlinux/module.c, or measures the same cases with
 * threads of Linux. The periodic case also has a histogram.
 *
 *   real_time limpet|linux CASE [SUFFIX]    SUFFIX is appended to the name of the case
 *   real_time channel fifo                  the case of the FIFO with the channel of the component ferry
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <components/probe/ferry/ferry.h>
#include <client/channel.h>

#include "bench/clock.h"
#include "bench/figure.h"
#include "bench/thread.h"

#define BELOW 85 /* priority of the measuring thread, below Limpet's host thread with 90 */
#define URGENT 95
#define PERIOD_NS 1000000ul

static unsigned long long stamp(void)
{
	return figure_time();
}

static pthread_t thread_start(void *(*function)(void *))
{
	return thread_start_fifo(function, URGENT);
}

#include "loops.h"

static const struct {
	const char *name;
	char letter;
} cases[] = { { "mutex", 'm' },	    { "mutex-waiting", 'M' },
	      { "semaphore", 's' }, { "semaphore-waiting", 'S' },
	      { "mq", 'q' },	    { "mq-waiting", 'Q' },
	      { "periodic", 'p' },  { "fifo", 'f' } };

static void report(const char *name, const char *suffix, const char *subject)
{
	static char text[64];
	const struct figure figure = { "rtlinux", text, subject };

	snprintf(text, sizeof(text), "%s%s", name, suffix);
	figure_print(&figure, (uint64_t *)samples, ROUNDS);
	if (!strcmp(name, "periodic"))
		figure_print_histogram(&figure, (uint64_t *)samples, ROUNDS);
}

static void read_whole(int file, void *to, size_t size)
{
	while (size) {
		ssize_t n = read(file, to, size);

		if (n <= 0)
			figure_die("read");
		to = (char *)to + n;
		size -= (size_t)n;
	}
}

/* A record that the reader waits for. Pipes and FIFOs have plain ones. The channel has those of the component ferry. */
union record {
	struct {
		uint64_t sent, round;
	} plain;
	struct ferry ferry;
};

/*
 * Starts a process of lower priority, which writes `words` or a plain record every millisecond while this process
 * waits.
 */
static void asker_start(int file, const void *words, size_t size)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	union record record;

	if (fork())
		return;
	figure_realtime(BELOW);
	for (int round = 0; round < WARM_UP + ROUNDS; round++) {
		nanosleep(&pause, NULL);
		record.plain.round = (uint64_t)round;
		record.plain.sent = stamp();
		if (write(file, words ? words : &record, size) != (ssize_t)size)
			exit(1);
	}
	exit(0);
}

/* Reads each record and takes a sample: the time since it was sent. */
static void records_read(int file, size_t size)
{
	union record record;
	int status;

	figure_realtime(URGENT);
	for (int round = 0; round < WARM_UP + ROUNDS; round++) {
		read_whole(file, &record, size);
		sample_take(round,
			    size == sizeof(record.ferry) ? record.ferry.sent : record.plain.sent);
		if (size == sizeof(record.plain) && record.plain.round != (uint64_t)round) {
			fprintf(stderr, "record %d is missing\n", round);
			exit(1);
		}
	}
	if (wait(&status) < 0 || status)
		figure_die("asker");
}

static int fifo_open(const char *path, int flags)
{
	int file = open(path, flags);

	if (file < 0)
		figure_die(path);
	return file;
}

static void measure_limpet(char letter)
{
	int from = fifo_open(letter == 'f' ? "/dev/rtf2" : "/dev/rtf1", O_RDONLY);
	int to = fifo_open("/dev/rtf0", O_WRONLY);

	if (letter == 'f') {
		asker_start(to, &letter, 1);
		records_read(from, sizeof(((union record *)0)->plain));
		return;
	}
	figure_realtime(BELOW);
	if (write(to, &letter, 1) != 1)
		figure_die("write");
	read_whole(from, samples, sizeof(samples));
}

static void measure_channel(void)
{
	const struct ferry order = { .order = FERRY_ANSWER };
	int node = fifo_open(LIMPET_NODES "ferry", O_RDWR);

	asker_start(node, &order, sizeof(order));
	records_read(node, sizeof(order));
}

static void measure_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		figure_die("pipe");
	asker_start(ends[1], NULL, sizeof(((union record *)0)->plain));
	records_read(ends[0], sizeof(((union record *)0)->plain));
}

static void measure_periods(void)
{
	struct clock clock = clock_learn();
	uint64_t due;

	figure_realtime(URGENT);
	due = clock_now() + PERIOD_NS;
	for (int round = 0; round < WARM_UP + ROUNDS; round++, due += PERIOD_NS) {
		const struct timespec until = { .tv_sec = (time_t)(due / CLOCK_SECOND),
						.tv_nsec = (long)(due % CLOCK_SECOND) };

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
		sample_take(round, clock_ticks(&clock, due));
	}
}

static void measure_linux(char letter)
{
	if (letter == 'f') {
		measure_pipe();
	} else if (letter == 'p') {
		measure_periods();
	} else {
		if (!prepare())
			figure_die("mq_open");
		figure_realtime(BELOW);
		measure(letter);
		mq_close(queue);
		mq_unlink("/limpet-bench");
	}
}

int main(int argc, char **argv)
{
	const char *subject = argc > 2 ? argv[1] : "";

	figure_pin(0);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		figure_die("mlockall");
	for (size_t i = 0; argc > 2 && i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[2], cases[i].name) != 0)
			continue;
		if (!strcmp(subject, "channel") && cases[i].letter == 'f')
			measure_channel();
		else if (!strcmp(subject, "limpet"))
			measure_limpet(cases[i].letter);
		else if (!strcmp(subject, "linux"))
			measure_linux(cases[i].letter);
		else
			break;
		report(cases[i].name, argc > 3 ? argv[3] : "", subject);
		return 0;
	}
	figure_usage("real_time limpet|linux|channel CASE [SUFFIX]");
}
