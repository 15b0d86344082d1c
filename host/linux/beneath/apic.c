// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the rate of the local APIC's timer. In a file of its own, because Linux's APIC header
 * also has a struct cpu.
 */
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include <host/linux/beneath/apic.h>
#include <host/linux/compat.h>

#define CALIBRATIONS 20
#define CALIBRATED 1000 /* a measurement is good if its reads were within 1 ms / CALIBRATED */

/* A time stamp and the timer's count, read within `apart` ticks. */
struct moment {
	u64 time, apart;
	u32 left;
};

static struct moment moment_read(void)
{
	struct moment moment = { .time = rdtsc_ordered() };

	moment.left = apic->read(APIC_TMCCT);
	moment.apart = rdtsc_ordered() - moment.time;
	return moment;
}

/*
 * Uses the best of several measurements, because a hypervisor can interrupt the CPU between two
 * reads.
 */
bool beneath_apic_calibrate(u64 *ticks_shift32, u64 *counts_shift32)
{
	u64 best = U64_MAX, ticks, counts, deadline = 0;
	struct moment begin, end;
	unsigned long flags;
	u32 timer, divide, initial, left;

	local_irq_save(flags);
	timer = apic->read(APIC_LVTT);
	divide = apic->read(APIC_TDCR);
	initial = apic->read(APIC_TMICT);
	left = apic->read(APIC_TMCCT);
	if (timer & APIC_LVT_TIMER_TSCDEADLINE)
		rdmsrq(MSR_IA32_TSC_DEADLINE, deadline);
	apic->write(APIC_LVTT, (timer & APIC_VECTOR_MASK) | APIC_LVT_MASKED);
	apic->write(APIC_TDCR, APIC_TDR_DIV_1);
	for (unsigned int i = 0; i < CALIBRATIONS && best > tsc_khz / CALIBRATED; i++) {
		apic->write(APIC_TMICT, ~0u);
		begin = moment_read();
		while (rdtsc() - begin.time < tsc_khz) /* a millisecond */
			cpu_relax();
		end = moment_read();
		if (begin.apart + end.apart >= best || begin.left == end.left)
			continue;
		best = begin.apart + end.apart;
		ticks = end.time - begin.time;
		counts = begin.left - end.left;
		*ticks_shift32 = (ticks << 32) / counts;
		*counts_shift32 = (counts << 32) / ticks;
	}
	apic->write(APIC_TDCR, divide);
	apic->write(APIC_LVTT, timer);
	/* An expired timer expires again, because its interrupt may not have been delivered yet. */
	apic->write(APIC_TMICT, initial && !left ? 1 : left);
	if (timer & APIC_LVT_TIMER_TSCDEADLINE) {
		mb(); /* the mode must be written first, if it is in memory */
		wrmsrq(MSR_IA32_TSC_DEADLINE, deadline);
	}
	local_irq_restore(flags);
	return best < U64_MAX;
}
