// SPDX-License-Identifier: GPL-2.0
/* The module. Attach loads it, detach unloads it. */
#include <linux/cpuhotplug.h>
#include <linux/memory.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include <host/linux/channel/channel.h>
#include <host/linux/compat.h>
#include <host/linux/control.h>
#include <host/linux/parts.h>

DEFINE_PER_CPU(struct entry_cpu, entry_cpu);

static int state_coming, state_leaving; /* enum cpuhp_state */
static bool beneath;
module_param(beneath, bool, 0444);
static bool trust_components; /* trust components like the kernel itself */
module_param(trust_components, bool, 0444);
static bool untried; /* accept a newer kernel, which `limpet attach` has compared */
module_param(untried, bool, 0444);

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "limpet",
	.nodename = "limpet/control",
	.mode = 0600,
};

/* Refuses a CPU that was not present at attach, because it is outside the layer and could read its memory. */
static int cpu_coming(unsigned int cpu)
{
	if (!beneath || beneath_allows_cpu(cpu))
		return 0;
	pr_warn("limpet: CPU %u stays offline: the layer was made without it. Detach first.\n",
		cpu);
	return -EBUSY;
}

static int cpu_offlined(unsigned int cpu)
{
	if (beneath)
		beneath_interrupt_move();
	return 0;
}

/*
 * Refuses to take a CPU offline if a system uses it in beside mode. In beneath mode an offline CPU belongs to
 * components alone. CPU 0 stays online, because INIT would start the firmware on it, so it could not leave the layer
 * while offline.
 */
static int cpu_leaving(unsigned int cpu)
{
	if (beneath ? cpu : !system_uses_cpu(cpu))
		return 0;
	pr_warn("limpet: CPU %u stays online, because %s first.\n", cpu,
		beneath ? "the layer uses it. Detach" : "a system uses it. Stop the system");
	return -EBUSY;
}

/*
 * The first callback runs before a CPU is started, the second one before any part of a CPU is
 * stopped.
 */
static int hotplug_watch(void)
{
	state_coming = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "limpet:coming", cpu_coming,
						 cpu_offlined);
	if (state_coming < 0)
		return state_coming;
	state_leaving =
		cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "limpet:leaving", NULL, cpu_leaving);
	if (state_leaving < 0) {
		cpuhp_remove_state_nocalls(state_coming);
		return state_leaving;
	}
	return 0;
}

static void hotplug_ignore(void)
{
	cpuhp_remove_state_nocalls(state_leaving);
	cpuhp_remove_state_nocalls(state_coming);
}

/* Undoes the steps of limpet_init() that depend on the mode. */
static void mode_leave(void)
{
	if (beneath) {
		beneath_detach();
		return;
	}
	unregister_memory_notifier(&memory_block);
	guests_exit();
}

static int __init limpet_init(void)
{
	int error = check_machine(beneath, trust_components, untried) ?:
		    hook_prepare(trust_components) ?: hotplug_watch();

	if (error)
		return error;
	error = host_channels_init();
	if (error)
		goto no_channels;
	device.fops = beneath ? &beneath_control.file : &device_control.file;
	error = beneath ? beneath_attach(trust_components)
			: isolate_prepare(trust_components) ?: guests_init();
	if (error)
		goto no_layer;
	if (!beneath)
		memory_prepare();
	error = misc_register(&device);
	if (error)
		goto no_device;
	if (!beneath)
		suspend_watch(device.this_device);
	pr_info("limpet: attached, ABI %d\n", LIMPET_ABI_VERSION);
	return 0;

no_device:
	mode_leave();
no_layer:
	isolate_end();
	host_channels_exit();
no_channels:
	hotplug_ignore();
	return error;
}

static void __exit limpet_exit(void)
{
	misc_deregister(&device);
	mode_leave();
	host_channels_exit();
	hotplug_ignore();
	isolate_end();
	pr_info("limpet: detached\n");
}

module_init(limpet_init);
module_exit(limpet_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Limpet: a component OS beside the running Linux");
