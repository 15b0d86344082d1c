// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module whose periodic thread counts in a shared buffer. Each byte in FIFO 0 is a request. It answers in
 * FIFO 1 with the number of all requests.
 */
#include <rtl.h>
#include <mbuff.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>

static volatile int *periods;
static int requests;

static void *count(void *arg)
{
	pthread_make_periodic_np(pthread_self(), gethrtime(), 1000000);
	for (;;) {
		pthread_wait_np();
		++*periods;
	}
	return arg;
}

static int requested(unsigned int fifo)
{
	char byte;

	while (rtf_get(fifo, &byte, 1) == 1) {
		requests++;
		rtf_put(1, &requests, sizeof(requests));
	}
	return 0;
}

int init_module(void)
{
	pthread_t thread;

	periods = (int *)mbuff_alloc("area", 100);
	if (!periods || rtf_create(0, 64) || rtf_create(1, 64) || rtf_create_handler(0, requested))
		return -ENOMEM;
	return pthread_create(&thread, 0, count, 0);
}

void cleanup_module(void)
{
}
