// SPDX-License-Identifier: GPL-2.0
/*
 * Prints a CPU's entry points, one line for each CPU, read in two contexts:
 *
 *   /sys/module/probe/parameters/interrupt   by an inter-processor interrupt, while any thread runs
 *   /sys/module/probe/parameters/thread      by a kernel thread, so that no host thread runs there
 */
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <asm/desc.h>
#include "compat.h"

#define HASH_START 14695981039346656037ull /* FNV-1a */
#define HASH_PRIME 1099511628211ull

struct state {
	u64 lstar, cstar, sysenter_cs, sysenter_eip, star, mask, efer, idt, idt_hash, gdt, cr0, cr4;
	unsigned int idt_limit;
	char comm[TASK_COMM_LEN];
};

static u64 hash(const u8 *bytes, unsigned int count)
{
	u64 value = HASH_START;

	for (unsigned int i = 0; i < count; i++)
		value = (value ^ bytes[i]) * HASH_PRIME;
	return value;
}

static void state_take(void *to)
{
	struct state *s = to;
	struct desc_ptr idt, gdt;

	rdmsrq(MSR_LSTAR, s->lstar);
	rdmsrq(MSR_CSTAR, s->cstar);
	rdmsrq(MSR_IA32_SYSENTER_CS, s->sysenter_cs);
	rdmsrq(MSR_IA32_SYSENTER_EIP, s->sysenter_eip);
	rdmsrq(MSR_STAR, s->star);
	rdmsrq(MSR_SYSCALL_MASK, s->mask);
	rdmsrq(MSR_EFER, s->efer);
	store_idt(&idt);
	asm volatile("sgdt %0" : "=m"(gdt));
	s->idt = idt.address;
	s->idt_limit = idt.size;
	/* After KVM for Intel has run, the limit is 0xffff, but the table still has one page. */
	s->idt_hash = hash((const u8 *)idt.address, min_t(unsigned int, idt.size + 1, PAGE_SIZE));
	s->gdt = gdt.address;
	s->cr0 = native_read_cr0();
	s->cr4 = native_read_cr4();
	memcpy(s->comm, current->comm, sizeof(s->comm));
}

static int print(char *text, unsigned int cpu, const struct state *s)
{
	return sprintf(
		text,
		"cpu%u lstar %llx cstar %llx sysenter %llx %llx star %llx mask %llx efer %llx "
		"idt %llx %x %llx gdt %llx cr0 %llx cr4 %llx by %.15s\n",
		cpu, s->lstar, s->cstar, s->sysenter_cs, s->sysenter_eip, s->star, s->mask, s->efer,
		s->idt, s->idt_limit, s->idt_hash, s->gdt, s->cr0, s->cr4, s->comm);
}

static long thread_take(void *to)
{
	preempt_disable();
	state_take(to);
	preempt_enable();
	return 0;
}

static int read_all(char *text, bool thread)
{
	struct state state;
	unsigned int cpu;
	int length = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (thread)
			work_on_cpu(cpu, thread_take, &state);
		else
			smp_call_function_single(cpu, state_take, &state, 1);
		length += print(text + length, cpu, &state);
	}
	cpus_read_unlock();
	return length;
}

static int interrupt_get(char *text, const struct kernel_param *param)
{
	return read_all(text, false);
}

static int thread_get(char *text, const struct kernel_param *param)
{
	return read_all(text, true);
}

static const struct kernel_param_ops interrupt_ops = { .get = interrupt_get };
static const struct kernel_param_ops thread_ops = { .get = thread_get };
module_param_cb(interrupt, &interrupt_ops, NULL, 0400);
module_param_cb(thread, &thread_ops, NULL, 0400);

static int __init probe_init(void)
{
	return 0;
}

static void __exit probe_exit(void)
{
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What the entry points of each CPU are, for Limpet's tests");
