// SPDX-License-Identifier: GPL-2.0
/*
 * Handles suspend of Linux while a system runs in beside mode. Linux freezes the host threads like all processes.
 *
 * Suspend to idle does not stop the time stamp counter. Components continue afterwards, and their schedulers count the
 * missed periods. All other states, and hibernation, reset the counter. Deadlines are absolute times of this counter,
 * so components would sleep for as long as it ran before. Therefore these states are refused.
 */
#include <linux/pm.h>
#include <linux/pm_domain.h>
#include <linux/suspend.h>

#include <host/linux/parts.h>

/*
 * Returns -EBUSY if a system runs. All processes are frozen, so systems are neither loaded nor closed during the call.
 */
static int clock_stops(struct device *device)
{
	if (system_find(LIMPET_SYSTEM_ANY) == ERR_PTR(-ENODEV))
		return 0;
	pr_warn("limpet: Linux does not %s, because a system runs and the processor's time would stop. Stop the system first.\n",
		pm_suspend_target_state == PM_SUSPEND_ON ? "hibernate" : "suspend to memory");
	return -EBUSY;
}

static int device_suspend(struct device *device)
{
	return pm_suspend_target_state == PM_SUSPEND_TO_IDLE ? 0 : clock_stops(device);
}

/*
 * Hibernation calls freeze before Linux saves its image. Restore needs no check, because the saved kernel runs no
 * system.
 */
static struct dev_pm_domain domain = {
	.ops = { .suspend = device_suspend, .freeze = clock_stops },
};

void suspend_watch(struct device *device)
{
	dev_pm_domain_set(device, &domain);
}
