// SPDX-License-Identifier: BSD-2-Clause
/* Implements the interface of RTLinux 1. */
#include "core.h"

static hrtime_t ticks_to_ns(RTIME ticks)
{
	return rtlinux_sum(rtlinux_product(ticks / RT_TICKS_PER_SEC, NSECS_PER_SEC),
			   ticks % RT_TICKS_PER_SEC * NSECS_PER_SEC / RT_TICKS_PER_SEC);
}

static RTIME ns_to_ticks(hrtime_t ns)
{
	return ns / NSECS_PER_SEC * RT_TICKS_PER_SEC +
	       ns % NSECS_PER_SEC * RT_TICKS_PER_SEC / NSECS_PER_SEC;
}

/* A thread's function in RTLinux 1 has an int as argument and no result. On x86-64 it can be called as one of POSIX. */
int rt_task_init(RT_TASK *task, void (*entry)(int), int data, int stack, int priority)
{
	pthread_attr_t attributes;

	(void)stack;
	pthread_attr_init(&attributes);
	attributes.sched_param.sched_priority = RTLINUX_PRIORITY_MAX - priority;
	attributes.initial_state = 0;
	return -pthread_create(task, &attributes, (void *(*)(void *))(void *)entry,
			       (void *)(long)data);
}

int rt_task_make_periodic(RT_TASK *task, RTIME start, RTIME period)
{
	return -pthread_make_periodic_np(*task, ticks_to_ns(start), ticks_to_ns(period));
}

int rt_task_wait(void)
{
	return pthread_wait_np();
}

int rt_task_suspend(RT_TASK *task)
{
	return -pthread_suspend_np(*task);
}

int rt_task_wakeup(RT_TASK *task)
{
	return -pthread_wakeup_np(*task);
}

int rt_task_delete(RT_TASK *task)
{
	return pthread_delete_np(*task) ? -EINVAL : 0;
}

int rt_task_use_fp(RT_TASK *task, int use)
{
	return pthread_setfp_np(*task, use);
}

RTIME rt_get_time(void)
{
	return ns_to_ticks(gethrtime());
}

void rt_delay(RTIME ticks)
{
	rtl_delay(ticks_to_ns(ticks));
}

hrtime_t rtl_set_periodic_mode(RTIME period)
{
	return rtl_setclockmode(CLOCK_RTL_SCHED, RTL_CLOCK_MODE_PERIODIC, ticks_to_ns(period))
		       ? RT_TIME_END
		       : rt_get_time();
}

int rtl_set_oneshot_mode(void)
{
	return rtl_setclockmode(CLOCK_RTL_SCHED, RTL_CLOCK_MODE_ONESHOT, 0);
}

/*
 * RTLinux refuses this, too, while its scheduler is loaded. No function of the interface sets an interval for the
 * handler.
 */
int rt_request_timer(void (*handler)(struct pt_regs *))
{
	(void)handler;
	return (int)rtlinux_refuse("rt_request_timer",
				   "the scheduler has the timer: use rtl_getbestclock()", -EBUSY);
}

void rt_free_timer(void)
{
}
