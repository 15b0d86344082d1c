// SPDX-License-Identifier: GPL-2.0
/* Makes host threads look into their inboxes. */
#include <linux/sched.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>

/*
 * An interrupt makes a CPU pass through state `host`. The current CPU is already in that state,
 * because the caller has interrupted the components or the host thread. The kernel checks the inbox
 * when the host thread enters components again.
 */
void host_kick_cpu(struct system *system, unsigned int cpu)
{
	struct host_thread *host = &system->host[cpu];
	struct task_struct *task;

	rcu_read_lock(); /* excludes the end of host_forget() */
	task = READ_ONCE(host->task);
	smp_mb(); /* orders the write of the inbox before the read of `sleeping` */
	if (task && READ_ONCE(host->sleeping))
		wake_up_process(task);
	else if (task && host->linux_cpu != raw_smp_processor_id())
		interrupt_cpu(host->linux_cpu);
	rcu_read_unlock();
}

void system_end(struct system *system, enum limpet_end_reason reason)
{
	mutex_lock(&system_lock);
	if (system->state != LIMPET_STATE_DEAD) { /* otherwise it has no memory */
		system->end_reason = system->end_reason ?: reason;
		system->state = LIMPET_STATE_STOPPING;
		for (u32 n = 0; n < system->cpus; n++) {
			hal_or(&system->cpu[n]->inbox.requests, HOST_END);
			host_kick_cpu(system, n);
		}
	}
	mutex_unlock(&system_lock);
}
