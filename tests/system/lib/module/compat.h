/* SPDX-License-Identifier: GPL-2.0 */
/* Names of newer kernels that test modules use, on all kernels. */
#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <asm/msr.h>

/* Since 6.16. */
#ifndef rdmsrq
#define rdmsrq(msr, value) rdmsrl(msr, value)
#define rdmsrq_safe(msr, value) rdmsrl_safe(msr, value)
#define wrmsrq_safe(msr, value) wrmsrl_safe(msr, value)
#define MCE_READ "mce_rdmsrl"
#else
#define MCE_READ "mce_rdmsrq"
#endif

/* Since 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif
