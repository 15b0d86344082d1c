// SPDX-License-Identifier: GPL-2.0
/*
 * Stores the expectations of this build (shared/module/expects.h). The fields are those that Limpet's own code, or an
 * inline function of Linux in it, reads or writes. Linux checks the functions that the module calls when it loads the
 * module.
 */
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>

#include <host/linux/compat.h>
#include <shared/module/expects.h>

#define UNTRIED KERNEL_VERSION(LIMPET_UNTRIED_MAJOR, LIMPET_UNTRIED_MINOR, 0)

const unsigned int __section(EXPECTS_UNTRIED) check_untried = UNTRIED;

#define FIELD(type, member)                                                                        \
	{ #type "." #member, offsetof(struct type, member), sizeof_field(struct type, member) }
#define FIELDS(type, a, b, c) FIELD(type, a), FIELD(type, b), FIELD(type, c)

static const struct expects_field __used __section(EXPECTS_FIELDS) fields[] = {
	FIELDS(task_struct, thread_info.flags, __state, stack),
	FIELDS(task_struct, flags, ptrace, ptrace_message),
	FIELDS(task_struct, on_cpu, cpus_ptr, nr_cpus_allowed),
	FIELDS(task_struct, se.sum_exec_runtime, mm, exit_code),
	FIELDS(task_struct, pid, comm, signal),
	FIELDS(task_struct, sighand, blocked, pending.signal),
	FIELDS(task_struct, thread.sp, thread.trap_nr, thread.error_code),
	FIELDS(mm_struct, pgd, context, mmap_lock),
	FIELDS(vm_area_struct, vm_start, vm_end, vm_mm),
	FIELDS(vm_area_struct, vm_flags, vm_pgoff, vm_page_prot),
	FIELDS(vm_area_struct, vm_file, vm_ops, vm_private_data),
	FIELDS(pt_regs, ax, orig_ax, ip),
	FIELDS(pt_regs, flags, sp, ss),
	FIELD(memory_notify, start_pfn),
	FIELD(preempt_ops, sched_in),
	FIELD(preempt_ops, sched_out),
	FIELDS(sk_buff, data, len, head),
};
