// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's local APIC by MSRs: its registers in x2APIC mode, and the deadline of its timer. The
 * guest has the deadline on each processor, because the layer emulates it. A refused access raises
 * an exception in the guest, as on the processor (APM vol. 2 chapter 16). The layer must not
 * execute it, because the exception would then be the layer's.
 */
#include <host/bare/apic.h>

#define FEATURE_X2APIC (1u << 21)
#define FEATURE_DEADLINE (1u << 24)
#define MORE_CONTROL (MORE + 0x10)
#define ONE(offset) (1ul << (offset) / 16)
#define ALL(first, last) (2 * ONE(last) - ONE(first))

static const u64 readable = ONE(ID) | ONE(VERSION) | ONE(PRIORITY) | ONE(PROCESSOR_PRIORITY) |
			    ONE(LOGICAL_ID) | ONE(SPURIOUS) | ALL(SERVICE, REQUESTED + 0x70) |
			    ONE(ERRORS) | ONE(COMMAND) | ALL(TIMER, LVT_ERROR) | ONE(INITIAL) |
			    ONE(CURRENT) | ONE(DIVIDE);

static bool is_more(word offset)
{
	return offset >= LVT_MORE && (offset - LVT_MORE) / 16 < apic_more();
}

static bool can_read(word offset)
{
	if (offset < MORE)
		return readable & ONE(offset);
	if (offset == MORE || offset == MORE_CONTROL)
		return apic_more();
	return is_more(offset);
}

/* Returns whether the register can be written with this value, that is, no reserved bit is set. */
static bool can_write(word offset, u64 value)
{
	switch (offset) {
	case END:
	case ERRORS:
		return !value;
	case PRIORITY:
	case SELF:
		return !(value & ~0xfful);
	case SPURIOUS:
		return !(value & ~0x3fful);
	case COMMAND:
		return !(value & 0xfff32000ul);
	case TIMER:
		return !(value & ~0x710fful);
	case LVT_PIN_0:
	case LVT_PIN_1:
		return !(value & ~0x1f7fful);
	case LVT_THERMAL:
	case LVT_COUNTER:
	case LVT_ERROR:
		return !(value & ~0x117fful);
	case INITIAL:
		return !(value >> 32);
	case DIVIDE:
		return !(value & ~0xbul);
	}
	return is_more(offset) && !(value & ~0x117fful);
}

static void msr_write(struct bare_cpu *cpu, word offset, u64 value)
{
	if (offset == SELF) {
		if (value >= FIRST_VECTOR)
			bare_apic_request(&cpu->apic, (unsigned int)value);
		return;
	}
	if (offset == COMMAND)
		cpu->apic.command_high = (u32)(value >> 32);
	apic_virtual_write(cpu, offset, (u32)value);
}

bool bare_apic_msr_read(const struct bare_cpu *cpu, u32 msr, u64 *value)
{
	word offset = (msr - BARE_MSR_APIC) * 16ul;

	if (msr == BARE_MSR_DEADLINE) {
		*value = apic_timer_deadline(cpu);
		return true;
	}
	if (!apic_x2 || msr < BARE_MSR_APIC || msr > BARE_MSR_APIC_LAST || !can_read(offset))
		return false;
	*value = apic_virtual_read(cpu, offset);
	if (offset == COMMAND)
		*value |= (u64)cpu->apic.command_high << 32;
	return true;
}

bool bare_apic_msr_write(struct bare_cpu *cpu, u32 msr, u64 value)
{
	word offset = (msr - BARE_MSR_APIC) * 16ul;

	if (msr == BARE_MSR_DEADLINE) {
		apic_timer_deadline_set(cpu, value);
		return true;
	}
	if (!apic_x2 || msr < BARE_MSR_APIC || msr > BARE_MSR_APIC_LAST ||
	    !can_write(offset, value))
		return false;
	msr_write(cpu, offset, value);
	return true;
}

/*
 * In xAPIC mode the guest does not see x2APIC, so that a guest that is started later does not
 * change to it. A guest that is older than the layer does not get the deadline if it did not have
 * it, so that its CPUs stay the same.
 */
u32 bare_apic_features(const struct bare_cpu *cpu, u32 features)
{
	if (!apic_x2)
		features &= ~FEATURE_X2APIC;
	return cpu->layer->again.restarts ? features | FEATURE_DEADLINE : features;
}
