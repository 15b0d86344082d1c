// SPDX-License-Identifier: GPL-2.0
/*
 * The RTLinux module of suite rtlinux. A process writes the letter of a case into FIFO 0. A thread measures the case
 * and puts the samples into FIFO 1. The case of the FIFO itself is different: the module answers each letter with a
 * time stamp in FIFO 2, and the reader takes the sample.
 */
#include <rtl.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#define PERIOD 1000000

static unsigned long long stamp(void)
{
	unsigned long long now;

	rdtscll(now);
	return now;
}

static pthread_t thread_start_with(void *(*function)(void *), int priority)
{
	struct sched_param param;
	pthread_attr_t attr;
	pthread_t thread = 0;

	pthread_attr_init(&attr);
	param.sched_priority = priority;
	pthread_attr_setschedparam(&attr, &param);
	pthread_create(&thread, &attr, function, 0);
	return thread;
}

static pthread_t thread_start(void *(*function)(void *))
{
	return thread_start_with(function, 20);
}

#include "loops.h"

static sem_t ordered;
static char order;

/* A sample is the time since the release in nanoseconds, or in instructions if QEMU counts them. */
static void measure_periods(void)
{
	int round;

	pthread_make_periodic_np(pthread_self(), gethrtime() + PERIOD, PERIOD);
	for (round = 0; round < WARM_UP + ROUNDS; round++) {
		hrtime_t now;

		pthread_wait_np();
		now = gethrtime();
		if (round >= WARM_UP)
			samples[round - WARM_UP] = now - (pthread_self()->resume_time - PERIOD);
	}
	pthread_make_periodic_np(pthread_self(), HRTIME_INFINITY, 0);
}

/* Answers in the Linux context, so that nothing but the FIFO is between the time stamp and the reader. */
static void answer(void)
{
	static unsigned int answers;
	unsigned long long record[2];

	record[1] = answers++ % (WARM_UP + ROUNDS);
	record[0] = stamp();
	rtf_put(2, record, sizeof(record));
}

static void *work(void *nothing)
{
	for (;;) {
		sem_wait(&ordered);
		if (order == 'p')
			measure_periods();
		else
			measure(order);
		rtf_put(1, samples, sizeof(samples));
	}
	return nothing;
}

static int handler(unsigned int fifo)
{
	if (rtf_get(fifo, &order, 1) != 1)
		return 0;
	if (order == 'f')
		answer();
	else
		sem_post(&ordered);
	return 0;
}

int init_module(void)
{
	if (!prepare() || rtf_create(0, 64) || rtf_create(1, sizeof(samples)) ||
	    rtf_create(2, 4000) || rtf_create_handler(0, handler))
		return -ENOMEM;
	sem_init(&ordered, 0, 0);
	return thread_start_with(work, 10) ? 0 : -EAGAIN;
}

void cleanup_module(void)
{
}
