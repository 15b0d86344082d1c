// SPDX-License-Identifier: GPL-2.0
/*
 * Notifies the layer of heartbeats, a panic and the end of Linux. Refuses suspend, and keeps KVM's
 * modules out.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include <host/linux/beneath/svm.h>
#include <host/linux/beneath/watch.h>
#include <host/linux/parts.h>

#define KEXEC_COMMAND "kexec reboot" /* the command with which kernel_kexec() calls the notifiers */
#define HEARTBEAT_MAX (BARE_SILENCE_MAX / 1000u)
#define HEARTBEATS 4 /* heartbeats in the allowed time of silence */

static unsigned int heartbeat;
module_param(heartbeat, uint, 0444);
MODULE_PARM_DESC(heartbeat, "beneath: seconds of silence after which Linux counts as dead; 0: off");

/* Sends a heartbeat from a work queue, so that a Linux that takes interrupts but runs no threads counts as dead. */
static void heartbeat_send(struct work_struct *work);
static DECLARE_DELAYED_WORK(heartbeat_work, heartbeat_send);

static void heartbeat_send(struct work_struct *work)
{
	beneath_call(BARE_CALL_ALIVE, (void *)(word)(heartbeat * 1000), 0);
	mod_delayed_work(system_highpri_wq, &heartbeat_work, heartbeat * HZ / HEARTBEATS);
}

static void heartbeat_end(void)
{
	cancel_delayed_work_sync(&heartbeat_work);
	beneath_call(BARE_CALL_ALIVE, NULL, 0);
}

/* Reports a panic as early as possible, before Linux stops the other CPUs. */
static int panicked(struct notifier_block *block, unsigned long action, void *message)
{
	beneath_call(BARE_CALL_DIED, NULL, 0);
	return NOTIFY_DONE;
}

static struct notifier_block panic_block = { .notifier_call = panicked, .priority = INT_MAX };

/*
 * Detaches before Linux ends or starts another kernel by kexec. While a system runs, the other kernel would use the
 * hidden memory. In that case components continue without Linux, as after a reset.
 */
static int ending(struct notifier_block *block, unsigned long action, void *command)
{
	bool another = command && !strcmp(command, KEXEC_COMMAND);
	struct bare_info info = { 0 };

	heartbeat_end();
	svm_leave();
	if (another && !beneath_call(BARE_CALL_INFO, &info, sizeof(info)) &&
	    info.info.state == LIMPET_STATE_RUNNING) {
		pr_emerg("limpet: A system runs beneath. Stop it to start another kernel.\n");
		beneath_call(BARE_CALL_DIED, NULL, 0);
	}
	return NOTIFY_DONE;
}

static struct notifier_block ending_block = { .notifier_call = ending };

/* Refuses suspend, because the layer and components cannot suspend. */
static int suspending(struct notifier_block *block, unsigned long action, void *unused)
{
	if (action != PM_SUSPEND_PREPARE && action != PM_HIBERNATION_PREPARE &&
	    action != PM_RESTORE_PREPARE)
		return NOTIFY_DONE;
	pr_warn("limpet: Linux does not suspend, because Limpet is attached beneath. Detach it first.\n");
	return notifier_from_errno(-EBUSY);
}

static struct notifier_block suspend_block = { .notifier_call = suspending };

int watch_check(void)
{
	if (heartbeat > HEARTBEAT_MAX)
		return refused(-EINVAL, "--heartbeat %u must be at most %u s. Choose less.",
			       heartbeat, HEARTBEAT_MAX);
	return 0;
}

void watch_begin(void)
{
	atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	register_reboot_notifier(&ending_block);
	register_pm_notifier(&suspend_block);
	/* Keeps KVM out, because Linux knows of AMD-V, but its instructions do not work in the layer. */
	register_module_notifier(&kvm_keep_out);
	if (heartbeat)
		mod_delayed_work(system_highpri_wq, &heartbeat_work, 0);
}

void watch_end(void)
{
	heartbeat_end();
	unregister_module_notifier(&kvm_keep_out);
	unregister_pm_notifier(&suspend_block);
	unregister_reboot_notifier(&ending_block);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
}
