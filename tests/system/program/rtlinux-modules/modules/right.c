// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that executes orders of the module left: it doubles numbers, rings a bell, moves bytes, crashes, or
 * floods. The module is loaded again after a crash.
 */
#include <rtl.h>
#include <errno.h>
#include <fcntl.h>
#include <mbuff.h>
#include <mqueue.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <string.h>

#define FROM_RIGHT 20
#define TO_RIGHT 21

static mqd_t orders, answers, bell;
static char *area;

static void bytes(void)
{
	char text[8];
	int n = rtf_get(TO_RIGHT, text, sizeof(text));

	if (rtf_destroy(TO_RIGHT) != -EPERM || rtf_resize(TO_RIGHT, 100) != -EINVAL)
		rtl_printf("wrong: a FIFO of another module can be destroyed or resized\n");
	rtf_put(FROM_RIGHT, text, n > 0 ? n : 0);
	strcpy(area, "right was here");
}

/* Reads all numbers, names and bytes that it gets, except FIFO 22, which left creates later. */
static void flood(void)
{
	static char much[65536];
	char name[16];
	int i;

	for (i = 0; i < 64; i++) {
		if (i != 22)
			rtf_create(i, 60000);
		rtf_put(i, much, 60000);
		rtf_put(i, much, 64);
		sprintf(name, "flood-%d", i);
		mq_open(name, O_RDWR | O_CREAT, 0600, 0);
	}
	rtl_printf("flooded\n");
}

static void *serve(void *arg)
{
	char text[16];
	int number;

	for (;;) {
		if (mq_receive(orders, text, sizeof(text), 0) != sizeof(number))
			continue;
		memcpy(&number, text, sizeof(number));
		if (number == -1)
			mq_send(bell, "ring", 4, 0);
		else if (number == -2)
			bytes();
		else if (number == -3)
			*(volatile int *)(area + (1ul << 40)) = 1;
		else if (number == -4)
			flood();
		number *= 2;
		mq_send(answers, (char *)&number, sizeof(number), number / 2 % 10 ? 3 : 31);
	}
	return arg;
}

int init_module(void)
{
	struct mq_attr form = { .mq_maxmsg = 4, .mq_msgsize = 16 };
	pthread_t thread;

	area = mbuff_alloc("area", 100);
	orders = mq_open("orders", O_RDONLY | O_CREAT, 0600, &form);
	answers = mq_open("/answers", O_WRONLY | O_CREAT, 0600, &form);
	bell = mq_open("/bell", O_WRONLY | O_CREAT, 0600, &form);
	if (!area || orders < 0 || answers < 0 || bell < 0)
		return -ENOMEM;
	return pthread_create(&thread, 0, serve, 0);
}

void cleanup_module(void)
{
}
