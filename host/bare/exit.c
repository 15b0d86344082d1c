// SPDX-License-Identifier: GPL-2.0
/* Why the guest has stopped, and what it sees of it. */
#include <host/bare/bare.h>

#define CPUID_PROCESSOR 1u
#define CPUID_FEATURES 0x80000001u
#define CPUID_SVM 0x8000000au
#define FEATURE_SVM (1u << 2)
#define HLT 0xf4
#define VECTOR_NMI 2u
#define VECTOR_UD 6ul
#define VECTOR_GP 13ul
#define VECTOR_MC 18ul

static void skip(struct vmcb *vmcb, unsigned int length)
{
	vmcb->ip += length;
	vmcb->interrupt_shadow = 0;
}

static void inject(struct vmcb *vmcb, word vector)
{
	vmcb->event = VMCB_EVENT_VALID | VMCB_EVENT_EXCEPTION | vector;
	if (vector == VECTOR_GP || vector == VMCB_DF || vector == VMCB_AC)
		vmcb->event |= VMCB_EVENT_ERROR;
}

/* As the processor has it, but without AMD-V: the guest finds no use for that. Its APIC is the layer's. */
static void exit_cpuid(struct bare_cpu *b)
{
	u32 leaf = (u32)b->vmcb->ax, a = leaf, bx, c = (u32)b->regs.cx, d;

	asm volatile("cpuid" : "+a"(a), "=b"(bx), "+c"(c), "=d"(d));
	if (leaf == CPUID_PROCESSOR)
		c = bare_apic_features(b, c);
	if (leaf == CPUID_FEATURES)
		c &= ~FEATURE_SVM;
	if (leaf == CPUID_SVM)
		a = bx = c = d = 0;
	b->vmcb->ax = a;
	b->regs.bx = bx;
	b->regs.cx = c;
	b->regs.dx = d;
	skip(b->vmcb, 2);
}

/* False: the guest leaves. */
static bool exit_call(struct bare_cpu *b)
{
	struct vmcb *vmcb = b->vmcb;
	u64 call = vmcb->ax;

	if (vmcb->cpl || call < BARE_CALL_LEAVE || call > BARE_CALL_LAST) {
		inject(vmcb, VECTOR_UD);
		return true;
	}
	skip(vmcb, 3);
	vmcb->ax = (u64)bare_call(b, call, b->regs.di, b->regs.si);
	return !b->left;
}

void bare_arrived(struct bare_cpu *b)
{
	for (unsigned int i = 0; i < countof(b->arrived); i++)
		for (; b->arrived[i]; b->arrived[i] &= b->arrived[i] - 1)
			bare_apic_arrived(b, i * 64 + (unsigned int)__builtin_ctzl(b->arrived[i]));
	bare_apic_ends(&b->apic);
}

/* It writes to a device that components have: nothing comes of it. */
static bool write_dropped(struct bare_cpu *b)
{
	struct bare_move move;

	if (!bare_move_read(b, &move) || !move.store)
		return false;
	bare_move_done(b, &move);
	return true;
}

/* Of an APIC's registers, or of what the guest does not have: as if it were no memory at all. */
static void exit_nested(struct bare_cpu *b)
{
	word address = b->vmcb->exit_info_2;
	struct bare_io_apic *io = bare_io_apic_at(b->layer, address);
	bool done;

	if (address >> 12 == b->layer->physical.hole >> 12)
		done = bare_apic_access(b, address & 0xfff);
	else if (io)
		done = bare_io_apic_access(b, io, address & 0xfff);
	else
		done = bare_resources_hide_page(b->layer, address) && write_dropped(b);
	if (!done)
		inject(b->vmcb, VECTOR_GP);
}

/* It is the layer that waits, until there is something for the guest. */
static void exit_halt(struct bare_cpu *b)
{
	skip(b->vmcb, 1);
	for (;;) {
		bare_run(b);
		if (bare_apic_ready(b) || b->nmi || b->machine_check || bare_stopped(b))
			return;
		bare_halt();
		bare_arrived(b);
	}
}

/*
 * Between STI and HLT no interrupt is let in: one that came there would be no reason to wake any more.
 * Not every processor that runs the guest on remembers where it was (QEMU's TCG).
 */
static bool before_halt(const struct bare_cpu *b)
{
	u8 code;

	return b->vmcb->interrupt_shadow & 1 && bare_guest_read(b, b->vmcb->ip, &code, 1) &&
	       code == HLT;
}

/*
 * These can come again at once, without end and without an instruction in between: each time components may
 * come first. When there is no code for a double fault, that is what would follow.
 */
static void exit_exception(struct bare_cpu *b, unsigned int vector)
{
	struct vmcb *vmcb = b->vmcb;

	if (vector == VMCB_DF && !bare_guest_handles(b, vector))
		bare_death_shutdown(b);
	/* An interrupt that was on its way goes on; the exception comes again then. */
	if (vector == VMCB_DF || !vmcb->event || vmcb->event & VMCB_EVENT_EXCEPTION)
		inject(vmcb, vector);
}

/* How long it takes is a matter of the caches' size. Memory's types stay, so devices see what is written. */
static void exit_wbinvd(struct bare_cpu *b)
{
	if (b->layer->state != LIMPET_STATE_RUNNING)
		asm volatile("wbinvd" : : : "memory");
	skip(b->vmcb, 2);
}

static bool exit_handle(struct bare_cpu *b)
{
	struct vmcb *vmcb = b->vmcb;

	switch (vmcb->exit_code) {
	case VMCB_EXIT_CPUID:
		exit_cpuid(b);
		return true;
	case VMCB_EXIT_MSR:
		if (bare_msr_exit(b, vmcb->exit_info_1))
			skip(vmcb, 2);
		else
			inject(vmcb, VECTOR_GP);
		return true;
	case VMCB_EXIT_VMMCALL:
		return exit_call(b);
	case VMCB_EXIT_INTR:
	case VMCB_EXIT_NMI:
	case VMCB_EXIT_SMI:
		if (before_halt(b))
			exit_halt(b);
		return true;
	case VMCB_EXIT_EXCEPTION + VMCB_DB:
	case VMCB_EXIT_EXCEPTION + VMCB_DF:
	case VMCB_EXIT_EXCEPTION + VMCB_AC:
		exit_exception(b, (unsigned int)vmcb->exit_code - VMCB_EXIT_EXCEPTION);
		return true;
	case VMCB_EXIT_WBINVD:
		exit_wbinvd(b);
		return true;
	case VMCB_EXIT_INVD: /* what it would drop from the caches is not the guest's alone */
		skip(vmcb, 2);
		return true;
	case VMCB_EXIT_HLT:
		exit_halt(b);
		return true;
	case VMCB_EXIT_IOIO:
		if (!bare_port_exit(b))
			inject(vmcb, VECTOR_GP);
		return true;
	case VMCB_EXIT_SHUTDOWN:
		bare_death_shutdown(b);
		return true;
	case VMCB_EXIT_NPF:
		exit_nested(b);
		return true;
	default: /* instructions of AMD-V, which it does not have */
		inject(vmcb, VECTOR_UD);
		return true;
	}
}

bool bare_exit(struct bare_cpu *b)
{
	struct vmcb *vmcb = b->vmcb;

	b->exits++;
	/* What was on its way to the guest when it stopped goes on. */
	vmcb->event = vmcb->exit_interrupt & VMCB_EVENT_VALID ? vmcb->exit_interrupt : 0;
	vmcb->tlb_control = 0; /* done; bare_run sets it again */
	bare_apic_taken(b);
	bare_arrived(b);
	if (!exit_handle(b)) {
		bare_apic_quiet(b);
		return false;
	}
	bare_yield(b);
	if (unlikely(bare_stopped(b)))
		bare_wait(b);
	if (b->machine_check && !vmcb->event) {
		b->machine_check = false;
		inject(vmcb, VECTOR_MC);
	}
	if (b->nmi && !vmcb->event) {
		b->nmi = false;
		vmcb->event = VMCB_EVENT_VALID | VMCB_EVENT_NMI | VECTOR_NMI;
	}
	bare_apic_offer(b);
	return true;
}
