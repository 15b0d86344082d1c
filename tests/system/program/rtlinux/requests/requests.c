// SPDX-License-Identifier: GPL-2.0
/* An RTLinux module that answers ioctl() of a process on FIFO 1. Its thread runs also while a handler computes. */
#include <rtl.h>
#include <asm/uaccess.h>
#include <errno.h>
#include <linux/ioctl.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>

#include "commands.h"

#define FIFO 1
#define OTHER 2

static int wrong;
static volatile int rounds;
static pthread_t thread;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s\n", what);
	}
}

static int swap(struct pair *at)
{
	struct pair pair;

	if (copy_from_user(&pair, at, sizeof(pair)))
		return -EFAULT;
	expect(copy_from_user(&pair, at, sizeof(pair) + 1) == sizeof(pair) + 1, "too many bytes");
	expect(copy_from_user(&pair, (char *)at - 1, 1) == 1, "bytes before the argument");
	return put_user(pair.second, &at->first) || put_user(pair.first, &at->second) ? -EFAULT : 0;
}

/* Computes until the thread has run three times. */
static int compute(void)
{
	const int before = rounds;
	const hrtime_t end = gethrtime() + 20000000000LL;

	while (rounds < before + 3 && gethrtime() < end)
		;
	return rounds - before;
}

static int handle(unsigned int fifo, unsigned int command, unsigned long argument)
{
	int value = 0;

	expect(fifo == FIFO && pthread_self() == pthread_linux(), "the context of the handler");
	switch (command) {
	case ASK_ADD:
		return argument + 1;
	case ASK_SWAP:
		return swap((struct pair *)argument);
	case ASK_POINTER:
		return get_user(value, (int *)argument);
	case ASK_SLOW:
		usleep(argument * 1000);
		return 7;
	case ASK_COMPUTE:
		return compute();
	case ASK_UNLINK:
		return rtf_link_user_ioctl(FIFO, 0);
	case ASK_DESTROY:
		return rtf_destroy(FIFO);
	}
	return -EINVAL;
}

static void *periods(void *arg)
{
	pthread_make_periodic_np(pthread_self(), gethrtime(), 20000000);
	for (;;) {
		pthread_wait_np();
		rounds++;
	}
	return arg;
}

int init_module(void)
{
	struct sched_param param = { 10 };
	pthread_attr_t attr;

	expect(rtf_create(FIFO, 4000) == 0 && rtf_create(OTHER, 4000) == 0, "rtf_create");
	expect(rtf_link_user_ioctl(64, handle) == -ENODEV, "a FIFO above 63");
	expect(rtf_link_user_ioctl(20, handle) == 0, "a FIFO between threads");
	expect(rtf_link_user_ioctl(FIFO, handle) == 0, "rtf_link_user_ioctl");
	pthread_attr_init(&attr);
	pthread_attr_setschedparam(&attr, &param);
	pthread_create(&thread, &attr, periods, 0);
	rtl_printf("init done, %d wrong\n", wrong);
	return 0;
}

void cleanup_module(void)
{
	pthread_delete_np(thread);
	rtl_printf("cleanup done, %d wrong\n", wrong);
}
