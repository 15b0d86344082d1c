// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module with defects. A process writes the letter of a defect into FIFO 0, and a thread
 * executes this defect.
 */
#include <rtl.h>
#include <mbuff.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include <string.h>

#define PERIOD 1000000
#define ROUNDS 20

static sem_t ordered;
static char order;
static volatile int zero, sink;
static char *area;

static int recurse(int depth)
{
	volatile char frame[512];

	frame[0] = depth;
	return recurse(depth + 1) + frame[0];
}

/* Each round takes longer than three periods, so releases are dropped. */
static void overrun(void)
{
	hrtime_t start = gethrtime();
	int round;

	pthread_make_periodic_np(pthread_self(), start, PERIOD);
	for (round = 0; round < ROUNDS; round++) {
		rtl_delay(3 * PERIOD + PERIOD / 2);
		pthread_wait_np();
	}
	rtl_printf("overruns end, %s\n",
		   gethrtime() - start >= ROUNDS * 3 * PERIOD ? "in their time" : "too early");
	pthread_make_periodic_np(pthread_self(), HRTIME_INFINITY, 0);
}

static void *defect(void *nothing)
{
	for (;;) {
		sem_wait(&ordered);
		rtl_printf("defect %c\n", order);
		if (order == 'd')
			sink = sink / zero;
		else if (order == 'j')
			((void (*)(void))0x12345678)();
		else if (order == 'r')
			sink = recurse(0);
		else if (order == 'w')
			*(volatile int *)(area + (1ul << 40)) = 1;
		else if (order == 'o')
			overrun();
		else if (order == 'f')
			for (;;)
				sink++;
	}
	return nothing;
}

static int handler(unsigned int fifo)
{
	if (rtf_get(fifo, &order, 1) == 1)
		sem_post(&ordered);
	return 0;
}

int init_module(void)
{
	struct sched_param param;
	pthread_attr_t attr;
	pthread_t thread;

	area = mbuff_alloc("area", 100);
	if (!area || rtf_create(0, 64) || rtf_create_handler(0, handler))
		return -ENOMEM;
	strcpy(area, "kept");
	sem_init(&ordered, 0, 0);
	param.sched_priority = 10;
	pthread_attr_init(&attr);
	pthread_attr_setschedparam(&attr, &param);
	return pthread_create(&thread, &attr, defect, 0);
}

void cleanup_module(void)
{
}
