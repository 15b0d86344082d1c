// SPDX-License-Identifier: GPL-2.0
/*
 * The local APIC (APM vol. 2 chapter 16). The layer uses the processor's APIC, and the guest has a
 * virtual one.
 *
 * The layer ends an edge-triggered interrupt immediately. With its bit in service, other interrupts
 * of its class would be blocked for as long as the guest has interrupts off. A level-triggered
 * interrupt would repeat, so the layer ends it when the guest does. The processor's timer serves
 * the layer and the guest: it is set to the earlier deadline.
 */
#include <host/bare/apic.h>

static bool bit_test(const u32 *bits, unsigned int n)
{
	return bits[n / 32] >> n % 32 & 1;
}

static void bit_set(u32 *bits, unsigned int n)
{
	bits[n / 32] |= 1u << n % 32;
}

static void bit_clear(u32 *bits, unsigned int n)
{
	bits[n / 32] &= ~(1u << n % 32);
}

/*
 * Returns the highest vector in a set, or 0 if the set is empty, because vector 0 cannot be
 * requested.
 */
static unsigned int bit_highest(const u32 *bits)
{
	for (int i = BARE_APIC_WORDS - 1; i >= 0; i--)
		if (bits[i])
			return (unsigned int)(i * 32 + 31 - __builtin_clz(bits[i]));
	return 0;
}

/*
 * Writes the ends of interrupts that are due. Each ends the interrupt of the highest priority in
 * service.
 */
static void ends_write(struct bare_apic *apic)
{
	for (;;) {
		unsigned int vector = bit_highest(apic->owed);

		if (!vector || vector < bit_highest(apic->level))
			return;
		bit_clear(apic->owed, vector);
		apic_write(END, 0);
	}
}

/* The timer is of the highest class, so the end of interrupt is for it. */
void bare_apic_timer_came(struct bare_cpu *cpu)
{
	apic_write(END, 0);
	apic_timer_expired(cpu);
}

static void vector_arrived(struct bare_cpu *cpu, unsigned int vector)
{
	struct bare_apic *apic = &cpu->apic;

	if (vector >= BARE_VECTOR_TIMER && vector <= BARE_VECTOR_DEVICE) {
		bit_set(apic->owed, vector);
		if (vector == BARE_VECTOR_TIMER && !(apic_read(TIMER) & MASKED))
			apic_timer_expired(cpu);
		if (vector == BARE_VECTOR_DEVICE)
			bare_resources_came(cpu);
		return;
	}
	if (!apic->stale)
		bit_set(apic->requested, vector);
	if (!(apic_read(SERVICE + vector / 32 * 16) >> vector % 32 & 1))
		bit_set(apic->no_end, vector);
	else if (vector < BARE_VECTOR_TIMER &&
		 apic_read(TRIGGER + vector / 32 * 16) >> vector % 32 & 1)
		bit_set(apic->level, vector);
	else
		bit_set(apic->owed, vector);
}

/*
 * Returns immediately if no vector arrived, because no end of interrupt became due then. apic_end_of_interrupt() writes
 * the ends that become due by an end of the guest's.
 */
void bare_arrived(struct bare_cpu *cpu)
{
	if (likely(!(cpu->arrived[0] | cpu->arrived[1] | cpu->arrived[2] | cpu->arrived[3])))
		return;
	for (unsigned int i = 0; i < countof(cpu->arrived); i++)
		for (; cpu->arrived[i]; cpu->arrived[i] &= cpu->arrived[i] - 1)
			vector_arrived(cpu, i * 64 + (unsigned int)__builtin_ctzl(cpu->arrived[i]));
	ends_write(&cpu->apic);
}

/*
 * Makes QEMU's APIC signal a pending interrupt again. At VMRUN, QEMU's TCG sets the flag of a
 * virtual interrupt without its devices' lock, and can lose the flag of a real interrupt. A write
 * of the priority restores it. On other processors this is one access of a register.
 */
static void look_again(void)
{
	apic_write(PRIORITY, BARE_PRIORITY << 4);
}

void bare_apic_taken(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic;

	if (!apic->offered)
		return;
	look_again();
	if (vm_interrupt_offered(&cpu->vm))
		return;
	apic->offered = false;
	bit_clear(apic->requested, apic->vector);
	if (!bit_test(apic->no_end, apic->vector))
		bit_set(apic->service, apic->vector);
	bit_clear(apic->no_end, apic->vector);
}

u32 apic_processor_priority(const struct bare_apic *apic)
{
	u32 service = bit_highest(apic->service) & 0xf0;

	return service > (apic->priority & 0xf0) ? service : apic->priority;
}

/* Returns the vector that the guest must get next, or 0. */
static unsigned int vector_due(const struct bare_apic *apic)
{
	unsigned int vector = bit_highest(apic->requested);

	if (vector < FIRST_VECTOR || (vector & 0xf0) <= (apic_processor_priority(apic) & 0xf0))
		return 0;
	return vector;
}

bool bare_apic_ready(const struct bare_cpu *cpu)
{
	return vm_interrupts_on(&cpu->vm) && vector_due(&cpu->apic);
}

void bare_apic_offer(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic;
	unsigned int vector = vector_due(apic);

	vm_interrupt_offer(&cpu->vm, vector);
	apic->offered = vector;
	apic->vector = (u8)vector;
}

void apic_end_of_interrupt(struct bare_apic *apic)
{
	unsigned int vector = bit_highest(apic->service);

	bit_clear(apic->service, vector);
	if (!bit_test(apic->level, vector))
		return;
	bit_clear(apic->level, vector);
	bit_set(apic->owed, vector);
	ends_write(apic);
}

/* Ends the interrupts of the previous guest. They are masked at their sources. */
void apic_stale_end(struct bare_apic *apic)
{
	for (unsigned int i = 0; i < BARE_APIC_WORDS; i++) {
		apic->owed[i] |= apic->level[i];
		apic->level[i] = 0;
	}
	ends_write(apic);
	apic->stale = false;
}

void bare_apic_begin(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic;

	apic_mode_find();
	*apic = (struct bare_apic){
		.priority = apic_read(PRIORITY),
		.spurious = apic_read(SPURIOUS),
		.command_high = apic_x2 ? 0 : apic_read(COMMAND_HIGH),
	};
	/* The interrupts that the guest has in service are also in service in the processor. */
	for (unsigned int i = 0; i < BARE_APIC_WORDS; i++)
		apic->service[i] = apic->level[i] = apic_read(SERVICE + i * 16);
	cpu->apic_id = apic_id_of(apic_read(ID));
	apic_timer_begin(cpu);
	apic_write(PRIORITY, BARE_PRIORITY << 4);
	bare_apic_timer(cpu);
}

static const u16 local[] = { LVT_THERMAL, LVT_COUNTER, LVT_PIN_0, LVT_PIN_1, LVT_ERROR };

/*
 * Level-triggered interrupts stay in service in the processor until the guest enables its APIC,
 * because their sources may not be masked yet.
 */
void bare_apic_reset(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic, before = *apic;

	*apic = (struct bare_apic){
		.spurious = 0xff, .timer = MASKED, .due = BARE_NEVER, .stale = true
	};
	apic_write(ERRORS, 0); /* a read then returns the errors since the last write */
	apic_write(ERRORS, 0);
	apic->others_errors = apic_read(ERRORS); /* QEMU's APIC never clears errors */
	__builtin_memcpy(apic->level, before.level, sizeof(apic->level));
	__builtin_memcpy(apic->owed, before.owed, sizeof(apic->owed));
	for (unsigned int i = 0; i < countof(local); i++)
		apic_write(local[i], MASKED);
	for (unsigned int i = 0; i < apic_more(); i++)
		apic_write(LVT_MORE + i * 16, MASKED);
	bare_apic_timer(cpu);
}

/* Stops the layer's own interrupts. Only those that are pending can still arrive. */
void bare_apic_quiet(struct bare_cpu *cpu)
{
	(void)cpu;
	apic_write(TIMER, MASKED | BARE_VECTOR_TIMER);
}

void bare_apic_end(struct bare_cpu *cpu)
{
	struct bare_apic *apic = &cpu->apic;
	unsigned int vector;

	apic_timer_end(cpu);
	apic_write(PRIORITY, apic->priority);
	apic_write(SPURIOUS, apic->spurious);
	/*
	 * Interrupts that the guest did not get are sent again, but not those that it would not end. Level-triggered ones
	 * repeat without this.
	 */
	while ((vector = bit_highest(apic->requested)) >= FIRST_VECTOR) {
		bit_clear(apic->requested, vector);
		if (bit_test(apic->level, vector)) {
			bit_clear(apic->level, vector);
			apic_write(END, 0);
			continue;
		}
		if (!bit_test(apic->no_end, vector))
			apic_command(0, TO_SELF | ASSERT | vector);
	}
	/* An end can wait for that of a level-triggered interrupt, which the guest has not written. That one then repeats. */
	if (bit_highest(apic->owed))
		apic_stale_end(apic);
	if (!apic_x2)
		apic_write(COMMAND_HIGH, apic->command_high);
}
