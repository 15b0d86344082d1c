// SPDX-License-Identifier: GPL-2.0
/* Linux's tracepoints of forks, programs and exits, through the interface that modules have. */
#include <linux/binfmts.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

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

static struct {
	const char *name;
	void *probe;
	struct tracepoint *point;
} probes[] = {
	{ "sched_process_fork", probe_fork },
	{ "sched_process_exec", probe_exec },
	{ "sched_process_exit", probe_exit },
};

static void probe_find(struct tracepoint *point, void *unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(point->name, probes[i].name))
			probes[i].point = point;
}

static void probes_remove(size_t count)
{
	while (count--)
		tracepoint_probe_unregister(probes[count].point, probes[count].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int probe_add(size_t i)
{
	int error = probes[i].point
			    ? tracepoint_probe_register(probes[i].point, probes[i].probe, NULL)
			    : -ENOENT;

	if (!error)
		return 0;
	pr_err("limpet: refused: tracepoint %s cannot be used (%pe); use a kernel with tracepoints\n",
	       probes[i].name, ERR_PTR(error));
	probes_remove(i);
	return error;
}

int guest_tracepoints_init(void)
{
	int error = 0;

	for_each_kernel_tracepoint(probe_find, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(probes) && !error; i++)
		error = probe_add(i);
	return error;
}

void guest_tracepoints_exit(void)
{
	probes_remove(ARRAY_SIZE(probes));
}
