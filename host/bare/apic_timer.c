// SPDX-License-Identifier: GPL-2.0
/*
 * The processor's timer serves the guest, components and the layer. It is set to the earliest
 * deadline. The guest's timer is a deadline in each mode. In mode DEADLINE it is the value that the
 * guest has written.
 */
#include <host/bare/apic.h>

#define TIMER_MAX 0xffffffffull
#define PERIODS_PER_MS 10

static unsigned int divisor_shift(const struct bare_apic *apic)
{
	unsigned int code = (apic->divide & 3) | (apic->divide >> 1 & 4);

	return (code + 1) & 7;
}

static u64 ticks_of(const struct bare_cpu *cpu, u64 counts)
{
	return (u64)(((unsigned __int128)(counts << divisor_shift(&cpu->apic)) *
		      cpu->layer->ticks_shift32) >>
		     32);
}

static u64 counts_of(const struct bare_cpu *cpu, u64 ticks)
{
	return (u64)(((unsigned __int128)ticks * cpu->layer->counts_shift32) >> 32);
}

/* Programs the processor's timer, without divider, for the earliest deadline. */
void bare_apic_timer(struct bare_cpu *cpu)
{
	u64 now = hal_time(), due = cpu->due < cpu->apic.due ? cpu->due : cpu->apic.due, counts;

	due = cpu->limit < due ? cpu->limit : due;
	due = cpu->layer->silent_at < due ? cpu->layer->silent_at : due;
	if (due == BARE_NEVER) {
		apic_write(INITIAL, 0);
		return;
	}
	counts = due > now ? counts_of(cpu, due - now) : 0;
	apic_write(INITIAL, (u32)(counts < 1 ? 1 : counts > TIMER_MAX ? TIMER_MAX : counts));
}

u32 apic_timer_current(const struct bare_cpu *cpu)
{
	u64 now = hal_time();

	if (cpu->apic.timer & DEADLINE || cpu->apic.due == BARE_NEVER || cpu->apic.due <= now)
		return 0;
	return (u32)(counts_of(cpu, cpu->apic.due - now) >> divisor_shift(&cpu->apic));
}

void apic_timer_start(struct bare_cpu *cpu, u32 counts)
{
	if (cpu->apic.timer & DEADLINE)
		return;
	cpu->apic.initial = counts;
	cpu->apic.due = counts ? hal_time() + ticks_of(cpu, counts) : BARE_NEVER;
	bare_apic_timer(cpu);
}

/*
 * Returns the next expiry of a periodic timer. Periods that have passed count as one interrupt,
 * because the vector has one bit. They also expire while components run. A very short period is
 * lengthened, because its interrupts would use up the components' time.
 */
static u64 timer_next(const struct bare_cpu *cpu, u64 now)
{
	const struct bare_apic *apic = &cpu->apic;
	u64 period = ticks_of(cpu, apic->initial), min = cpu->layer->ticks_per_ms / PERIODS_PER_MS;

	if (!(apic->timer & PERIODIC) || !period)
		return BARE_NEVER;
	period = period < min ? min : period;
	return apic->due + ((now - apic->due) / period + 1) * period;
}

void apic_timer_expired(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic;
	u64 now = hal_time();

	if (cpu->due <= now) {
		cpu->fired = cpu->due;
		cpu->due = BARE_NEVER;
		cpu->entry.cpu->host.programmed = LIMPET_NEVER;
	}
	if (cpu->layer->silent_at <= now) {
		cpu->layer->silent_at = BARE_NEVER;
		bare_death(cpu, LIMPET_DEATH_SILENT);
	}
	if (cpu->limit <= now) {
		cpu->limit = BARE_NEVER;
		cpu->over = true;
	}
	if (apic->due <= now) {
		if (!(apic->timer & MASKED))
			bare_apic_request(apic, apic->timer & 0xff);
		apic->due = timer_next(cpu, now);
	}
	bare_apic_timer(cpu);
}

/* A change to or from mode DEADLINE stops the timer. */
void apic_timer_set(struct bare_cpu *cpu, u32 value)
{
	struct bare_apic *apic = &cpu->apic;
	bool stops = (apic->timer ^ value) & DEADLINE;

	apic->timer = value & ~DELIVERY_PENDING;
	if (!stops)
		return;
	apic->initial = 0;
	apic->due = BARE_NEVER;
	bare_apic_timer(cpu);
}

u64 apic_timer_deadline(const struct bare_cpu *cpu)
{
	return cpu->apic.timer & DEADLINE && cpu->apic.due != BARE_NEVER ? cpu->apic.due : 0;
}

void apic_timer_deadline_set(struct bare_cpu *cpu, u64 deadline)
{
	if (!(cpu->apic.timer & DEADLINE))
		return;
	cpu->apic.due = deadline ? deadline : BARE_NEVER;
	bare_apic_timer(cpu);
}

void apic_timer_begin(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic;
	u64 deadline;

	apic->timer = apic_read(TIMER);
	apic->divide = apic_read(DIVIDE);
	apic->due = BARE_NEVER;
	if (apic->timer & DEADLINE) {
		deadline = apic_deadline_read();
		apic->due = deadline ? deadline : BARE_NEVER;
	} else {
		apic->initial = apic_read(INITIAL);
		/*
		 * An expired timer expires again, because QEMU reports an expiry later than it
		 * counts it.
		 */
		if (apic->initial)
			apic->due = hal_time() + ticks_of(cpu, apic_read(CURRENT));
	}
	apic_write(TIMER, BARE_VECTOR_TIMER);
	apic_write(DIVIDE, 0xb);
}

/*
 * A guest in a mode that the processor lacks can only harm itself, because it leaves and no system
 * runs.
 */
void apic_timer_end(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic;
	u32 current = apic_timer_current(cpu);

	apic_write(TIMER, apic->timer);
	apic_write(DIVIDE, apic->divide);
	if (apic->timer & DEADLINE)
		apic_deadline_write(apic_timer_deadline(cpu));
	else
		apic_write(INITIAL, apic->due != BARE_NEVER && !current ? 1 : current);
}
