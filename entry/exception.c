// SPDX-License-Identifier: GPL-2.0
/* Switches between the kernel and components, in both modes. */
#include <entry/entry.h>

#define DR6_RESET 0xffff0ff0ul
#define VECTOR_DB 1
#define VECTOR_PF 14
#define PF_PROTECTION 1ul

void entry_exception(struct cpu *cpu, word vector, word error, word address)
{
	if (vector == VECTOR_DB)
		asm volatile("mov %0, %%db6" : : "r"(DR6_RESET));
	if (vector != VECTOR_PF)
		address = 0;
	else if (address >= LIMPET_USER_END)
		error |= PF_PROTECTION; /* hides which addresses of the kernel half are mapped */
	kernel_fault(cpu, vector, error, address);
}

void entry_resume(struct entry_cpu *entry)
{
	kernel_resume(entry->cpu);
	entry->inside = entry->cpu->path;
}
