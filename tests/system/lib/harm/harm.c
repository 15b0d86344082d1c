// SPDX-License-Identifier: GPL-2.0
/*
 * Harms Linux, by /sys/module/harm/parameters:
 *
 *   echo MILLISECONDS >off    spins for this time with interrupts disabled, at most 10 s
 *   echo MICROSECONDS >storm  repeats an interrupt of this time, at most 1 ms, with pauses of half of it. 0 stops
 *   echo 1 >silent            spins forever with interrupts disabled
 *   echo 1 >shutdown          causes a triple fault: an exception without an interrupt table
 */
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <asm/desc.h>

#include "compat.h"

#define OFF_MAX 10000
#define STORM_MAX 1000

/* Reading the clock, or PAUSE, is slow in QEMU. A counted run is fast, because this loop only polls. */
static void spin(void)
{
	asm volatile(".rept 500\n\tnop\n\t.endr");
}

static int off_set(const char *text, const struct kernel_param *parameter)
{
	unsigned long flags;
	unsigned int ms;
	u64 end;
	int error = kstrtouint(text, 0, &ms);

	if (error || ms > OFF_MAX)
		return error ? error : -EINVAL;
	local_irq_save(flags);
	end = ktime_get_ns() + (u64)ms * NSEC_PER_MSEC;
	while (ktime_get_ns() < end)
		spin();
	local_irq_restore(flags);
	return 0;
}

static struct hrtimer storm;
static unsigned int storm_us;

static enum hrtimer_restart storm_step(struct hrtimer *timer)
{
	u64 end = ktime_get_ns() + (u64)storm_us * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		spin();
	hrtimer_forward_now(timer, ns_to_ktime((u64)storm_us * NSEC_PER_USEC / 2));
	return HRTIMER_RESTART;
}

static int storm_set(const char *text, const struct kernel_param *parameter)
{
	unsigned int us;
	int error = kstrtouint(text, 0, &us);

	if (error || us > STORM_MAX)
		return error ? error : -EINVAL;
	hrtimer_cancel(&storm);
	storm_us = us;
	if (us)
		hrtimer_start(&storm, ns_to_ktime((u64)us * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static int silent_set(const char *text, const struct kernel_param *parameter)
{
	local_irq_disable();
	for (;;)
		spin();
	return 0;
}

static int shutdown_set(const char *text, const struct kernel_param *parameter)
{
	const struct desc_ptr none = { 0 };

	local_irq_disable();
	load_idt(&none);
	asm volatile("int3");
	return 0;
}

static const struct kernel_param_ops off_ops = { .set = off_set };
module_param_cb(off, &off_ops, NULL, 0200);
static const struct kernel_param_ops storm_ops = { .set = storm_set };
module_param_cb(storm, &storm_ops, NULL, 0200);
static const struct kernel_param_ops silent_ops = { .set = silent_set };
module_param_cb(silent, &silent_ops, NULL, 0200);

static const struct kernel_param_ops shutdown_ops = { .set = shutdown_set };
module_param_cb(shutdown, &shutdown_ops, NULL, 0200);

static int __init harm_start(void)
{
	hrtimer_setup(&storm, storm_step, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}
module_init(harm_start);

static void __exit harm_stop(void)
{
	hrtimer_cancel(&storm);
}
module_exit(harm_stop);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Does what a broken kernel does");
