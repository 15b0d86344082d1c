// SPDX-License-Identifier: GPL-2.0
/* The guest's accesses of its local APIC. */
#include <host/bare/apic.h>

#define MODE(command) ((command) >> 8 & 7)
#define MODE_FIXED 0u
#define MODE_LOWEST 1u
#define MODE_NMI 4u
#define MODE_START 6u
#define LOGICAL (1u << 11)
#define SHORTHAND (3u << 18)
#define TO_OTHERS SHORTHAND
#define ENABLED (1u << 8) /* bit of SPURIOUS */
/*
 * Bits of LVT_... except TIMER: pending, remote IRR, and a reserved one, whose write faults in
 * x2APIC mode.
 */
#define LVT_READ_ONLY (7u << 12)

u32 apic_virtual_read(const struct bare_cpu *cpu, word offset)
{
	const struct bare_apic *apic = &cpu->apic;

	switch (offset) {
	case PRIORITY:
		return apic->priority;
	case PROCESSOR_PRIORITY:
		return apic_processor_priority(apic);
	case SPURIOUS:
		return apic->spurious;
	case COMMAND_HIGH:
		return apic->command_high;
	case TIMER:
		return apic->timer;
	case INITIAL:
		return apic->initial;
	case CURRENT:
		return apic_timer_current(cpu);
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

static bool is_named(const struct bare_cpu *cpu, const struct bare_cpu *other, u32 to,
		     u32 shorthand)
{
	if (shorthand == TO_SELF)
		return other == cpu;
	if (shorthand == TO_OTHERS)
		return other != cpu;
	return shorthand || to == (apic_x2 ? ~0u : 0xffu) || other->apic_id == to;
}

/*
 * Sends an NMI of the guest only to those CPUs of the layer that the command names. A processor outside the layer,
 * such as one that is added later, would wake up and could execute the guest's code. The caller does not use this for
 * a logical destination, because an APIC that was never switched on does not match one.
 */
static void nmi_send(const struct bare_cpu *cpu, u32 to, u32 shorthand)
{
	for (u32 i = 0; i < cpu->layer->count; i++) {
		const struct bare_cpu *other = cpu->layer->cpus[i];

		if (!other->released && is_named(cpu, other, to, shorthand))
			apic_command(other->apic_id, ASSERT | MODE_NMI << 8);
	}
}

/*
 * Executes a command of the guest. INIT, its end, and a startup IPI affect the guest's CPU, not the
 * layer's.
 */
static void command(struct bare_cpu *cpu, u32 value)
{
	u32 to = apic_id_of(cpu->apic.command_high);

	if (MODE(value) == MODE_NMI && (value & SHORTHAND || !(value & LOGICAL))) {
		nmi_send(cpu, to, value & SHORTHAND);
	} else if (harmless(value)) {
		apic_command(to, value & ~DELIVERY_PENDING);
	} else if (!(value & (SHORTHAND | LOGICAL))) {
		if (MODE(value) == MODE_INIT && value & ASSERT)
			bare_init(cpu, to);
		else if (MODE(value) == MODE_START)
			bare_start(cpu, to, value & 0xff);
	}
}

void apic_virtual_write(struct bare_cpu *cpu, word offset, u32 value)
{
	struct bare_apic *apic = &cpu->apic;

	switch (offset) {
	case PRIORITY:
		apic->priority = value & 0xff;
		return;
	case END:
		apic_end_of_interrupt(apic);
		return;
	case SPURIOUS:
		apic->spurious = value;
		if (apic->stale && value & ENABLED)
			apic_stale_end(apic);
		return;
	case COMMAND_HIGH:
		apic->command_high = value;
		return;
	case COMMAND:
		command(cpu, value);
		return;
	case TIMER:
		apic_timer_set(cpu, value);
		return;
	case INITIAL:
		apic_timer_start(cpu, value);
		return;
	case DIVIDE:
		apic->divide = value & 0xb;
		return;
	case LVT_THERMAL ... LVT_ERROR:
	case LVT_MORE ... LVT_MORE + 0x30:
		apic_write(offset, (harmless(value) ? value : value | MASKED) & ~LVT_READ_ONLY);
		return;
	case LOGICAL_ID:
	case LOGICAL_FORMAT:
	case ERRORS:
		apic_write(offset, value);
		return;
	}
}

bool bare_apic_access(struct bare_cpu *cpu, word offset)
{
	struct bare_move move;
	u64 *reg;

	if (apic_x2 || !bare_move_read(cpu, &move) || move.size != 4 || offset % 16)
		return false;
	bare_yield(cpu);
	reg = vm_register(&cpu->vm, move.reg);
	if (!move.store)
		*reg = apic_virtual_read(cpu, offset);
	else
		apic_virtual_write(cpu, offset, move.immediate ? move.value : (u32)*reg);
	vm_skip(&cpu->vm, move.length);
	return true;
}
