// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend of Linux while a system runs in beside mode. Linux freezes the host threads as all processes.
 *
 * In suspend to idle the time stamp counter goes on, so components continue afterwards, and their schedulers count the
 * periods that they have missed. All other states, and hibernation, reset the counter. Deadlines are absolute times of
 * this counter, so components would sleep for as long as it had run before. These states are refused.
 */
#include <linux/pm.h>
#include <linux/pm_domain.h>
#include <linux/suspend.h>

#include <host/linux/parts.h>

/* All processes are frozen, so no system is loaded or closed meanwhile. */
static int clock_stops(struct device *device)
{
	if (system_find(LIMPET_SYSTEM_ANY) == ERR_PTR(-ENODEV))
		return 0;
	pr_warn("limpet: Linux does not %s: a system runs, and the processor's time would stop; stop the system first\n",
		pm_suspend_target_state == PM_SUSPEND_ON ? "hibernate" : "suspend to memory");
	return -EBUSY;
}

static int device_suspend(struct device *device)
{
	return pm_suspend_target_state == PM_SUSPEND_TO_IDLE ? 0 : clock_stops(device);
}

/* Hibernation: freeze before the image is made, restore is of the saved kernel, in which no system runs. */
static struct dev_pm_domain domain = {
	.ops = { .suspend = device_suspend, .freeze = clock_stops },
};

void suspend_watch(struct device *device)
{
	dev_pm_domain_set(device, &domain);
}
