/* SPDX-License-Identifier: GPL-2.0 */
/* All differences between the Linux versions that Limpet attaches to. */
#ifndef HOST_COMPAT_H
#define HOST_COMPAT_H

#include <linux/version.h>

/*
 * A kernel newer than any that Limpet was tried on may need changes here. The module attaches to it only with
 * `untried`.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "Limpet attaches to Linux 6.1 and newer; build it for one of these"
#endif

/* expects.c: the first release that Limpet was not tried on, in the form of KERNEL_VERSION(). */
extern const unsigned int check_untried;

#ifndef CONFIG_PREEMPT_NOTIFIERS
#error "Limpet needs CONFIG_PREEMPT_NOTIFIERS, which a Linux kernel with KVM has"
#endif

#include <linux/cpufeature.h>

/* Functions of <linux/cpu.h>. Declared here, because that file has a structure with a name of ours. */
void cpus_read_lock(void);
void cpus_read_unlock(void);
int add_cpu(unsigned int cpu);
int remove_cpu(unsigned int cpu);
bool cpu_smt_possible(void);
/* The same for <linux/netdevice.h>. */
struct notifier_block;
int register_netdevice_notifier(struct notifier_block *block);
int unregister_netdevice_notifier(struct notifier_block *block);

/* An interrupt on another CPU that has no other effect. */
#include <asm/smp.h>
#ifdef smp_send_reschedule /* since 6.3 it also traces, with symbols that are not exported */
#define interrupt_cpu(cpu) arch_smp_send_reschedule(cpu)
#else
#define interrupt_cpu(cpu) smp_send_reschedule(cpu)
#endif

/* Names since 6.16. */
#include <asm/msr.h>
#ifndef rdmsrq
#define rdmsrq(msr, value) rdmsrl(msr, value)
#define wrmsrq(msr, value) wrmsrl(msr, value)
#define native_wrmsrq(msr, value) native_wrmsrl(msr, value)
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#define cpuid_base_hypervisor(signature, leaves) hypervisor_cpuid_base(signature, leaves)
#endif

/* Flags of alloc_contig_range() since 6.16. Before, it had the type of the page blocks. */
#include <linux/gfp.h>
#ifndef ACR_FLAGS_NONE
#define ACR_FLAGS_NONE MIGRATE_MOVABLE
#endif

/*
 * The names since 6.17. The old name of the workqueue prints a warning in 7.x. Whether threads were made is in the
 * device's `threaded`.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq system_unbound_wq
#define netif_threaded_enable(device) dev_set_threaded(device, true)
#endif

/* The device that a class's devnode() gets is constant since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define DEVNODE_CONST
#else
#define DEVNODE_CONST const
#endif

/* Since 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#include <linux/hrtimer.h>
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/*
 * Returns whether a poll() only reads the state, and does not wait for a change. 7.x has no
 * function for that.
 */
#include <linux/poll.h>
static inline bool poll_only_asks(const struct poll_table_struct *wait)
{
	return !wait || !wait->_qproc;
}

/* Takes the first signal that is not in the set. Called with the lock of the current thread's signals. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define signal_dequeue(set, info) dequeue_signal(set, info, &(enum pid_type){ PIDTYPE_PID })
#else
#define signal_dequeue(set, info)                                                                  \
	dequeue_signal(current, set, info, &(enum pid_type){ PIDTYPE_PID })
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define vma_flags_add(vma, flags) vm_flags_set(vma, flags)
#define vma_flags_remove(vma, flags) vm_flags_clear(vma, flags)
#else
#define vma_flags_add(vma, flags) ((vma)->vm_flags |= (flags))
#define vma_flags_remove(vma, flags) ((vma)->vm_flags &= ~(flags))
#endif

/* Returns whether Linux counts calls (retbleed=stuff), which it can do since 6.2. */
#ifdef X86_FEATURE_CALL_DEPTH
#define calls_are_counted() boot_cpu_has(X86_FEATURE_CALL_DEPTH)
#else
#define calls_are_counted() false
#endif

/*
 * Returns the top level of user level's page table, which differs from the kernel's with page-table
 * isolation.
 */
#include <linux/pgtable.h>
static inline pgd_t *pgd_user(pgd_t *pgd)
{
#if defined(CONFIG_PAGE_TABLE_ISOLATION) || defined(CONFIG_MITIGATION_PAGE_TABLE_ISOLATION)
	return boot_cpu_has(X86_FEATURE_PTI) ? kernel_to_user_pgdp(pgd) : pgd;
#else
	return pgd;
#endif
}

#ifndef X86_CR4_FRED
#define X86_CR4_FRED (1ul << 32)
#endif

#endif
