// SPDX-License-Identifier: GPL-2.0
/*
 * Makes Linux attack the layer beneath it, by a sequence from a seed, which can be replayed:
 *
 *   insmod hostile.ko at=ADDRESS size=BYTES     hidden memory of which no page is accessible
 *   echo "SEED COUNT" >/sys/module/hostile/parameters/act      COUNT acts
 *   echo "SEED COUNT" >/sys/module/hostile/parameters/wild     COUNT acts of wild.c, if Linux survives them
 *   echo MS >/sys/module/hostile/parameters/limit              time after which Linux panics
 *   echo SEED >/sys/module/hostile/parameters/rage             writes over Linux's memory to the end
 *   /sys/module/hostile/parameters/seen         hidden words that were not 0
 *
 * Acts that would only break Linux itself are not part of `act`, or are undone.
 */
#include "chance.h"
#include "hostile.h"

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <asm/apicdef.h>
#include <asm/asm.h>
#include "compat.h"

#define OFF_MAX_MS 5
#define BUFFER 65536
/* <host/bare/call.h> */
#define CALL_FIRST 0x4c620001ull
#define CALL_STOP (CALL_FIRST + 2)
#define CALL_NOTIFY (CALL_FIRST + 7)
#define CALL_DIED (CALL_FIRST + 9)
#define CALL_KEEP (CALL_FIRST + 11)
#define CALL_KEPT (CALL_FIRST + 12)
#define CALL_ALIVE (CALL_FIRST + 14)
#define CALLS 16

ulong at, size;
module_param(at, ulong, 0444);
module_param(size, ulong, 0444);
static ulong seen;
module_param(seen, ulong, 0444);

static u64 state;
static void *buffer;
bool is_wild;

u64 any(void)
{
	return chance(&state);
}

u64 below(u64 limit)
{
	return any() % limit;
}

u64 odd_value(void)
{
	switch (below(4)) {
	case 0:
		return 0;
	case 1:
		return ~0ull;
	case 2:
		return 1ull << below(64);
	default:
		return any();
	}
}

int write_word(u64 *to, u64 value)
{
	int result = -1;

	asm volatile("1: movq %2, %1\n\txorl %0, %0\n2:\n" _ASM_EXTABLE(1b, 2b)
		     : "+r"(result), "=m"(*to)
		     : "r"(value)
		     : "memory");
	return result;
}

static void hidden_touch(void)
{
	u64 *word = phys_to_virt(at + (below(size) & ~7ull));

	seen += READ_ONCE(*word) != 0;
	write_word(word, any());
	seen += READ_ONCE(*word) != 0;
	if (seen && is_wild) /* this Linux may be unable to report later */
		wild_report("{\"seen\": 1}");
}

/* Returns whether a change of the register would soon break Linux, and nothing else. */
static bool own_msr(u32 msr)
{
	return msr == MSR_IA32_CR_PAT || msr == MSR_IA32_DEBUGCTLMSR ||
	       (msr >= MSR_IA32_SYSENTER_CS && msr <= MSR_IA32_SYSENTER_EIP) ||
	       msr == MSR_IA32_XSS || (msr >= MSR_IA32_U_CET && msr <= MSR_IA32_INT_SSP_TAB) ||
	       msr == MSR_EFER || (msr >= MSR_STAR && msr <= MSR_SYSCALL_MASK) ||
	       (msr >= MSR_FS_BASE && msr <= MSR_TSC_AUX);
}

static void msr_touch(void)
{
	static const u32 first[] = { 0, 0xc0000000, 0xc0010000, 0x40000000 };
	static const u32 famous[] = { 0x10,	  0x1b,	      0x3b,	 0x2ff,	     0x200,
				      0x6e0,	  0x808,      0x830,	 0xc0010010, 0xc0010015,
				      0xc001001a, 0xc0010114, 0xc0010117 };
	u32 msr = below(2) ? famous[below(ARRAY_SIZE(famous))]
			   : first[below(ARRAY_SIZE(first))] + (u32)below(0x2000);
	u64 value;

	if (is_wild && below(4) == 0)
		msr = (u32)any();
	else if (!is_wild && own_msr(msr))
		return;
	if (rdmsrq_safe(msr, &value))
		value = 0;
	wrmsrq_safe(msr, below(2) ? odd_value() : value ^ 1ull << below(64));
}

/* Returns whether the register belongs to Linux's timer, or sends interrupts. */
static bool apic_left_alone(unsigned int offset)
{
	return offset == APIC_LVTT || offset == APIC_TMICT || offset == APIC_TDCR ||
	       offset == APIC_ICR || offset == APIC_ICR2;
}

/* Writes any register with interrupts off, then restores its value. */
static void apic_touch(void)
{
	unsigned int offset = 0x10 * (unsigned int)below(0x100);
	unsigned long flags;
	u32 before;

	if (apic_left_alone(offset))
		return;
	local_irq_save(flags);
	before = *apic_register(offset);
	*apic_register(offset) = (u32)odd_value();
	udelay(below(20));
	*apic_register(offset) = before;
	local_irq_restore(flags);
}

/* Sends interrupts that Linux considers spurious, NMIs, and messages that would reset or stop a CPU. */
static void interrupts_send(void)
{
	static const u32 modes[] = { APIC_DM_FIXED, APIC_DM_LOWEST,  APIC_DM_SMI,   APIC_DM_NMI,
				     APIC_DM_INIT,  APIC_DM_STARTUP, APIC_DM_EXTINT };
	unsigned long flags;

	local_irq_save(flags);
	for (u64 n = below(50); n; n--) {
		*apic_register(APIC_ICR2) = (u32)(below(3) << 24);
		*apic_register(APIC_ICR) =
			(u32)(modes[below(ARRAY_SIZE(modes))] | below(4) << 18 | below(2) << 14 |
			      (below(2) ? below(32) : 0xf0 | below(2)));
	}
	local_irq_restore(flags);
}

/* A device may take the second byte as that of the first port, which would mask address line 20. */
static void wide_write(void)
{
	if (below(2))
		outw(0x0002, 0x92);
	else
		outw(0xddae, 0x64);
}

static void off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	mdelay(below(OFF_MAX_MS));
	local_irq_restore(flags);
}

/* Returns an address for a call: hidden, unmapped, a program's, or Linux's own (at its end, before unmapped memory). */
static u64 address_of_some(void)
{
	switch (below(6)) {
	case 0:
		return (u64)phys_to_virt(at + below(size));
	case 1:
		return any() | 1ull << 63;
	case 2:
		return below(1ull << 47);
	case 3:
		return (u64)buffer + BUFFER - 1;
	default:
		return (u64)buffer;
	}
}

/*
 * Returns whether Linux may make the call. These calls end a system, configure the next start and the permitted
 * silence, or end Linux itself.
 */
static bool call_is_right(u64 number)
{
	if (is_wild)
		return number == CALL_STOP || number == CALL_KEEP || number == CALL_KEPT ||
		       number == CALL_ALIVE;
	return number == CALL_STOP || number == CALL_DIED;
}

/* Returns the first argument of a call: an address, or for CALL_NOTIFY mostly the number of a CPU. */
static u64 call_argument(u64 number)
{
	return number == CALL_NOTIFY && below(4) ? below(4) : address_of_some();
}

static void call(void)
{
	u64 number = CALL_FIRST + below(CALLS);
	u64 *words = buffer;

	if (call_is_right(number))
		return;
	for (unsigned int i = 0; i < 64; i++)
		words[i] = below(2) ? below(8) : odd_value();
	words[0] = below(2) ? address_of_some() : words[0];
	asm volatile("1: vmmcall\n2:\n" _ASM_EXTABLE(1b, 2b)
		     : "+a"(number)
		     : "D"(call_argument(number)), "S"(below(2) ? below(BUFFER) : odd_value())
		     : "memory");
}

static void svm_instruction(void)
{
	u64 address = at + below(size);

#define TRY(instruction)                                                                           \
	asm volatile("1: " instruction "\n2:\n" _ASM_EXTABLE(1b, 2b)                               \
		     :                                                                             \
		     : "a"(address), "c"(0)                                                        \
		     : "memory")
	switch (below(is_wild ? 10 : 7)) {
	case 7:
		TRY("wbinvd");
		break;
	case 8:
		TRY("skinit");
		break;
	case 9:
		TRY("vmmcall");
		break;
	case 0:
		TRY("vmrun %%rax");
		break;
	case 1:
		TRY("vmload %%rax");
		break;
	case 2:
		TRY("vmsave %%rax");
		break;
	case 3:
		TRY("clgi");
		break;
	case 4:
		TRY("stgi");
		break;
	case 5:
		TRY("invlpga %%rax, %%ecx");
		break;
	default:
		TRY("invd");
		break;
	}
}

static void (*const acts[])(void) = { hidden_touch, hidden_touch,    msr_touch,
				      msr_touch,    apic_touch,	     interrupts_send,
				      call,	    svm_instruction, wide_write,
				      off };

void act(void)
{
	acts[below(ARRAY_SIZE(acts))]();
}

static int act_set(const char *text, const struct kernel_param *parameter)
{
	u64 seed, count;

	if (sscanf(text, "%llu %llu", &seed, &count) != 2 || !seed)
		return -EINVAL;
	state = seed;
	for (; count; count--) {
		act();
		cond_resched();
	}
	return 0;
}

static DECLARE_COMPLETION(wild_done);

static int wild_thread(void *count)
{
	wild_begin();
	for (ulong n = (ulong)count; n; n--) {
		wild_act();
		cond_resched();
	}
	complete(&wild_done);
	return 0;
}

/* The acts run in a kernel thread. If Linux kills that thread, the next seed can still be played. */
static int wild_set(const char *text, const struct kernel_param *parameter)
{
	struct task_struct *thread;
	u64 seed, count;

	if (sscanf(text, "%llu %llu", &seed, &count) != 2 || !seed)
		return -EINVAL;
	is_wild = true;
	state = seed;
	reinit_completion(&wild_done);
	thread = kthread_create(wild_thread, (void *)(ulong)count, "wild");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, raw_smp_processor_id());
	wake_up_process(thread);
	wait_for_completion_timeout(&wild_done, HZ);
	return 0;
}

static int limit_set(const char *text, const struct kernel_param *parameter)
{
	unsigned int ms;
	int error = kstrtouint(text, 0, &ms);

	if (!error)
		wild_limit(ms);
	return error;
}

static int rage_set(const char *text, const struct kernel_param *parameter)
{
	if (kstrtou64(text, 0, &state) || !state)
		return -EINVAL;
	for (;;) {
		u64 physical = below((u64)totalram_pages() << PAGE_SHIFT) & ~7ull;

		if (physical < at || physical >= at + (256ul << 20))
			write_word(phys_to_virt(physical), any());
	}
	return 0;
}

static const struct kernel_param_ops act_ops = { .set = act_set };
module_param_cb(act, &act_ops, NULL, 0200);
static const struct kernel_param_ops wild_ops = { .set = wild_set };
module_param_cb(wild, &wild_ops, NULL, 0200);
static const struct kernel_param_ops limit_ops = { .set = limit_set };
module_param_cb(limit, &limit_ops, NULL, 0200);
static const struct kernel_param_ops rage_ops = { .set = rage_set };
module_param_cb(rage, &rage_ops, NULL, 0200);

static int __init hostile_init(void)
{
	buffer = vzalloc(BUFFER);
	return buffer ? 0 : -ENOMEM;
}

static void __exit hostile_exit(void)
{
	wild_end();
	vfree(buffer);
}

module_init(hostile_init);
module_exit(hostile_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Does what an enemy in the kernel does");
