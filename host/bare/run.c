// SPDX-License-Identifier: GPL-2.0
/*
 * host.h on the processor itself. Components have priority. The guest runs while their kernel has
 * no thread to run, until an event or the deadline.
 */
#include <host/bare/bare.h>

static inline struct bare_cpu *cpu_of(struct entry_cpu *e)
{
	return (struct bare_cpu *)((u8 *)e - offsetof(struct bare_cpu, entry));
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

/* Interrupts of this class and lower ones wait. */
static inline void priority_set(word class)
{
	asm volatile("mov %0, %%cr8" : : "r"(class) : "memory");
}

static bool wanted(const struct bare_cpu *b)
{
	const struct cpu *cpu = b->entry.cpu;

	if (b->held && hal_time() < b->held)
		return false;
	return cpu &&
	       (!cpu->idle || cpu->inbox.requests || b->fired || cpu->host.deadline <= hal_time());
}

/*
 * Records the time that an idle CPU needed from its timer until the scheduler had decided. Each
 * wake-up counts, because only bounded work of the layer, the kernel and the scheduler lies in
 * between.
 */
static void learn(struct bare_cpu *b, struct cpu *cpu)
{
	if (b->fired && cpu->decided > b->fired)
		gravity_learn(&b->gravity, cpu->decided - b->fired, 0, cpu->early);
	b->fired = cpu->decided = 0;
}

/*
 * Handles the requests of other CPUs. The guest does not run here, so they are done before it
 * continues.
 */
static void asked_for(struct bare_cpu *b)
{
	if (b->flush)
		vm_flush(&b->vm);
	b->flush = false;
	if (b->notify && b->layer->vector)
		bare_apic_request(&b->apic, b->layer->vector);
	b->notify = false;
}

/* Sets the limit of the components' time in this window. */
static void share_begin(struct bare_cpu *b, u64 now)
{
	const u64 window = b->layer->ticks_per_ms * BARE_WINDOW_MS;
	const u64 part = window * (1000 - b->layer->linux_share) / 1000;

	b->held = 0;
	b->over = false;
	if (!b->layer->linux_share)
		return;
	if (now >= b->window_end) {
		b->window_end = now + window;
		b->used = 0;
	}
	b->limit = now + (part > b->used ? part - b->used : 0);
	bare_apic_timer(b);
}

/* Counts the components' time since `began`, at which they got the CPU. */
static void share_end(struct bare_cpu *b, u64 began)
{
	u64 now = hal_time();

	b->used += now - began;
	if (b->over && now < b->window_end) {
		b->held = b->window_end;
		b->shares++;
	}
	b->limit = b->held ? b->held : BARE_NEVER;
	bare_apic_timer(b);
}

/* Runs components. Saves the guest's registers that are still in the processor, and restores them afterwards. */
static void components_run(struct bare_cpu *b)
{
	struct cpu *cpu = b->entry.cpu;
	word xcr0 = xcr0_read();
	u64 began = hal_time();

	/*
	 * Only interrupts of the highest class arrive, so that the guest's devices do not take
	 * components' time.
	 */
	priority_set(BARE_VECTOR_TIMER / 16 - 1);
	share_begin(b, began);
	vm_guest_save(&b->vm);
	xcr0_write(b->layer->xsave_mask);
	vm_own_load(&b->vm);
	bare_idt(true);
	hal_thread_switch(b->guest, cpu->thread->fpu);
	cpu->resumes++;
	bare_components(&b->entry);
	learn(b, cpu);
	hal_thread_switch(cpu->thread->fpu, b->guest);
	hal_page_table_load(b->layer->cr3);
	xcr0_write(xcr0);
	bare_idt(false);
	vm_guest_load(&b->vm);
	share_end(b, began);
	priority_set(BARE_PRIORITY);
}

void bare_state_load(struct bare_cpu *b)
{
	vm_guest_load(&b->vm);
	xcr0_write(1);
}

void bare_run(struct bare_cpu *b)
{
	while (wanted(b) && b->layer->state == LIMPET_STATE_RUNNING)
		components_run(b);
	if (b->entry.cpu && b->layer->state != LIMPET_STATE_RUNNING)
		bare_forget(b);
	asked_for(b);
}

void bare_yield(struct bare_cpu *b)
{
	vm_interrupts_take();
	bare_arrived(b);
	bare_run(b);
}

void bare_forget(struct bare_cpu *b)
{
	b->entry.cpu = NULL;
	b->due = b->limit = BARE_NEVER;
	b->held = b->fired = 0;
	bare_apic_timer(b);
}

static void log_put(struct bare_log *log, const char *text, u32 length)
{
	for (u32 i = 0; i < length; i++)
		log->text[log->written++ % BARE_LOG] = text[i];
}

void bare_notify(struct bare_cpu *b)
{
	struct bare_cpu *to = b->layer->notified;

	if (!to)
		return;
	to->notify = true;
	bare_apic_kick_other(b, to);
}

/* Notifies the guest of events of the component's side of these channels. */
static void channels_notify(struct bare_cpu *b, u32 number, u32 first, u64 channels)
{
	struct bare_events *events = b->layer->events;

	if (!channels)
		return;
	for (; channels; channels &= channels - 1) {
		u32 n = first + (u32)__builtin_ctzl(channels);

		events->stops[number][n] = b->layer->cpu[number]->channel[n].stops;
		events->last[number][events->count[number] % CHANNELS_MAX] = (u8)n;
		hal_barrier();
		events->count[number]++;
	}
	bare_notify(b);
}

/* Unmasks interrupts that components have served. */
static void lines_open(struct bare_layer *layer, u64 numbers)
{
	for (; numbers; numbers &= numbers - 1) {
		u32 n = (u32)__builtin_ctzl(numbers);

		if (layer->resource[n].io_apic)
			bare_io_apic_open(layer, n);
	}
}

static void kick(const struct bare_layer *layer, u64 cpus)
{
	for (; cpus; cpus &= cpus - 1)
		bare_apic_kick(layer->on[__builtin_ctzl(cpus)]);
}

/* Ends the system on all CPUs, because this CPU has no live thread. */
static void system_died(struct bare_cpu *b)
{
	struct bare_layer *layer = b->layer;

	if (layer->state == LIMPET_STATE_RUNNING) {
		layer->end_reason = LIMPET_END_NO_THREAD;
		layer->state = LIMPET_STATE_DEAD;
	}
	kick(layer, ~0ul >> (64 - layer->setup.cpus));
	bare_forget(b);
}

bool bare_serve(struct entry_cpu *e)
{
	struct bare_cpu *b = cpu_of(e);
	struct cpu *cpu = e->cpu;
	struct host_requests *host = &cpu->host;
	u32 pending = host->pending;

	host->pending = 0;
	if (pending & HOST_PRINT) {
		log_put(b->log, host->print, host->print_length);
		host->print_length = 0;
	}
	if (pending & HOST_END) {
		system_died(b);
		return false;
	}
	kick(b->layer, host->kick);
	host->kick = 0;
	lines_open(b->layer, host->acks);
	host->acks = 0;
	for (u32 i = 0; pending & HOST_NOTIFY && i < countof(host->notify); i++) {
		channels_notify(b, cpu->number, i * 64, host->notify[i]);
		host->notify[i] = 0;
	}
	b->due = host->programmed = host->deadline;
	if (pending & HOST_IDLE && b->due != BARE_NEVER)
		b->due -= b->gravity.value;
	bare_apic_timer(b);
	if (!(pending & (HOST_IDLE | HOST_SHARE)))
		return true;
	kernel_pause(cpu);
	return false;
}

static void arrived_here(struct bare_cpu *b, word vector)
{
	if (vector == VECTOR_NMI)
		b->nmi = true;
	else if (vector == VECTOR_MC)
		b->machine_check = true;
	else
		b->arrived[vector / 64] |= 1ul << vector % 64;
	bare_arrived(b);
}

/*
 * Handles the vector, whether it is the layer's or the guest's. The guest gets its interrupts when
 * it runs again.
 */
void bare_interrupted(struct entry_cpu *e, word vector)
{
	struct bare_cpu *b = cpu_of(e);

	kernel_pause(e->cpu);
	e->cpu->interrupted++;
	learn(b, e->cpu);
	if (likely(vector == BARE_VECTOR_TIMER))
		bare_apic_timer_came(b);
	else
		arrived_here(b, vector);
	b->fired = 0; /* only idle CPUs record it */
	asked_for(b);
	entry_resume(e);
	if (b->layer->state != LIMPET_STATE_RUNNING)
		e->cpu->host.pending |= HOST_END;
	if (b->over)
		e->cpu->host.pending |= HOST_SHARE;
}
