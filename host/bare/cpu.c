// SPDX-License-Identifier: GPL-2.0
/* The tables that the processor needs while it is in the layer. */
#include <host/bare/bare.h>

#define CR4_PKE (1ul << 22) /* a component's protection keys would fault the kernel */
#define CR4_CET (1ul << 23)
#define IST_NMI 1
#define IST_OTHER 2
#define TASK 0x40 /* selector */
#define TASK_BUSY 0x8b
#define FLAGS_MASK 0x257fd5ul /* all that a system call could carry into the kernel */

/* Selectors as Linux has them: USER_CS and the others of entry/asm.h. */
enum { CODE = 0x10, DATA = 0x18, COMPAT_BASE = 0x23 };
static const u64 segments[] = { 0,
				0,
				0x00af9b000000fffful,
				0x00cf93000000fffful,
				0x00cffb000000fffful, /* compatibility mode */
				0x00cff3000000fffful,
				0x00affb000000fffful };
_Static_assert(sizeof(segments) <= TASK, "the task state segment is behind them");

struct table {
	u16 limit;
	u64 base;
} __attribute__((packed));

/* The IDT for components, with stacks of the task state segment, and the IDT for the layer. */
static u64 idts[2][256][2];

static u64 stack_of(unsigned int vector)
{
	if (vector == VECTOR_NMI)
		return IST_NMI;
	return vector == VECTOR_DB || vector == VECTOR_DF || vector == VECTOR_MC ? IST_OTHER : 0;
}

static void idts_make(bool guarded)
{
	const u8(*stubs)[ENTRY_STUB] = guarded ? guard_stubs : entry_stubs;

	for (unsigned int i = 0; i < 256; i++) {
		word stub = (word)stubs[i];
		u64 type = i == VECTOR_BP || i == VECTOR_OF ? 0xee00 : 0x8e00;

		idts[0][i][0] = (stub & 0xffff) | CODE << 16 | type << 32 |
				(stub >> 16 & 0xffff) << 48;
		idts[1][i][0] = idts[0][i][0] | stack_of(i) << 32;
		idts[0][i][1] = idts[1][i][1] = stub >> 32;
	}
}

void bare_idt(bool components)
{
	const struct table idtr = { sizeof(idts[0]) - 1, (word)idts[components] };

	asm volatile("lidt %0" : : "m"(idtr));
}

static void gdt_make(struct bare_cpu *cpu)
{
	word tss = (word)&cpu->tss;

	__builtin_memcpy(cpu->gdt, segments, sizeof(segments));
	cpu->gdt[TASK / 8] = (sizeof(cpu->tss) - 1) | (tss & 0xffffff) << 16 |
			     (u64)TASK_BUSY << 40 | (tss >> 24 & 0xff) << 56;
	cpu->gdt[TASK / 8 + 1] = tss >> 32;
	cpu->tss.ist[IST_NMI - 1] = cpu->trap_stack[0];
	cpu->tss.ist[IST_OTHER - 1] = cpu->trap_stack[1];
	cpu->tss.io_map = sizeof(cpu->tss); /* components have no ports */
}

/* Sets the registers that the processor loads before components run. */
static void own_make(struct bare_cpu *cpu)
{
	const struct vm_own own = {
		.gs = (word)&cpu->entry,
		.task = (word)&cpu->tss,
		.task_limit = sizeof(cpu->tss) - 1,
		.task_selector = TASK,
		.star = (u64)COMPAT_BASE << 48 | (u64)CODE << 32,
		.lstar = (word)(cpu->layer->guarded ? guard_syscall : entry_syscall),
		.cstar = (word)(cpu->layer->guarded ? guard_cstar : entry_cstar),
		.sfmask = FLAGS_MASK,
	};

	vm_own_make(&cpu->vm, &own);
}

void bare_cpu_begin(struct bare_cpu *cpu)
{
	const struct table gdtr = { sizeof(cpu->gdt) - 1, (word)cpu->gdt };
	word cr4;

	idts_make(cpu->layer->guarded); /* each CPU does this: all write the same values */
	gdt_make(cpu);
	own_make(cpu);
	asm volatile("mov %%cr4, %0" : "=r"(cr4));
	asm volatile("mov %0, %%cr4" : : "r"(cr4 & ~(CR4_PKE | CR4_CET)));
	asm volatile("lgdt %0" : : "m"(gdtr));
	bare_idt(false);
	cpu->due = cpu->limit = BARE_NEVER;
	bare_apic_begin(cpu);
	bare_apic_offer(cpu);
}

void bare_cpu_end(struct bare_cpu *cpu)
{
	bare_arrived(cpu);
	bare_apic_end(cpu);
}
