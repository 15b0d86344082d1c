// SPDX-License-Identifier: GPL-2.0
/* The module: attach is to load it, detach is to unload it. */
#include <linux/cpuhotplug.h>
#include <linux/module.h>

#include "compat.h"
#include "host.h"

DEFINE_PER_CPU(struct entry_cpu, entry_cpu);

static enum cpuhp_state hotplug_state;

/* A CPU that a system uses stays. */
static int cpu_leaving(unsigned int cpu)
{
	if (!system_uses_cpu(cpu))
		return 0;
	pr_warn("limpet: CPU %u stays online: a system uses it; stop the system first\n", cpu);
	return -EBUSY;
}

static int __init limpet_init(void)
{
	int error = check_machine();

	if (!error)
		error = hook_prepare();
	if (error)
		return error;
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "limpet", NULL, cpu_leaving);
	if (error < 0)
		return error;
	hotplug_state = error;
	error = device_init();
	if (error) {
		cpuhp_remove_state_nocalls(hotplug_state);
		return error;
	}
	pr_info("limpet: attached, ABI %d\n", LIMPET_ABI_VERSION);
	return 0;
}

static void __exit limpet_exit(void)
{
	device_exit();
	cpuhp_remove_state_nocalls(hotplug_state);
	pr_info("limpet: detached\n");
}

module_init(limpet_init);
module_exit(limpet_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Limpet: a component OS beside the running Linux");
