// SPDX-License-Identifier: GPL-2.0
/*
 * host.h on the processor itself. Components have priority. The guest runs while their kernel has
 * no thread to run, until an event or the deadline.
 */
#include <host/bare/bare.h>

static inline struct bare_cpu *cpu_of(struct entry_cpu *entry)
{
	return (struct bare_cpu *)((u8 *)entry - offsetof(struct bare_cpu, entry));
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

static bool wanted(const struct bare_cpu *bare)
{
	const struct cpu *cpu = bare->entry.cpu;

	if (bare->held && hal_time() < bare->held)
		return false;
	return cpu && (!cpu->idle || cpu->inbox.requests || bare->fired ||
		       cpu->host.deadline <= hal_time());
}

/*
 * Records the time that an idle CPU needed from its timer until the scheduler had decided. Each
 * wake-up counts, because only bounded work of the layer, the kernel and the scheduler lies in
 * between.
 */
static void learn(struct bare_cpu *bare, struct cpu *cpu)
{
	if (bare->fired && cpu->decided > bare->fired)
		gravity_learn(&bare->gravity, cpu->decided - bare->fired, cpu->early);
	bare->fired = cpu->decided = 0;
}

/*
 * Handles the requests of other CPUs. The guest does not run here, so they are done before it continues. Each is taken
 * by an atomic exchange, because another CPU can make it again at any time.
 */
static void asked_for(struct bare_cpu *cpu)
{
	if (__atomic_exchange_n(&cpu->flush, false, __ATOMIC_ACQ_REL))
		vm_flush(&cpu->vm);
	if (__atomic_exchange_n(&cpu->notify, false, __ATOMIC_ACQ_REL) && cpu->layer->vector)
		bare_apic_request(&cpu->apic, cpu->layer->vector);
}

/* Sets the limit of the components' time in this window. */
static void share_begin(struct bare_cpu *cpu, u64 now)
{
	const u64 window = cpu->layer->ticks_per_ms * BARE_WINDOW_MS;
	const u64 part = window * (1000 - cpu->layer->linux_share) / 1000;

	cpu->held = 0;
	cpu->over = false;
	if (!cpu->layer->linux_share)
		return;
	if (now >= cpu->window_end) {
		cpu->window_end = now + window;
		cpu->used = 0;
	}
	cpu->limit = now + (part > cpu->used ? part - cpu->used : 0);
	bare_apic_timer(cpu);
}

/* Counts the components' time since `began`, at which they got the CPU. */
static void share_end(struct bare_cpu *cpu, u64 began)
{
	u64 now = hal_time();

	cpu->used += now - began;
	if (cpu->over && now < cpu->window_end) {
		cpu->held = cpu->window_end;
		cpu->shares++;
	}
	cpu->limit = cpu->held ? cpu->held : BARE_NEVER;
	bare_apic_timer(cpu);
}

/* Runs components. Saves the guest's registers that are still in the processor, and restores them afterwards. */
static void components_run(struct bare_cpu *bare)
{
	struct cpu *cpu = bare->entry.cpu;
	word xcr0 = xcr0_read();
	u64 began = hal_time();

	/*
	 * Only interrupts of the highest class arrive, so that the guest's devices do not take
	 * components' time.
	 */
	priority_set(BARE_VECTOR_TIMER / 16 - 1);
	share_begin(bare, began);
	vm_guest_save(&bare->vm);
	xcr0_write(bare->layer->xsave_mask);
	vm_own_load(&bare->vm);
	bare_idt(true);
	hal_thread_switch(bare->guest, cpu->thread->fpu);
	cpu->resumes++;
	bare_components(&bare->entry);
	learn(bare, cpu);
	hal_thread_switch(cpu->thread->fpu, bare->guest);
	hal_page_table_load(bare->layer->cr3);
	xcr0_write(xcr0);
	bare_idt(false);
	vm_guest_load(&bare->vm);
	share_end(bare, began);
	priority_set(BARE_PRIORITY);
}

void bare_state_load(struct bare_cpu *cpu)
{
	vm_guest_load(&cpu->vm);
	xcr0_write(1);
}

void bare_run(struct bare_cpu *cpu)
{
	while (wanted(cpu) && cpu->layer->state == LIMPET_STATE_RUNNING)
		components_run(cpu);
	if (cpu->entry.cpu && cpu->layer->state != LIMPET_STATE_RUNNING)
		bare_forget(cpu);
	asked_for(cpu);
}

void bare_yield(struct bare_cpu *cpu)
{
	vm_interrupts_take();
	bare_arrived(cpu);
	bare_run(cpu);
}

void bare_forget(struct bare_cpu *cpu)
{
	cpu->entry.cpu = NULL;
	cpu->due = cpu->limit = BARE_NEVER;
	cpu->held = cpu->fired = 0;
	bare_apic_timer(cpu);
}

static void log_put(struct bare_log *log, const char *text, u32 length)
{
	for (u32 i = 0; i < length; i++)
		log->text[log->written++ % BARE_LOG] = text[i];
}

void bare_notify(struct bare_cpu *cpu)
{
	struct bare_cpu *to = cpu->layer->notified;

	if (!to)
		return;
	to->notify = true;
	bare_apic_kick_other(cpu, to);
}

/* Notifies the guest of events of the component's side of these channels. */
static void channels_notify(struct bare_cpu *cpu, u32 number, u32 first, u64 channels)
{
	struct bare_events *events = cpu->layer->events;

	if (!channels)
		return;
	for (; channels; channels &= channels - 1) {
		u32 n = first + (u32)__builtin_ctzl(channels);

		events->stops[number][n] = cpu->layer->cpu[number]->channel[n].stops;
		events->last[number][events->count[number] % CHANNELS_MAX] = (u8)n;
		hal_barrier();
		events->count[number]++;
	}
	bare_notify(cpu);
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

/* Ends the system on all CPUs, because this CPU has no live thread. bare_run() then forgets the components of each. */
static void system_died(struct bare_cpu *cpu)
{
	struct bare_layer *layer = cpu->layer;

	if (layer->state == LIMPET_STATE_RUNNING) {
		layer->end_reason = LIMPET_END_NO_THREAD;
		layer->state = LIMPET_STATE_DEAD;
	}
	kick(layer, ~0ul >> (64 - layer->setup.cpus));
}

bool bare_serve(struct entry_cpu *entry)
{
	struct bare_cpu *bare = cpu_of(entry);
	struct cpu *cpu = entry->cpu;
	struct host_requests *host = &cpu->host;
	u32 pending = host->pending;

	host->pending = 0;
	if (pending & HOST_PRINT) {
		log_put(bare->log, host->print, host->print_length);
		host->print_length = 0;
	}
	if (pending & HOST_END) {
		system_died(bare);
		return false;
	}
	kick(bare->layer, host->kick);
	host->kick = 0;
	lines_open(bare->layer, host->acks);
	host->acks = 0;
	for (u32 i = 0; pending & HOST_NOTIFY && i < countof(host->notify); i++) {
		channels_notify(bare, cpu->number, i * 64, host->notify[i]);
		host->notify[i] = 0;
	}
	bare->due = host->programmed = host->deadline;
	if (pending & HOST_IDLE && bare->due != BARE_NEVER)
		bare->due -= bare->gravity.value;
	bare_apic_timer(bare);
	if (!(pending & (HOST_IDLE | HOST_SHARE)))
		return true;
	kernel_pause(cpu);
	return false;
}

static void arrived_here(struct bare_cpu *cpu, word vector)
{
	if (vector == VECTOR_NMI)
		cpu->nmi = true;
	else if (vector == VECTOR_MC)
		cpu->machine_check = true;
	else
		cpu->arrived[vector / 64] |= 1ul << vector % 64;
	bare_arrived(cpu);
}

/*
 * Handles the vector, whether it is the layer's or the guest's. The guest gets its interrupts when
 * it runs again.
 */
void bare_interrupted(struct entry_cpu *entry, word vector)
{
	struct bare_cpu *bare = cpu_of(entry);

	kernel_pause(entry->cpu);
	entry->cpu->interrupted++;
	learn(bare, entry->cpu);
	if (likely(vector == BARE_VECTOR_TIMER))
		bare_apic_timer_came(bare);
	else
		arrived_here(bare, vector);
	bare->fired = 0; /* only idle CPUs record it */
	asked_for(bare);
	entry_resume(entry);
	if (bare->layer->state != LIMPET_STATE_RUNNING)
		entry->cpu->host.pending |= HOST_END;
	if (bare->over)
		entry->cpu->host.pending |= HOST_SHARE;
}
