// SPDX-License-Identifier: GPL-2.0
/* An RTLinux module with a periodic task and a FIFO, and a cleanup_module() that succeeds, hangs or crashes. */
#include <rtl.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <linux/module.h>

enum { WELL, HANGS, CRASHES, CRASHED_BEFORE };

static int end = WELL;
MODULE_PARM(end, "i");
static int fifo;
MODULE_PARM(fifo, "i");

static pthread_t task;
static int periods;

static void *count(void *nothing)
{
	pthread_make_periodic_np(pthread_self(), gethrtime(), 1000000);
	for (;;) {
		pthread_wait_np();
		periods++;
	}
	return nothing;
}

static void crash(void)
{
	*(volatile int *)8 = 1;
}

int init_module(void)
{
	if (rtf_create(fifo, 4096))
		return -1;
	if (end == CRASHED_BEFORE)
		crash();
	return pthread_create(&task, NULL, count, NULL);
}

void cleanup_module(void)
{
	while (end == HANGS)
		rtl_delay(1000000);
	if (end == CRASHES)
		crash();
	pthread_delete_np(task);
	rtf_put(fifo, "the end", 7);
	rtl_printf("%s\n",
		   periods > 10 ? "the task has counted" : "wrong: the task has not counted");
}
