// SPDX-License-Identifier: BSD-2-Clause
/*
 * The timer that a module programs itself: rtl_setclockhandler(). In RTLinux its handler runs with
 * interrupts disabled. Here it runs in a thread above all others of the module, which is created by
 * the clock's init().
 */
#include "core.h"

static void (*clock_handler)(struct pt_regs *);
static pthread_t server; /* NULL: the clock is not initialised */

/* Each release of the thread is an expiration of the timer. The thread ends after uninit() in its own handler. */
static void *serve(void *nothing)
{
	while (server == pthread_self()) {
		pthread_wait_np();
		rtl_stop_interrupts();
		if (clock_handler && server == pthread_self())
			clock_handler(NULL);
		rtl_allow_interrupts();
	}
	return nothing;
}

static int clock_init(struct rtl_clock *clock)
{
	if (!clock_handler)
		return -EINVAL;
	if (server)
		return -EBUSY;
	clock->mode = RTL_CLOCK_MODE_ONESHOT;
	return rtlinux_server_start(&server, serve) ? 0 : -EAGAIN;
}

/* A handler that ends its own clock runs to its end. Then its thread ends. */
static void clock_uninit(struct rtl_clock *clock)
{
	const pthread_t thread = server;

	clock->mode = RTL_CLOCK_MODE_UNINITIALIZED;
	server = NULL;
	if (thread == pthread_self())
		pthread_detach(thread);
	else if (thread)
		pthread_delete_np(thread);
}

/* In the periodic mode the timer expires every `interval` from now on, otherwise once. */
static int timer_set(struct rtl_clock *clock, hrtime_t interval)
{
	const bool periodic = clock->mode == RTL_CLOCK_MODE_PERIODIC;

	if (!server || interval < 0 || (periodic && !interval))
		return -EINVAL;
	clock->value = interval;
	return -pthread_make_periodic_np(server, rtlinux_sum(gethrtime(), interval),
					 periodic ? interval : 0);
}

static hrtime_t clock_read(struct rtl_clock *clock)
{
	(void)clock;
	return gethrtime();
}

static int clock_set(struct rtl_clock *clock, hrtime_t value)
{
	(void)clock;
	(void)value;
	return -EINVAL;
}

static int mode_set(struct rtl_clock *clock, int mode)
{
	if (mode != RTL_CLOCK_MODE_ONESHOT && mode != RTL_CLOCK_MODE_PERIODIC)
		return -EINVAL;
	clock->mode = mode;
	return 0;
}

struct rtl_clock rtlinux_clock_hardware = { clock_init, clock_uninit,
					    clock_read, clock_set,
					    timer_set,	mode_set,
					    NULL,	RTL_CLOCK_MODE_UNINITIALIZED,
					    32,		0,
					    0 };

clockid_t rtl_getbestclock(unsigned int cpu)
{
	(void)cpu;
	return &rtlinux_clock_hardware;
}

int rtl_setclockhandler(clockid_t clock, void (*handler)(struct pt_regs *))
{
	if (clock == CLOCK_RTL_SCHED)
		return (int)rtlinux_refuse("rtl_setclockhandler",
					   "the scheduler has this clock: use rtl_getbestclock()",
					   -EBUSY);
	if (clock != &rtlinux_clock_hardware || !handler)
		return -EINVAL;
	if (clock_handler)
		return -EBUSY;
	clock_handler = handler;
	clock->handler = handler;
	return 0;
}

int rtl_unsetclockhandler(clockid_t clock)
{
	if (clock != &rtlinux_clock_hardware || !clock_handler)
		return -EINVAL;
	clock_handler = NULL;
	clock->handler = NULL;
	return 0;
}
