// SPDX-License-Identifier: GPL-2.0
/* Handles the guest's exits. */
#include <host/bare/bare.h>

#define CPUID_PROCESSOR 1u
#define HLT 0xf4
/* Bytes of instructions. */
#define LENGTH_HLT 1u
#define LENGTH_CALL 3u
#define LENGTH 2u /* CPUID, INVD, RDMSR, WBINVD, WRMSR */

/* Executes CPUID for the guest. Hides the extension for virtual machines, and adjusts the features of the APIC. */
static void exit_cpuid(struct bare_cpu *cpu)
{
	struct vm_regs *regs = &cpu->vm.regs;
	u64 *ax = vm_register(&cpu->vm, 0);
	u32 leaf = (u32)*ax;
	struct vm_cpuid result = vm_cpuid(leaf, (u32)regs->cx);

	if (leaf == CPUID_PROCESSOR)
		result.c = bare_apic_features(cpu, result.c);
	vm_cpuid_hide(leaf, &result);
	*ax = result.a;
	regs->bx = result.b;
	regs->cx = result.c;
	regs->dx = result.d;
	vm_skip(&cpu->vm, LENGTH);
}

/* Handles a call of the guest. Returns false if the guest leaves. */
static bool exit_call(struct bare_cpu *cpu)
{
	u64 *ax = vm_register(&cpu->vm, 0), call = *ax;

	if (vm_user(&cpu->vm) || call < BARE_CALL_LEAVE || call > BARE_CALL_LAST) {
		vm_inject(&cpu->vm, VECTOR_UD);
		return true;
	}
	vm_skip(&cpu->vm, LENGTH_CALL);
	*ax = (u64)bare_call(cpu, call, cpu->vm.regs.di, cpu->vm.regs.si);
	return !cpu->left;
}

/* Skips a write of the guest to a device of a component. It has no effect. */
static bool write_dropped(struct bare_cpu *cpu)
{
	struct bare_move move;

	if (!bare_move_read(cpu, &move) || !move.store)
		return false;
	vm_skip(&cpu->vm, move.length);
	return true;
}

/*
 * Handles an access to an APIC's registers, or to memory that the guest does not have, which
 * appears as missing memory.
 */
static void exit_nested(struct bare_cpu *cpu)
{
	word address = vm_address(&cpu->vm);
	struct bare_io_apic *io = bare_io_apic_at(cpu->layer, address);
	struct bare_move move;
	bool done;

	if (address >> 12 == cpu->layer->physical.hole >> 12)
		done = bare_apic_access(cpu, address & 0xfff);
	else if (io)
		done = bare_move_read(cpu, &move) &&
		       bare_io_apic_access(cpu, io, &move, address & 0xfff);
	else
		done = bare_resources_hide(cpu->layer, LIMPET_RESOURCE_MEMORY, address, 1) &&
		       write_dropped(cpu);
	if (!done)
		vm_inject(&cpu->vm, VECTOR_GP);
}

/* Waits in the layer until the guest has an interrupt. */
static void exit_halt(struct bare_cpu *cpu)
{
	vm_skip(&cpu->vm, LENGTH_HLT);
	for (;;) {
		bare_run(cpu);
		if (bare_apic_ready(cpu) || cpu->nmi || cpu->machine_check || bare_stopped(cpu))
			return;
		vm_halt();
		bare_arrived(cpu);
	}
}

/*
 * Returns whether the guest is between STI and HLT. An interrupt must not be injected there,
 * because HLT would then not wake. QEMU's TCG does not keep the interrupt shadow across an exit.
 */
static bool before_halt(const struct bare_cpu *cpu)
{
	u8 code;

	return vm_interrupts_held(&cpu->vm) && bare_guest_read(cpu, vm_ip(&cpu->vm), &code, 1) &&
	       code == HLT;
}

/*
 * Injects an exception that can repeat without an instruction in between. The exits let components
 * run in between. If the guest has no handler, the exception would become a triple fault, so the
 * guest is dead.
 */
static void exit_exception(struct bare_cpu *cpu, unsigned int vector)
{
	if (vector == VECTOR_DF && !bare_guest_handles(cpu, vector))
		bare_death_shutdown(cpu);
	/* A pending interrupt is injected first. The exception then occurs again. */
	if (vector == VECTOR_DF || !vm_interrupt_waits(&cpu->vm))
		vm_inject(&cpu->vm, vector);
}

/*
 * Executes WBINVD for the guest, but skips it while a system runs, because its duration depends on
 * the caches' size. Memory types do not change, so devices see all writes without it.
 */
static void exit_wbinvd(struct bare_cpu *cpu)
{
	if (cpu->layer->state != LIMPET_STATE_RUNNING)
		asm volatile("wbinvd" : : : "memory");
	vm_skip(&cpu->vm, LENGTH);
}

static bool exit_handle(struct bare_cpu *cpu)
{
	struct vm_cpu *vm = &cpu->vm;

	switch (vm_reason(vm)) {
	case VM_CPUID:
		exit_cpuid(cpu);
		return true;
	case VM_MSR:
		if (bare_msr_exit(cpu, vm_msr_is_write(vm)))
			vm_skip(vm, LENGTH);
		else
			vm_inject(vm, VECTOR_GP);
		return true;
	case VM_CALL:
		return exit_call(cpu);
	case VM_INTERRUPT:
	case VM_NMI:
	case VM_SMI:
		if (before_halt(cpu))
			exit_halt(cpu);
		return true;
	case VM_EXCEPTION:
		exit_exception(cpu, vm_exception(vm));
		return true;
	case VM_IRET: /* of its NMI handler; a pending NMI is injected before it */
		vm_nmi_unmask(vm);
		return true;
	case VM_WBINVD:
		exit_wbinvd(cpu);
		return true;
	case VM_INVD: /* it would also drop data of others from the caches */
		vm_skip(vm, LENGTH);
		return true;
	case VM_HALT:
		exit_halt(cpu);
		return true;
	case VM_PORT:
		if (!bare_port_exit(cpu))
			vm_inject(vm, VECTOR_GP);
		return true;
	case VM_SHUTDOWN:
		bare_death_shutdown(cpu);
		return true;
	case VM_NESTED:
		exit_nested(cpu);
		return true;
	default: /* instructions of the extension, which the guest does not have */
		vm_inject(vm, VECTOR_UD);
		return true;
	}
}

bool bare_exit(struct bare_cpu *cpu)
{
	struct vm_cpu *vm = &cpu->vm;

	cpu->exits++;
	vm_left(vm);
	bare_apic_taken(cpu);
	bare_arrived(cpu);
	if (!exit_handle(cpu)) {
		bare_apic_quiet(cpu);
		return false;
	}
	bare_yield(cpu);
	if (unlikely(bare_stopped(cpu)))
		bare_wait(cpu);
	if (cpu->machine_check && !vm_event_waits(vm)) {
		cpu->machine_check = false;
		vm_inject(vm, VECTOR_MC);
	}
	if (cpu->nmi && !vm_event_waits(vm)) {
		cpu->nmi = false;
		vm_inject_nmi(vm);
	}
	bare_apic_offer(cpu);
	return true;
}
