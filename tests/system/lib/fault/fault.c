// SPDX-License-Identifier: GPL-2.0
/*
 * Injects an error into the kernel. A seed decides its kind and place:
 *
 *   insmod fault.ko text=ADDRESS text_size=BYTES data=ADDRESS data_size=BYTES     of the kernel
 *   echo SEED >/sys/module/fault/parameters/fault      now
 *   echo MS >/sys/module/fault/parameters/limit        a Linux that still runs then panics
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <asm/processor-flags.h>

#include "chance.h"

#define FLIPS_MAX 300
#define SMASHED 512
#define DEPTH_BYTES 256

static ulong text, text_size, data, data_size;
module_param(text, ulong, 0444);
module_param(text_size, ulong, 0444);
module_param(data, ulong, 0444);
module_param(data_size, ulong, 0444);

static u64 state;

static u64 any(void)
{
	return chance(&state);
}

static u64 below(u64 limit)
{
	return any() % limit;
}

/* Also writes to read-only memory. */
static void bits_flip(ulong from, ulong size)
{
	unsigned long flags;
	u64 cr0;

	local_irq_save(flags);
	asm volatile("mov %%cr0, %0" : "=r"(cr0));
	asm volatile("mov %0, %%cr0" : : "r"(cr0 & ~(u64)X86_CR0_WP) : "memory");
	for (u64 n = 1 + below(FLIPS_MAX); n; n--)
		*(volatile u8 *)(from + below(size)) ^= (u8)(1u << below(8));
	asm volatile("mov %0, %%cr0" : : "r"(cr0) : "memory");
	local_irq_restore(flags);
}

static void text_flip(void)
{
	bits_flip(text, text_size);
}

static void data_flip(void)
{
	bits_flip(data, data_size);
}

static void call_null(void)
{
	void (*volatile nothing)(void) = NULL;

	nothing();
}

static void read_wild(void)
{
	READ_ONCE(*(volatile u64 *)any());
}

static noinline void stack_smash(void)
{
	volatile u8 here[16];

	for (unsigned int i = 0; i < SMASHED; i++)
		*(here + i) = (u8)any();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"
static noinline u64 stack_overflow(u64 depth)
{
	volatile u8 buffer[DEPTH_BYTES];

	buffer[depth % DEPTH_BYTES] = (u8)depth;
	return stack_overflow(depth + 1) + buffer[0];
}
#pragma GCC diagnostic pop

static void overflow(void)
{
	stack_overflow(0);
}

static void freed_write(void)
{
	for (u64 n = below(64); n; n--) {
		u64 *object = kmalloc(8u << below(9), GFP_KERNEL);

		if (!object)
			return;
		kfree(object);
		*(volatile u64 *)object = any();
	}
}

static void bug(void)
{
	BUG();
}

static struct timer_list timer, limit;

static void timer_fault(struct timer_list *unused)
{
	call_null();
}

static void interrupt_fault(void)
{
	timer_setup(&timer, timer_fault, 0);
	mod_timer(&timer, jiffies + 1);
}

/* PAUSE is slow in QEMU. A counted run is fast, because this loop only polls. */
static void spin_alone(void)
{
	local_irq_disable();
	for (;;)
		asm volatile(".rept 500\n\tnop\n\t.endr");
}

static int fault_set(const char *value, const struct kernel_param *parameter)
{
	static void (*const faults[])(void) = { text_flip, text_flip,	text_flip, data_flip,
						data_flip, call_null,	read_wild, stack_smash,
						overflow,  freed_write, bug,	   interrupt_fault,
						spin_alone };
	int error = kstrtou64(value, 0, &state);

	if (error || !state || !text_size || !data_size)
		return error ? error : -EINVAL;
	any(); /* the first numbers of small seeds are small */
	any();
	faults[below(ARRAY_SIZE(faults))]();
	return 0;
}

static void limit_over(struct timer_list *unused)
{
	panic("fault: this Linux has lived long enough");
}

static int limit_set(const char *value, const struct kernel_param *parameter)
{
	unsigned int ms;
	int error = kstrtouint(value, 0, &ms);

	if (error)
		return error;
	timer_setup(&limit, limit_over, 0);
	mod_timer(&limit, jiffies + msecs_to_jiffies(ms));
	return 0;
}

static const struct kernel_param_ops fault_ops = { .set = fault_set };
module_param_cb(fault, &fault_ops, NULL, 0200);
static const struct kernel_param_ops limit_ops = { .set = limit_set };
module_param_cb(limit, &limit_ops, NULL, 0200);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A mistake in the kernel");
