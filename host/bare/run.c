// SPDX-License-Identifier: GPL-2.0
/*
 * host.h on the processor itself. Components come first: the guest runs when their kernel has nothing
 * to run, until an event or the deadline.
 */
#include <host/bare/bare.h>

#define VECTOR_NMI 2

static inline struct bare_cpu *cpu_of(struct entry_cpu *e)
{
	return (struct bare_cpu *)((u8 *)e - offsetof(struct bare_cpu, entry));
}

/* VMSAVE and VMLOAD: FS, GS, TR, LDTR and the system call MSRs (APM vol. 3). */
static inline void state_save(u64 vmcb)
{
	asm volatile("vmsave" : : "a"(vmcb) : "memory");
}

static inline void state_load(u64 vmcb)
{
	asm volatile("vmload" : : "a"(vmcb) : "memory");
}

static inline word xcr0_read(void)
{
	u32 low, high;

	asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (word)high << 32 | low;
}

static inline void xcr0_write(word value)
{
	asm volatile("xsetbv" : : "a"((u32)value), "d"((u32)(value >> 32)), "c"(0));
}

static bool wanted(const struct bare_cpu *b)
{
	const struct cpu *cpu = b->entry.cpu;

	return cpu && (!cpu->idle || cpu->inbox.ports || cpu->inbox.channels ||
		       cpu->inbox.requests || b->fired || cpu->host.deadline <= hal_time());
}

/* On the way to the kernel: how long it took since the timer of an idle CPU. */
static void arrival(struct bare_cpu *b)
{
	if (b->fired)
		gravity_learn(&b->gravity, hal_time() - b->fired, b->entry.cpu->early);
	b->fired = 0;
}

/* The guest's registers that #VMEXIT has left in the processor give way to a thread's, and come back. */
static void components_run(struct bare_cpu *b)
{
	struct cpu *cpu = b->entry.cpu;
	word xcr0 = xcr0_read();

	state_save(b->vmcb_physical);
	xcr0_write(b->layer->xsave_mask);
	state_load(b->own_physical);
	hal_thread_switch(b->guest, &cpu->thread->fpu);
	b->entry.resumes++;
	arrival(b);
	bare_components(&b->entry);
	hal_thread_switch(&cpu->thread->fpu, b->guest);
	hal_page_table_load(b->layer->cr3);
	xcr0_write(xcr0);
	state_load(b->vmcb_physical);
	bare_arrived(b); /* an NMI in the kernel */
}

void bare_run(struct bare_cpu *b)
{
	while (wanted(b))
		components_run(b);
}

void bare_yield(struct bare_cpu *b)
{
	asm volatile("stgi\n\tnop\n\tclgi" : : : "memory");
	bare_arrived(b);
	bare_run(b);
}

void bare_forget(struct bare_cpu *b)
{
	b->entry.cpu = NULL;
	b->due = BARE_NEVER;
	b->fired = 0;
	bare_apic_timer(b);
}

static void log_put(struct bare_layer *layer, const char *text, u32 length)
{
	for (u32 i = 0; i < length; i++)
		layer->log[layer->logged++ % BARE_LOG] = text[i];
}

bool bare_serve(struct entry_cpu *e)
{
	struct bare_cpu *b = cpu_of(e);
	struct cpu *cpu = e->cpu;
	struct host_requests *host = &cpu->host;
	u32 pending = host->pending;

	host->pending = 0;
	if (pending & HOST_PRINT) {
		log_put(b->layer, host->print, host->print_length);
		host->print_length = 0;
	}
	if (pending & HOST_END) {
		b->layer->state = LIMPET_STATE_DEAD;
		b->layer->end_reason = LIMPET_END_NO_THREAD;
		bare_forget(b);
		return false;
	}
	for (; host->notify; host->notify &= host->notify - 1)
		b->layer->events.notified[cpu->number][__builtin_ctzl(host->notify)]++;
	host->programmed = host->deadline;
	b->due = host->deadline;
	if (pending & HOST_IDLE && b->due != BARE_NEVER)
		b->due -= b->gravity.value;
	bare_apic_timer(b);
	if (!(pending & HOST_IDLE))
		return true;
	kernel_pause(cpu);
	return false;
}

/* Whoever it is for: the guest hears of its own when it runs again. */
void bare_interrupted(struct entry_cpu *e, word vector)
{
	struct bare_cpu *b = cpu_of(e);

	kernel_pause(e->cpu);
	e->interrupted++;
	b->arrived[vector / 64] |= 1ul << vector % 64;
	bare_arrived(b);
	b->fired = 0;
	kernel_resume(e->cpu);
}
