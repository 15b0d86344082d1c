// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that uses all resources that must be released: FIFOs 0 and 1 of Linux, FIFO 20 and a message queue
 * between its threads, a buffer, kmalloc() and periodic threads. It answers each byte in FIFO 0 by the upper case in
 * FIFO 1. The byte passes through the queue and through FIFO 20.
 */
#include <rtl.h>
#include <fcntl.h>
#include <linux/slab.h>
#include <mbuff.h>
#include <mqueue.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include <string.h>

#define INSIDE 20

static mqd_t queue;
static sem_t moved;
static char *area;

static void *count(void *arg)
{
	pthread_make_periodic_np(pthread_self(), gethrtime(), 1000000);
	for (;;) {
		pthread_wait_np();
		area[(long)arg]++;
	}
	return arg;
}

static void *pass(void *arg)
{
	char byte;

	for (;;)
		if (mq_receive(queue, &byte, 1, 0) == 1)
			rtf_put(INSIDE, &byte, 1);
	return arg;
}

/* Runs in the thread that puts or gets. */
static int inside(unsigned int fifo)
{
	return sem_post(&moved);
}

static void *answer(void *arg)
{
	char byte;

	for (;;) {
		sem_wait(&moved);
		while (!rtf_isempty(INSIDE) && rtf_get(INSIDE, &byte, 1) == 1) {
			byte -= 'a' - 'A';
			rtf_put(1, &byte, 1);
		}
	}
	return arg;
}

static int commanded(unsigned int fifo)
{
	char byte;

	while (rtf_get(fifo, &byte, 1) == 1)
		mq_send(queue, &byte, 1, 0);
	return 0;
}

int init_module(void)
{
	struct mq_attr form = { .mq_maxmsg = 8, .mq_msgsize = 1 };
	pthread_t thread;
	long i;

	sem_init(&moved, 0, 0);
	area = mbuff_alloc("area", 100);
	queue = mq_open("/bytes", O_RDWR | O_CREAT, 0600, &form);
	if (!area || queue < 0 || !kmalloc(100000, GFP_KERNEL) || rtf_create(0, 64) ||
	    rtf_create(1, 64) || rtf_create(INSIDE, 1000) ||
	    rtf_create_rt_handler(INSIDE, inside) || rtf_create_handler(0, commanded) ||
	    pthread_create(&thread, 0, pass, 0) || pthread_create(&thread, 0, answer, 0))
		return -ENOMEM;
	for (i = 64; i < 68; i++)
		if (pthread_create(&thread, 0, count, (void *)i))
			return -ENOMEM;
	strcpy(area, "kept");
	return 0;
}

void cleanup_module(void)
{
}
