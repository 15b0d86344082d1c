// SPDX-License-Identifier: GPL-2.0
/*
 * Tests times that are too large, and the timer of rtl_setclockhandler(): lib/rtlinux/core.c, clock.c, timer.c, v1.c
 * and hardware_clock.c. The test replaces the kernel and the scheduler. A tick is half a nanosecond. A wait ends at its
 * deadline, or leaves the test by longjmp() if it has none. Returns the line of the first failure, at most 255, or 0.
 */
#include <rtlinux/core.h>

#include <runtime/kernel_call.h>
#include <runtime/thread.h>
#include <runtime/time.h>
#include <setjmp.h>
#include <sync/lock.h>

#include "threads.h"

#define FIRST 10
#define WORKER (FIRST + 1)
#define SERVER (FIRST + 2) /* the thread that the library creates */
#define START 1000000	   /* time stamp */
#define LOOKS 1000	   /* at the time, in one case */

extern struct limpet_info own asm("__limpet_info");
struct limpet_info own = {
	.thread = FIRST, .first_thread = FIRST, .priority = 100, .ticks_per_ms = 2000000
};
static unsigned int current, looks, waits;
static uint64_t now;
static jmp_buf end;
static struct rtl_thread_struct *worker;

enum { RETURNS, BLOCKS, ENDS, SPINS }; /* how a case ends */

unsigned int limpet_thread_id(void)
{
	return current;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	(void)op;
	(void)in;
	(void)out;
	return LIMPET_ESTATE;
}

uint64_t limpet_time(void)
{
	if (++looks > LOOKS)
		longjmp(end, SPINS);
	return now;
}

void lock_take(struct lock *lock)
{
	(void)lock;
}

void lock_drop(struct lock *lock)
{
	(void)lock;
}

long sched_suspend_on(word object, word since, word owner, word deadline)
{
	(void)object;
	(void)since;
	(void)owner;
	if (deadline == LIMPET_NEVER)
		longjmp(end, BLOCKS);
	waits++;
	now = now > deadline ? now : deadline;
	return LIMPET_ETIME;
}

void limpet_thread_exit(word value)
{
	(void)value;
	longjmp(end, ENDS);
}

long sched_join(word thread, word deadline, word *value)
{
	(void)thread;
	(void)deadline;
	*value = 0;
	return LIMPET_OK;
}

long sched_create(word entry, word argument, word priority)
{
	(void)entry;
	(void)argument;
	(void)priority;
	return SERVER;
}

static void begin(void)
{
	current = WORKER;
	now = START;
	looks = waits = 0;
	worker = rtlinux_record(WORKER);
	*worker = (struct rtl_thread_struct){
		.magic = RTL_THREAD_MAGIC,
		.resume_time = HRTIME_INFINITY,
		.rtlinux_ceiling = -1,
	};
}

/* Lets the thread of the library run. Returns how that ends. */
static int server_runs(void)
{
	const int how = setjmp(end);

	current = SERVER;
	looks = 0;
	if (!how)
		rtlinux_record(SERVER)->rtlinux_entry(NULL);
	current = WORKER;
	return how;
}

/* --- times that are too large */

static void long_period(void)
{
	int how;

	begin();
	EXPECT(!pthread_make_periodic_np(worker, gethrtime(), HRTIME_INFINITY));
	how = setjmp(end);
	if (!how) {
		pthread_wait_np();
		EXPECT(worker->resume_time == HRTIME_INFINITY);
		pthread_wait_np();
	}
	EXPECT(how == BLOCKS);
}

static void long_sleep(const struct timespec *time)
{
	int how;

	begin();
	how = setjmp(end);
	if (!how)
		nanosleep(time, NULL);
	EXPECT(how == BLOCKS);
}

static void long_sleeps(void)
{
	const struct timespec infinite = timespec_from_ns(HRTIME_INFINITY);
	const struct timespec longer = { 0x7fffffffffffffff, 0 };
	const struct timespec early = { -0x7fffffffffffffff, 0 };

	long_sleep(&infinite);
	long_sleep(&longer);
	EXPECT(timespec_to_ns(&infinite) == HRTIME_INFINITY);
	EXPECT(timespec_to_ns(&early) == -HRTIME_INFINITY);
}

static void old_times(void)
{
	begin();
	EXPECT(!rt_task_make_periodic(&worker, RT_TIME_END, 1193180));
	EXPECT(worker->resume_time == HRTIME_INFINITY && worker->period == NSECS_PER_SEC);
	EXPECT(!rt_task_make_periodic(&worker, 2 * 1193180, RT_TIME_END));
	EXPECT(worker->resume_time == 2ll * NSECS_PER_SEC && worker->period == HRTIME_INFINITY);
}

static void long_timer(void)
{
	const struct itimerspec once = { .it_value = timespec_from_ns(HRTIME_INFINITY) };
	const struct itimerspec often = { .it_value = { 1, 0 },
					  .it_interval = timespec_from_ns(HRTIME_INFINITY) };
	timer_t timer;

	begin();
	EXPECT(!timer_create(CLOCK_REALTIME, NULL, &timer));
	EXPECT(!timer_settime(timer, 0, &often, NULL));
	EXPECT(server_runs() == BLOCKS && waits == 1 && worker->pending == 1ul << SIGALRM);
	worker->pending = 0;
	waits = 0;
	EXPECT(!timer_settime(timer, 0, &once, NULL));
	EXPECT(server_runs() == BLOCKS && !waits && !worker->pending);
	EXPECT(!timer_delete(timer));
}

/* --- the clock that a module programs */

static unsigned int called, finished;

static void clock_handler(struct pt_regs *unused)
{
	(void)unused;
	EXPECT(worker->magic && rtlinux_masked());
	called++;
	CLOCK_8254->uninit(CLOCK_8254);
	finished++;
}

static void clock_start(void)
{
	begin();
	called = finished = 0;
	EXPECT(!CLOCK_8254->init(CLOCK_8254));
	EXPECT(!CLOCK_8254->settimermode(CLOCK_8254, RTL_CLOCK_MODE_PERIODIC));
	EXPECT(!CLOCK_8254->settimer(CLOCK_8254, 1000));
}

/* A handler that ends its own clock runs to its end, and then its thread ends. */
static void clock_ends_itself(void)
{
	EXPECT(!rtl_setclockhandler(CLOCK_8254, clock_handler));
	clock_start();
	EXPECT(server_runs() == RETURNS && called == 1 && finished == 1);
	EXPECT(rtlinux_record(SERVER)->rtlinux_detached);
	EXPECT(CLOCK_8254->settimer(CLOCK_8254, 1000) == -EINVAL);
	EXPECT(!rtl_unsetclockhandler(CLOCK_8254));
}

int main(void)
{
	long_period();
	long_sleeps();
	old_times();
	long_timer();
	clock_ends_itself();
	return failed > 255 ? 255 : failed;
}
