// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module in an older style: definitions without prototypes, unused headers of devices, mathematical
 * functions, and names of Linux's kernel.
 */
#include <linux/config.h>
#include <linux/module.h>
#include <linux/kernel.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <asm/io.h>
#include <asm/semaphore.h>
#include <asm/uaccess.h>
#include <rtl.h>
#include <rtl_ipc.h>
#include <rtl_tqueue.h>
#include <math.h>
#include <pthread.h>
#include "older.h"

MODULE_LICENSE("GPL");
static char name[8] = "none";
static char *file = "none";
static unsigned char small = 1;
MODULE_PARM(name, "c8");
MODULE_PARM(file, "s");
MODULE_PARM(small, "b");

int wrong;
static tasks;
static double sines[2];
static DECLARE_MUTEX(lock);
static LIST_HEAD(things);
static struct thing {
	int number;
	struct list_head list;
} one = { 1 }, two = { 2 };

void expect(holds, what) int holds;
char *what;
{
	if (!holds) {
		wrong++;
		printk(KERN_ERR "wrong: %s, errno %d\n", what, errno);
	}
}

static void task(data) void *data;
{
	tasks += (long)data;
}

static void tasklet(unsigned long data)
{
	tasks += data;
}

static struct tq_struct queued = { routine : task, data : (void *)1 };
static DECLARE_TASKLET(later, tasklet, 10);

/* Computes floating-point numbers in one of two threads, and waits while the other one computes. */
static void *compute(void *arg)
{
	int i, at = (int)(long)arg;
	double sum = 0;

	for (i = 0; i < 50; i++) {
		sum += sin(i * (at + 1)) * pow(BASE, at) + sqrt(i);
		usleep(100);
	}
	sines[at] = sum;
}

static void numbers()
{
	pthread_t threads[2];
	double sum[2] = { 0, 0 }, whole;
	volatile double value = -2.5;
	float whole_float;
	int i, at, power;

	for (at = 0; at < 2; at++)
		expect(!pthread_create(&threads[at], NULL, compute, (void *)(long)at),
		       "pthread_create");
	for (at = 0; at < 2; at++) {
		pthread_join(threads[at], NULL);
		for (i = 0; i < 50; i++)
			sum[at] += sin(i * (at + 1)) * pow(BASE, at) + sqrt(i);
		expect(sines[at] == sum[at] && sum[at] > 200, "sums of sines");
	}
	expect(floor(-1.5) == -2 && fabs(cos(M_PI) + 1) < 1e-12 && atan2(1, 1) == M_PI_4, "math.h");
	expect(ldexp(value, 3) == -20 && frexp(value, &power) == -0.625 && power == 2,
	       "ldexp and frexp");
	expect(modf(value, &whole) == -0.5 && whole == -2 && modff(value, &whole_float) == -0.5f &&
		       whole_float == -2,
	       "modf");
	expect(lrint(value) == -2 && lround(value) == -3, "lrint and lround");
}

static void linux_names()
{
	char text[] = "a,b;;c", *rest = text;
	struct thing *at;
	int sum = 0;

	list_add(&one.list, &things);
	list_add_tail(&two.list, &things);
	list_for_each_entry(at, &things, list)
		sum = sum * 10 + at->number;
	list_del(&one.list);
	expect(sum == 12 && !list_empty(&things), "lists");
	expect(!down_interruptible(&lock) && down_trylock(&lock), "down");
	up(&lock);
	expect(!down_trylock(&lock), "up");
	expect(!strcmp(strtok(text, ",;"), "a") && !strcmp(strtok(NULL, ",;"), "b") &&
		       !strcmp(strtok(NULL, ",;"), "c") && !strtok(NULL, ",;"),
	       "strtok");
	expect(!strcmp(strsep(&rest, "x"), "a") && !rest && strcspn("abc", "c") == 2 &&
		       strpbrk("abc", "cb")[0] == 'b',
	       "strsep");
	expect(LOCAL_SCHED->rtl_current == pthread_self() &&
		       LOCAL_SCHED->rtl_tasks == pthread_linux() && !LOCAL_SCHED->rtl_tasks->next,
	       "LOCAL_SCHED");
	expect(current->state == TASK_RUNNING && htons(0x1234) == 0x3412, "current");
	expect(rt_request_timer(0) == -EBUSY, "rt_request_timer");
	tasklet_schedule(&later);
	tasklet_schedule(&later);
	expect(queue_task(&queued, &tq_immediate) && !schedule_task(&queued),
	       "a task is queued once");
	mark_bh(IMMEDIATE_BH);
	expect(tasks == 0, "a task does not run before the Linux context continues");
}

int init_module()
{
	printk("parameters %s %s %d\n", name, file, small);
	numbers();
	linux_names();
	printk("timer %d\n", timer_expirations());
	device_test();
	day_test();
	printk("objects %d\n", objects_test());
	return 0;
}

void cleanup_module()
{
	expect(tasks == 11, "a tasklet and a task have run once");
	printk("cleanup done, %d wrong\n", wrong);
}
