// SPDX-License-Identifier: BSD-2-Clause
/* The clocks whose timer the scheduler has. */
#include "core.h"

static int clock_init(struct rtl_clock *clock)
{
	(void)clock;
	return (int)rtlinux_refuse("init of a clock", "the scheduler has this clock", -EBUSY);
}

static void clock_uninit(struct rtl_clock *clock)
{
	(void)clock;
}

hrtime_t rtlinux_clock_start(clockid_t clock)
{
	const struct limpet_info *info = limpet_info();

	return clock == &rtlinux_clock_gpos
		       ? (hrtime_t)info->real_ns - rtlinux_time(info->real_stamp)
		       : 0;
}

static hrtime_t clock_read(struct rtl_clock *clock)
{
	return gethrtime() + rtlinux_clock_start(clock);
}

static int clock_set(struct rtl_clock *clock, hrtime_t value)
{
	(void)clock;
	(void)value;
	return -EINVAL;
}

static int clock_mode(struct rtl_clock *clock, int mode)
{
	(void)clock;
	(void)mode;
	return -EINVAL;
}

/* A clock that cannot be set, for which the scheduler has the timer. */
#define SCHEDULER_CLOCK                                                                            \
	{ clock_init, clock_uninit,	      clock_read, clock_set, clock_set, clock_mode,        \
	  NULL,	      RTL_CLOCK_MODE_ONESHOT, 32,	  0,	     0 }

struct rtl_clock rtlinux_clock = SCHEDULER_CLOCK, rtlinux_clock_gpos = SCHEDULER_CLOCK;
