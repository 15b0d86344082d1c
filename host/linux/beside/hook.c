// SPDX-License-Identifier: GPL-2.0
/*
 * Limpet's entry points: the system call MSRs and the IDT. While components execute, entry/switch.c has loaded them.
 * While a guest is on the CPU, this code has.
 */
#include <linux/cache.h>
#include <linux/mm.h>
#include <linux/user-return-notifier.h>
#include <asm/desc.h>
#include <asm/msr.h>
#include <asm/tlbflush.h>

#include <host/linux/compat.h>
#include <entry/guest.h>
#include <host/linux/parts.h>

#define VECTOR_INT80 0x80
#define SYSENTER_OFF 0 /* in MSR_IA32_SYSENTER_CS: SYSENTER causes a general-protection fault */

/* Entry points of the processor. */
struct entry_points {
	void (*syscall)(void), (*cstar)(void), (*guest)(void);
	u8 (*stubs)[ENTRY_STUB];
};

void guard_guest(void); /* guard.S: entry_guest, guarded */

static struct entry_points points __ro_after_init = { entry_syscall, entry_cstar, entry_guest,
						      entry_stubs };

/* Constant while the module is loaded: prepared at attach, read-only afterwards. */
static gate_desc idt[256] __aligned(PAGE_SIZE) __ro_after_init;
static gate_desc idt_guest[256] __aligned(PAGE_SIZE) __ro_after_init;

void __init gate_point(gate_desc *gate, unsigned long at)
{
	gate->offset_low = (u16)at;
	gate->offset_middle = (u16)(at >> 16);
	gate->offset_high = (u32)(at >> 32);
}

/*
 * A copy of the host's IDT whose gates point to our stubs. Components cannot use `int 0x80`. A
 * second copy is for guests.
 */
static void __init idt_prepare(void)
{
	const gate_desc *host = (const gate_desc *)entry_idt_host.base;
	unsigned long stubs = (unsigned long)points.stubs;

	/* Otherwise its end is an address in this code, which IBT's checker takes for a target. */
	OPTIMIZER_HIDE_VAR(stubs);

	for (unsigned int i = 0; i < 256; i++) {
		idt[i] = idt_guest[i] = host[i];
		entry_host_vector[i] = gate_offset(&host[i]);
		gate_point(&idt[i], stubs + i * ENTRY_STUB);
	}
	gate_point(&idt_guest[VECTOR_INT80], (unsigned long)entry_guest_int80);
	entry_idt_guest = (struct entry_idt){ sizeof(idt) - 1, (unsigned long)idt_guest };
	idt[VECTOR_INT80].bits.dpl = 0;
	entry_idt_ours = (struct entry_idt){ sizeof(idt) - 1, (unsigned long)idt };
}

/* Returns whether Linux does more at its entries on this processor than entry/ does. */
static bool __init guard_needed(void)
{
	return boot_cpu_has(X86_FEATURE_UNRET) || boot_cpu_has(X86_FEATURE_SRSO) ||
	       boot_cpu_has(X86_FEATURE_SRSO_ALIAS) || boot_cpu_has(X86_FEATURE_ENTRY_IBPB) ||
	       boot_cpu_has(X86_FEATURE_CLEAR_BHB_LOOP);
}

/*
 * Reads Linux's entry points on the current CPU, because they are the same on all CPUs. KVM for Intel leaves a guest's
 * values in the MSRs until the CPU returns to user level, and the thread flag is set until then. Returns 0, or -EBUSY
 * if the flag is set.
 */
int __init hook_prepare(bool trusted)
{
	struct desc_ptr ptr;
	bool guests;

	preempt_disable();
	guests = test_thread_flag(TIF_USER_RETURN_NOTIFY);
	rdmsrq(MSR_LSTAR, entry_calls_host.lstar);
	rdmsrq(MSR_CSTAR, entry_calls_host.cstar);
	rdmsrq(MSR_IA32_SYSENTER_CS, entry_calls_host.sysenter_cs);
	preempt_enable();
	if (guests) {
		pr_err(REFUSED "This CPU has the entry of a KVM guest. Try again.\n");
		return -EBUSY;
	}
	if (!trusted && guard_needed())
		points = (struct entry_points){ guard_syscall, guard_cstar, guard_guest,
						guard_stubs };
	entry_calls_ours = (struct entry_calls){ (unsigned long)points.syscall,
						 (unsigned long)points.cstar, SYSENTER_OFF };
	store_idt(&ptr);
	entry_idt_host = (struct entry_idt){ ptr.size, ptr.address };
	idt_prepare();
	entry_keys = native_read_cr4() & X86_CR4_PKE;
	entry_cr3_keep = native_read_cr4() & X86_CR4_PCIDE ? 1ul << 63 : 0;
	return text_prepare(trusted);
}

/*
 * SYSENTER is off also if the filter leaves 32-bit system calls to Linux, because an executive can execute it, too.
 */
static void entries_load(void)
{
	native_wrmsrq(MSR_LSTAR, (unsigned long)points.guest);
	native_wrmsrq(MSR_CSTAR, (unsigned long)entry_guest_cstar);
	native_wrmsrq(MSR_IA32_SYSENTER_CS, SYSENTER_OFF);
	native_load_idt((const struct desc_ptr *)&entry_idt_guest);
}

/*
 * KVM for Intel may have written another value: a virtual machine's, which it restores itself, or Linux's. KVM for AMD may
 * have loaded Limpet's value again after the guest was disarmed: guest_leave().
 */
static void calls_restore(u32 msr, void (*ours)(void), u64 host)
{
	u64 value;

	rdmsrq(msr, value);
	if (value == (unsigned long)ours)
		native_wrmsrq(msr, host);
}

void hook_disarm(void)
{
	calls_restore(MSR_LSTAR, points.guest, entry_calls_host.lstar);
	calls_restore(MSR_CSTAR, entry_guest_cstar, entry_calls_host.cstar);
	native_wrmsrq(MSR_IA32_SYSENTER_CS, entry_calls_host.sysenter_cs);
	native_load_idt((const struct desc_ptr *)&entry_idt_host);
}

/*
 * Calls the notifiers that Linux would call before the thread returns to user level, so KVM restores Linux's MSRs now. All
 * notifiers of the CPU are in one list. Linux does not export it, but a new notifier comes first.
 */
static void notifiers_call(void)
{
#ifdef CONFIG_USER_RETURN_NOTIFIER
	struct user_return_notifier first = { 0 }, *other;
	struct hlist_node *next;

	user_return_notifier_register(&first);
	for (struct hlist_node *at = first.link.next; at; at = next) {
		next = at->next;
		other = hlist_entry(at, struct user_return_notifier, link);
		other->on_user_return(other);
	}
	user_return_notifier_unregister(&first);
#endif
}

/*
 * The thread flag means that MSRs of the CPU have a virtual machine's values. Linux passes the flag to the thread that
 * runs next, so the virtual machine can belong to another process. KVM restores Linux's values now, because it would
 * remove the guest's hook if it did so later. It loads the virtual machine's values again when the virtual CPU is
 * scheduled.
 */
void hook_arm_guest(void)
{
	if (unlikely(test_thread_flag(TIF_USER_RETURN_NOTIFY)))
		notifiers_call();
	entries_load();
}

void hook_arm_executive(void)
{
	u64 value;

	rdmsrq(MSR_LSTAR, value);
	if (unlikely(value != (unsigned long)points.guest))
		hook_arm_guest();
}
