// SPDX-License-Identifier: GPL-2.0
/*
 * The local APIC (APM vol. 2 chapter 16): the layer owns it, the guest has a virtual one.
 *
 * An edge interrupt gets its end at once: with its bit in service, no other of its class would come
 * for as long as the guest has interrupts off. A level one gets it when the guest gives it, since it
 * would come again. One timer serves both: of whoever is due first.
 */
#include <host/bare/apic.h>

#define ASSERT (1u << 14)
#define TO_SELF (1u << 18)
#define MODE(command) ((command) >> 8 & 7)
#define MODE_FIXED 0u
#define MODE_LOWEST 1u
#define MODE_NMI 4u
#define MODE_INIT 5u
#define MODE_START 6u
#define LOGICAL (1u << 11)
#define SHORTHAND (3u << 18)
#define TO_OTHERS SHORTHAND
#define ENABLED (1u << 8) /* of SPURIOUS */
/* Of LVT_... but TIMER: pending, remote IRR, and one that AMD has reserved: in x2APIC mode it faults. */
#define LVT_READ_ONLY (7u << 12)

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

/* --- interrupts */

void bare_apic_request(struct bare_apic *apic, unsigned int vector)
{
	bit_set(apic->requested, vector);
}

/* The processor's end of interrupt is for what has the highest priority of all in service there. */
void bare_apic_ends(struct bare_apic *apic)
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

void bare_apic_arrived(struct bare_cpu *b, unsigned int vector)
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

static u32 processor_priority(const struct bare_apic *apic)
{
	u32 service = bit_highest(apic->service) & 0xf0;

	return service > (apic->priority & 0xf0) ? service : apic->priority;
}

/* What the guest is due; 0: nothing. */
static unsigned int vector_due(const struct bare_apic *apic)
{
	unsigned int vector = bit_highest(apic->requested);

	if (vector < FIRST_VECTOR || (vector & 0xf0) <= (processor_priority(apic) & 0xf0))
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

static void end_of_interrupt(struct bare_apic *apic)
{
	unsigned int vector = bit_highest(apic->service);

	bit_clear(apic->service, vector);
	if (!bit_test(apic->level, vector))
		return;
	bit_clear(apic->level, vector);
	apic_write(END, 0);
	bare_apic_ends(apic);
}

/* --- the guest's accesses */

u32 apic_virtual_read(const struct bare_cpu *b, word offset)
{
	const struct bare_apic *apic = &b->apic;

	switch (offset) {
	case PRIORITY:
		return apic->priority;
	case PROCESSOR_PRIORITY:
		return processor_priority(apic);
	case SPURIOUS:
		return apic->spurious;
	case COMMAND_HIGH:
		return apic->command_high;
	case TIMER:
		return apic->timer;
	case INITIAL:
		return apic->initial;
	case CURRENT:
		return apic_timer_current(b);
	case DIVIDE:
		return apic->divide;
	case ERRORS:
		return apic_read(ERRORS) & ~apic->others_errors;
	}
	if (offset >= SERVICE && offset < TRIGGER)
		return apic->service[(offset - SERVICE) / 16];
	if (offset >= REQUESTED && offset < REQUESTED + 0x80)
		return apic->requested[(offset - REQUESTED) / 16];
	return apic_read(offset);
}

void bare_apic_kick(const struct bare_cpu *to)
{
	apic_command(to->apic_id, ASSERT | BARE_VECTOR_KICK);
}

void bare_apic_init(const struct bare_cpu *to)
{
	apic_command(to->apic_id, ASSERT | MODE_INIT << 8);
}

/*
 * Returns whether a command of the guest may go to the processor: an ordinary interrupt or an NMI. A command that
 * resets a CPU, or uses a vector of the exceptions or of the layer, may not.
 */
static bool harmless(u32 value)
{
	if (MODE(value) == MODE_FIXED || MODE(value) == MODE_LOWEST)
		return bare_vector_of_guest(value);
	return MODE(value) == MODE_NMI;
}

static bool is_named(const struct bare_cpu *b, const struct bare_cpu *other, u32 to, u32 shorthand)
{
	if (shorthand == TO_SELF)
		return other == b;
	if (shorthand == TO_OTHERS)
		return other != b;
	return shorthand || to == (apic_x2 ? ~0u : 0xffu) || other->apic_id == to;
}

/*
 * Sends an NMI of the guest only to those CPUs of the layer that the command names. A processor outside the layer,
 * such as one that is added later, would wake up and could execute the guest's code. The caller does not use this for
 * a logical destination, because an APIC that was never switched on does not match one.
 */
static void nmi_send(const struct bare_cpu *b, u32 to, u32 shorthand)
{
	for (u32 i = 0; i < b->layer->count; i++) {
		const struct bare_cpu *other = b->layer->cpus[i];

		if (!other->released && is_named(b, other, to, shorthand))
			apic_command(other->apic_id, ASSERT | MODE_NMI << 8);
	}
}

/* INIT and its end, and a startup IPI, are for the guest's CPU, not for the layer's. */
static void command(struct bare_cpu *b, u32 value)
{
	u32 to = apic_id_of(b->apic.command_high);

	if (MODE(value) == MODE_NMI && (value & SHORTHAND || !(value & LOGICAL))) {
		nmi_send(b, to, value & SHORTHAND);
	} else if (harmless(value)) {
		apic_command(to, value & ~DELIVERY_PENDING);
	} else if (!(value & (SHORTHAND | LOGICAL))) {
		if (MODE(value) == MODE_INIT && value & ASSERT)
			bare_init(b, to);
		else if (MODE(value) == MODE_START)
			bare_start(b, to, value & 0xff);
	}
}

/* What came for the guest before this one is over: its interrupts are masked where they come from. */
static void stale_end(struct bare_apic *apic)
{
	for (unsigned int i = 0; i < BARE_APIC_WORDS; i++) {
		apic->owed[i] |= apic->level[i];
		apic->level[i] = 0;
	}
	bare_apic_ends(apic);
	apic->stale = false;
}

void apic_virtual_write(struct bare_cpu *b, word offset, u32 value)
{
	struct bare_apic *apic = &b->apic;

	switch (offset) {
	case PRIORITY:
		apic->priority = value & 0xff;
		return;
	case END:
		end_of_interrupt(apic);
		return;
	case SPURIOUS:
		apic->spurious = value;
		if (apic->stale && value & ENABLED)
			stale_end(apic);
		return;
	case COMMAND_HIGH:
		apic->command_high = value;
		return;
	case COMMAND:
		command(b, value);
		return;
	case TIMER:
		apic_timer_set(b, value);
		return;
	case INITIAL:
		apic_timer_start(b, value);
		return;
	case DIVIDE:
		apic->divide = value & 0xb;
		return;
	case LVT_THERMAL:
	case LVT_COUNTER:
	case LVT_PIN_0:
	case LVT_PIN_1:
	case LVT_ERROR:
	case LVT_MORE:
	case LVT_MORE + 0x10:
	case LVT_MORE + 0x20:
	case LVT_MORE + 0x30:
		apic_write(offset, (harmless(value) ? value : value | MASKED) & ~LVT_READ_ONLY);
		return;
	case LOGICAL_ID:
	case LOGICAL_FORMAT:
	case ERRORS:
		apic_write(offset, value);
		return;
	}
}

bool bare_apic_access(struct bare_cpu *b, word offset)
{
	struct bare_move move;
	u64 *reg;

	if (apic_x2 || !bare_move_read(b, &move) || move.size != 4 || offset % 16)
		return false;
	bare_yield(b);
	reg = vm_register(&b->vm, move.reg);
	if (!move.store)
		*reg = apic_virtual_read(b, offset);
	else
		apic_virtual_write(b, offset, move.immediate ? move.value : (u32)*reg);
	vm_skip(&b->vm, move.length);
	return true;
}

/* --- from the processor's and back */

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
