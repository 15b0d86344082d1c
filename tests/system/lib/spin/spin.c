// SPDX-License-Identifier: GPL-2.0
/*
 * A Linux that lets no interrupt in:
 *
 *   echo MILLISECONDS >/sys/module/spin/parameters/off    spins so long with interrupts disabled
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>

#define MOST 10000

static int off_set(const char *text, const struct kernel_param *parameter)
{
	unsigned long flags;
	unsigned int ms;
	int error = kstrtouint(text, 0, &ms);

	if (error || ms > MOST)
		return error ? error : -EINVAL;
	local_irq_save(flags);
	mdelay(ms);
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops off_ops = { .set = off_set };
module_param_cb(off, &off_ops, NULL, 0200);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Disables interrupts for a while");
