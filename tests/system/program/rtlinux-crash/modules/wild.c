// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that crashes on demand. Every 5 ms a thread puts a record into FIFO 0: the number of the module's
 * life, and the number of the record in this life. A byte in FIFO 1 is a command: `w` writes through a wild pointer in a
 * thread, `h` does so in a FIFO handler, and `d` divides by zero. The buffer `lives` counts the lives.
 */
#include <rtl.h>
#include <mbuff.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>

static volatile int *lives, *wild = (int *)0x12345678;
static volatile char command;
static volatile int zero;

static void *records_put(void *arg)
{
	int record[2] = { lives[0], 0 };

	pthread_make_periodic_np(pthread_self(), gethrtime(), 5000000);
	for (;;) {
		pthread_wait_np();
		if (command == 'w')
			*wild = 1;
		if (command == 'd')
			record[1] /= zero;
		if (rtf_put(0, record, sizeof(record)) == sizeof(record))
			record[1]++;
	}
	return arg;
}

static int commanded(unsigned int fifo)
{
	char byte;

	if (rtf_get(fifo, &byte, 1) == 1)
		command = byte;
	if (command == 'h')
		*wild = 1;
	return 0;
}

int init_module(void)
{
	pthread_t thread;

	lives = mbuff_alloc("lives", 64);
	if (!lives || rtf_create(0, 4096) || rtf_create(1, 64) || rtf_create_handler(1, commanded))
		return -ENOMEM;
	lives[0]++;
	rtl_printf("life %d\n", lives[0]);
	return pthread_create(&thread, 0, records_put, 0);
}

void cleanup_module(void)
{
	rtl_printf("cleanup in life %d\n", lives[0]);
}
