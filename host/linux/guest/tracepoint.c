// SPDX-License-Identifier: GPL-2.0
/* Linux's tracepoints of forks, programs, exits and signals, through the interface that modules have. */
#include <linux/binfmts.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/signal.h>

#include <host/linux/guest/tracepoint.h>

static void probe_fork(void *data, struct task_struct *maker, struct task_struct *child)
{
	guest_forked(child);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old, struct linux_binprm *binprm)
{
	guest_executed();
}

static void probe_exit(void *data, struct task_struct *task)
{
	guest_exited();
}

static void probe_deliver(void *data, int number, struct kernel_siginfo *info,
			  struct k_sigaction *action)
{
	guest_signal_delivered(number, info, action);
}

static void probe_generate(void *data, int number, struct kernel_siginfo *info,
			   struct task_struct *task, int group, int result)
{
	if (result == TRACE_SIGNAL_DELIVERED)
		guest_signal_sent(number, info, task);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *point;
} probes[] = {
	{ "sched_process_fork", probe_fork },  { "sched_process_exec", probe_exec },
	{ "sched_process_exit", probe_exit },  { "signal_deliver", probe_deliver },
	{ "signal_generate", probe_generate },
};

#define SIGNAL_PROBES 3 /* from this one on */

static void probe_find(struct tracepoint *point, void *unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(point->name, probes[i].name))
			probes[i].point = point;
}

static void probes_remove(size_t first, size_t end)
{
	while (end-- > first)
		tracepoint_probe_unregister(probes[end].point, probes[end].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int probe_add(size_t i)
{
	int error = probes[i].point
			    ? tracepoint_probe_register(probes[i].point, probes[i].probe, NULL)
			    : -ENOENT;

	if (!error)
		return 0;
	pr_err("limpet: refused: Tracepoint %s cannot be used (%pe). Use a kernel with tracepoints.\n",
	       probes[i].name, ERR_PTR(error));
	return error;
}

int guest_tracepoints_init(bool signals)
{
	const size_t first = signals ? SIGNAL_PROBES : 0;

	for_each_kernel_tracepoint(probe_find, NULL);
	for (size_t i = first; i < (signals ? ARRAY_SIZE(probes) : SIGNAL_PROBES); i++) {
		int error = probe_add(i);

		if (error) {
			probes_remove(first, i);
			return error;
		}
	}
	return 0;
}

void guest_tracepoints_exit(bool signals)
{
	probes_remove(signals ? SIGNAL_PROBES : 0, signals ? ARRAY_SIZE(probes) : SIGNAL_PROBES);
}
