// SPDX-License-Identifier: GPL-2.0
/* A timer that the module programs itself, as measurement programs do. */
#include <linux/module.h>
#include <asm/io.h>
#include <asm/ptrace.h>
#include <rtl_core.h>
#include <rtl_sync.h>
#include <rtl_time.h>
#include <rtl_sched.h>
#include "older.h"

static clockid_t timer;
static volatile int expirations, early;
static hrtime_t due, begin;

static void once(regs) struct pt_regs *regs;
{
	if (gethrtime() < due)
		early++;
	if (++expirations < ROUNDS) {
		due = gethrtime() + 200000;
		timer->settimer(timer, 200000);
	}
}

/* Checks that each expiration is at the beginning of a period or later. */
static void each(struct pt_regs *regs)
{
	if (gethrtime() < begin + ++expirations * 1000000LL)
		early++;
}

int timer_expirations()
{
	rtl_irqstate_t flags;
	int first;

	timer = rtl_getbestclock(rtl_getcpuid());
	expect(timer->init(timer) == -EINVAL, "a clock without a handler");
	expect(rtl_setclockhandler(CLOCK_RTL_SCHED, once) == -EBUSY, "the clock of the scheduler");
	rtl_no_interrupts(flags);
	expect(!rtl_setclockhandler(timer, once), "rtl_setclockhandler");
	expect(rtl_setclockhandler(timer, each) == -EBUSY, "a clock has one handler");
	expect(timer->settimer(timer, 1000) == -EINVAL, "a clock that is not initialised");
	expect(!timer->init(timer) && timer->init(timer) == -EBUSY, "init of a clock");
	expect(timer->settimermode(timer, 7) == -EINVAL, "an unknown mode");
	timer->settimermode(timer, RTL_CLOCK_MODE_ONESHOT);
	due = gethrtime() + 200000;
	expect(!timer->settimer(timer, 200000), "settimer");
	rtl_restore_interrupts(flags);
	usleep(50000);
	first = expirations;
	expect(early == 0, "a timer is never early");
	timer->uninit(timer);
	expect(!rtl_unsetclockhandler(timer) && rtl_unsetclockhandler(timer) == -EINVAL,
	       "rtl_unsetclockhandler");

	expirations = 0;
	expect(!rtl_setclockhandler(timer, each) && !timer->init(timer), "a clock again");
	timer->settimermode(timer, RTL_CLOCK_MODE_PERIODIC);
	begin = gethrtime();
	expect(!timer->settimer(timer, 1000000), "settimer, periodic");
	while (expirations < 10 && gethrtime() < begin + 5 * (hrtime_t)NSECS_PER_SEC)
		usleep(1000);
	timer->uninit(timer);
	rtl_unsetclockhandler(timer);
	expect(expirations >= 10 && early == 0, "a periodic timer");
	return first;
}
