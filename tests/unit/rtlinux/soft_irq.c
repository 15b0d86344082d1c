// SPDX-License-Identifier: GPL-2.0
/*
 * Tests soft interrupts of lib/rtlinux/module.c. The test replaces the kernel and the rest of the library. A pass is one round
 * of the Linux context: pending soft interrupts, then FIFOs. Returns the line of the first failure, at most 255, or 0.
 */
#include <rtlinux/core.h>

#include <import/mem.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include "expect.h"

#define PASSES 4
#define ALL 16

extern struct limpet_info own asm("__limpet_info");
struct limpet_info own;
const struct rtlinux_parameter *const rtlinux_parameters[] = { NULL };
struct rtl_thread_struct rtlinux_records[RTLINUX_THREADS];
void (*rtlinux_thread_begin)(void);
static struct rtl_thread_struct *const linux_context = rtlinux_records;
static unsigned int passes, events, runs[ALL];
static int irqs[ALL];
static int removed;

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	(void)in;
	(void)out;
	EXPECT(LIMPET_CALL(0) - op == LIMPET_CALL_ENDPOINT_SEND);
	events++;
	return LIMPET_OK;
}

uint64_t limpet_time(void)
{
	return passes;
}

hrtime_t gethrtime(void)
{
	return 0;
}

/* The module is removed after the passes. */
uint64_t rtlinux_stamp(hrtime_t time)
{
	EXPECT(time == 1000000);
	return PASSES;
}

int64_t limpet_arg_within(const struct limpet_info *info, const char *name, int64_t otherwise,
			  int64_t min, int64_t max)
{
	(void)info;
	(void)name;
	(void)otherwise;
	(void)min;
	(void)max;
	return 1;
}

const char *limpet_arg_text(const struct limpet_info *info, const char *name, const char *otherwise)
{
	(void)info;
	(void)name;
	return otherwise;
}

unsigned int limpet_thread_id(void)
{
	return 0;
}

pthread_t pthread_linux(void)
{
	return linux_context;
}

int *rtlinux_errno(void)
{
	return &linux_context->errno_val;
}

void rtlinux_order(void)
{
}

void rtlinux_look(struct rtl_thread_struct *self)
{
	EXPECT(!self);
}

bool stop_begin(void)
{
	return true;
}

bool stop_requested(void)
{
	return false;
}

void stop_end(void)
{
}

void limpet_print(const char *format, ...)
{
	(void)format;
}

long rtlinux_refuse(const char *function, const char *reason, long error)
{
	(void)function;
	(void)reason;
	return error;
}

unsigned long simple_strtoul(const char *text, char **end, unsigned int base)
{
	(void)base;
	*end = (char *)text;
	return 0;
}

long mem_allocate(word pages, word *address)
{
	(void)pages;
	(void)address;
	return LIMPET_ENOMEM;
}

long mem_free(word address)
{
	(void)address;
	return LIMPET_OK;
}

static int place_of(int irq)
{
	int i = 0;

	while (i < ALL - 1 && irqs[i] != irq)
		i++;
	return i;
}

/* The first interrupt pends itself once. The second one frees the third, and allocates a new one in its place. */
static void handler(int irq, void *nothing, struct pt_regs *regs)
{
	const int i = place_of(irq);

	EXPECT(!nothing && !regs && !rtl_global_ispending_irq(irq));
	EXPECT(!linux_context->rtlinux_inside);
	runs[i]++;
	if (i == 0 && runs[0] == 1)
		rtl_global_pend_irq(irq);
	if (i == 1) {
		rtl_free_soft_irq((unsigned int)irqs[2]);
		EXPECT(!rtl_global_ispending_irq(irqs[2]));
		EXPECT(rtl_get_soft_irq(handler, "new") == irqs[2]);
	}
}

int init_module(void)
{
	for (int i = 0; i < ALL; i++)
		irqs[i] = rtl_get_soft_irq(handler, "test");
	EXPECT(irqs[0] > 0 && irqs[ALL - 1] == irqs[0] + ALL - 1);
	EXPECT(rtl_get_soft_irq(handler, "more") == -EBUSY);
	rtl_global_pend_irq(irqs[0] - 1);
	rtl_global_pend_irq(irqs[ALL - 1] + 1);
	rtl_global_pend_irq(-1);
	EXPECT(!events && !rtl_global_ispending_irq(irqs[0] - 1) &&
	       !rtl_global_ispending_irq(irqs[ALL - 1] + 1));
	rtl_free_soft_irq(0);
	rtl_global_pend_irq(irqs[0]);
	rtl_global_pend_irq(irqs[0]);
	rtl_global_pend_irq(irqs[1]);
	rtl_global_pend_irq(irqs[2]);
	rtl_global_pend_irq(irqs[ALL - 1]);
	EXPECT(events == 5 && rtl_global_ispending_irq(irqs[0]) &&
	       rtl_global_ispending_irq(irqs[ALL - 1]) && !rtl_global_ispending_irq(irqs[3]));
	return 0;
}

void rtlinux_fifos_serve(uint64_t until)
{
	EXPECT(until == PASSES && linux_context->rtlinux_inside == 1);
	passes++;
	EXPECT(runs[0] == (passes == 1 ? 1 : 2) && runs[1] == 1 && runs[ALL - 1] == 1);
	EXPECT(!runs[2] && !runs[3]);
	EXPECT(rtl_global_ispending_irq(irqs[0]) == (passes == 1));
}

void cleanup_module(void)
{
	EXPECT(!linux_context->rtlinux_inside);
	removed++;
}

int main(void)
{
	rtlinux_main();
	EXPECT(passes == PASSES && removed == 1);
	return failed > 255 ? 255 : failed;
}
