// SPDX-License-Identifier: GPL-2.0
/*
 * The local APIC (APM vol. 2 chapter 16): the layer owns it, the guest has a virtual one.
 *
 * An edge interrupt gets its end at once: with its bit in service, no other of its class would come
 * for as long as the guest has interrupts off. A level one gets it when the guest gives it, since it
 * would come again. One timer serves both: of whoever is due first.
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

/* 0: none, and that is no vector that can be asked for. */
static unsigned int bit_highest(const u32 *bits)
{
	for (int i = BARE_APIC_WORDS - 1; i >= 0; i--)
		if (bits[i])
			return (unsigned int)(i * 32 + 31 - __builtin_clz(bits[i]));
	return 0;
}

/* The processor's end of interrupt is for what has the highest priority of all in service there. */
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

/* Of the highest class, so the end is for it. */
void bare_apic_timer_came(struct bare_cpu *b)
{
	apic_write(END, 0);
	apic_timer_expired(b);
}

static void vector_arrived(struct bare_cpu *b, unsigned int vector)
{
	struct bare_apic *apic = &b->apic;

	if (vector >= BARE_VECTOR_TIMER && vector <= BARE_VECTOR_DEVICE) {
		bit_set(apic->owed, vector);
		if (vector == BARE_VECTOR_TIMER && !(apic_read(TIMER) & MASKED))
			apic_timer_expired(b);
		if (vector == BARE_VECTOR_DEVICE)
			bare_resources_came(b);
		return;
	}
	if (!apic->stale)
		bit_set(apic->requested, vector);
	if (!(apic_read(SERVICE + vector / 32 * 16) >> vector % 32 & 1))
		return; /* spurious */
	if (vector < BARE_VECTOR_TIMER && apic_read(TRIGGER + vector / 32 * 16) >> vector % 32 & 1)
		bit_set(apic->level, vector);
	else
		bit_set(apic->owed, vector);
}

/* Without a new vector no end is due: end_of_interrupt() writes those that became due by it. */
void bare_arrived(struct bare_cpu *b)
{
	if (likely(!(b->arrived[0] | b->arrived[1] | b->arrived[2] | b->arrived[3])))
		return;
	for (unsigned int i = 0; i < countof(b->arrived); i++)
		for (; b->arrived[i]; b->arrived[i] &= b->arrived[i] - 1)
			vector_arrived(b, i * 64 + (unsigned int)__builtin_ctzl(b->arrived[i]));
	ends_write(&b->apic);
}

/*
 * QEMU's TCG sets its note of a virtual interrupt, at VMRUN, without the lock that its devices take, and
 * may lose their note of a real one. Writing the priority makes its APIC look again; elsewhere it is one
 * access of a register.
 */
static void look_again(void)
{
	apic_write(PRIORITY, BARE_PRIORITY << 4);
}

void bare_apic_taken(struct bare_cpu *b)
{
	struct bare_apic *apic = &b->apic;

	if (!apic->offered)
		return;
	look_again();
	if (vm_interrupt_offered(&b->vm))
		return;
	apic->offered = false;
	bit_clear(apic->requested, apic->vector);
	bit_set(apic->service, apic->vector);
}

u32 apic_processor_priority(const struct bare_apic *apic)
{
	u32 service = bit_highest(apic->service) & 0xf0;

	return service > (apic->priority & 0xf0) ? service : apic->priority;
}

/* What the guest is due; 0: nothing. */
static unsigned int vector_due(const struct bare_apic *apic)
{
	unsigned int vector = bit_highest(apic->requested);

	if (vector < FIRST_VECTOR || (vector & 0xf0) <= (apic_processor_priority(apic) & 0xf0))
		return 0;
	return vector;
}

bool bare_apic_ready(const struct bare_cpu *b)
{
	return vm_interrupts_on(&b->vm) && vector_due(&b->apic);
}

void bare_apic_offer(struct bare_cpu *b)
{
	struct bare_apic *apic = &b->apic;
	unsigned int vector = vector_due(apic);

	vm_interrupt_offer(&b->vm, vector);
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
	apic_write(END, 0);
	ends_write(apic);
}

/* What came for the guest before this one is over: its interrupts are masked where they come from. */
void apic_stale_end(struct bare_apic *apic)
{
	for (unsigned int i = 0; i < BARE_APIC_WORDS; i++) {
		apic->owed[i] |= apic->level[i];
		apic->level[i] = 0;
	}
	ends_write(apic);
	apic->stale = false;
}

void bare_apic_begin(struct bare_cpu *b)
{
	struct bare_apic *apic = &b->apic;

	apic_mode_find();
	*apic = (struct bare_apic){
		.priority = apic_read(PRIORITY),
		.spurious = apic_read(SPURIOUS),
		.command_high = apic_x2 ? 0 : apic_read(COMMAND_HIGH),
	};
	/* What the guest has in service now it has in the processor, too. */
	for (unsigned int i = 0; i < BARE_APIC_WORDS; i++)
		apic->service[i] = apic->level[i] = apic_read(SERVICE + i * 16);
	b->apic_id = apic_id_of(apic_read(ID));
	apic_timer_begin(b);
	apic_write(PRIORITY, BARE_PRIORITY << 4);
	bare_apic_timer(b);
}

static const u16 local[] = { LVT_THERMAL, LVT_COUNTER, LVT_PIN_0, LVT_PIN_1, LVT_ERROR };

/*
 * Level interrupts stay in service in the processor until the guest switches its APIC on: the devices
 * that raise them may not be masked yet.
 */
void bare_apic_reset(struct bare_cpu *b)
{
	struct bare_apic *apic = &b->apic, before = *apic;

	*apic = (struct bare_apic){
		.spurious = 0xff, .timer = MASKED, .due = BARE_NEVER, .stale = true
	};
	apic_write(ERRORS, 0); /* reads as what has come since the last write */
	apic_write(ERRORS, 0);
	apic->others_errors = apic_read(ERRORS); /* QEMU's forgets none */
	__builtin_memcpy(apic->level, before.level, sizeof(apic->level));
	__builtin_memcpy(apic->owed, before.owed, sizeof(apic->owed));
	for (unsigned int i = 0; i < countof(local); i++)
		apic_write(local[i], MASKED);
	for (unsigned int i = 0; i < apic_more(); i++)
		apic_write(LVT_MORE + i * 16, MASKED);
	bare_apic_timer(b);
}

/* No interrupt of the layer's own comes after what waits now. */
void bare_apic_quiet(struct bare_cpu *b)
{
	(void)b;
	apic_write(TIMER, MASKED | BARE_VECTOR_TIMER);
}

void bare_apic_end(struct bare_cpu *b)
{
	struct bare_apic *apic = &b->apic;
	unsigned int vector;

	apic_timer_end(b);
	apic_write(PRIORITY, apic->priority);
	apic_write(SPURIOUS, apic->spurious);
	/* What it was not told of comes again: a level interrupt by itself, others from here. */
	while ((vector = bit_highest(apic->requested)) >= FIRST_VECTOR) {
		bit_clear(apic->requested, vector);
		if (bit_test(apic->level, vector)) {
			bit_clear(apic->level, vector);
			apic_write(END, 0);
			continue;
		}
		apic_command(0, TO_SELF | ASSERT | vector);
	}
	if (!apic_x2)
		apic_write(COMMAND_HIGH, apic->command_high);
}
