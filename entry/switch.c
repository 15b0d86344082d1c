// SPDX-License-Identifier: GPL-2.0
/* Switches between the states `host` and `component` of entry.h, in beside mode. */
#include <entry/entry.h>
#include <entry/processor.h>

#define CR4_PKE (1ul << 22)
#define MSR_SYSENTER_CS 0x174u
#define MSR_LSTAR 0xc0000082u
#define MSR_CSTAR 0xc0000083u

struct entry_calls entry_calls_host, entry_calls_ours;
word entry_host_vector[256], entry_cr3_keep;
struct entry_idt entry_idt_host, entry_idt_ours, entry_idt_guest;
bool entry_keys;

static inline word cr4_read(void)
{
	word value;

	asm volatile("mov %%cr4, %0" : "=r"(value));
	return value;
}

static inline void cr4_write(word value)
{
	asm volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

/*
 * Disables protection keys for components, because a component could make the host thread fault
 * with them. Components then cannot execute WRPKRU, but still XRSTOR, so the host's rights are
 * saved here.
 */
static void keys_off(struct entry_cpu *entry)
{
	entry->host_cr4 = cr4_read();
	if (!(entry->host_cr4 & CR4_PKE))
		return;
	entry->host_keys = keys_read();
	keys_write(0);
	cr4_write(entry->host_cr4 & ~CR4_PKE);
}

static void keys_on(const struct entry_cpu *entry)
{
	if (!(entry->host_cr4 & CR4_PKE))
		return;
	cr4_write(entry->host_cr4);
	keys_write(entry->host_keys);
}

static inline void msr_write(u32 msr, word value)
{
	asm volatile("wrmsr" : : "c"(msr), "a"(value), "d"(value >> 32) : "memory");
}

static inline void calls_load(const struct entry_calls *calls)
{
	msr_write(MSR_LSTAR, calls->lstar);
	msr_write(MSR_CSTAR, calls->cstar);
	msr_write(MSR_SYSENTER_CS, calls->sysenter_cs);
}

void entry_from_host(struct entry_cpu *entry)
{
	struct cpu *cpu = entry->cpu;
	struct hal_bases host;
	word cr3;

	asm volatile("mov %%cr3, %0" : "=r"(cr3));
	entry->host_cr3 = cr3 | entry_cr3_keep;
	hal_bases_save(&host);
	entry->host_fs = host.fs;
	entry->host_gs = host.gs;
	keys_off(entry);
	idt_load(&entry_idt_ours);
	calls_load(&entry_calls_ours);
	cpu->resumes++;
	hal_bases_load(&cpu->thread->fpu->bases);
	entry_resume(entry);
}

void entry_to_host(struct entry_cpu *entry)
{
	const struct hal_bases host = { entry->host_fs, entry->host_gs };

	kernel_pause(entry->cpu);
	hal_bases_save(&entry->cpu->thread->fpu->bases);
	hal_bases_load(&host);
	keys_on(entry);
	hal_page_table_load(entry->host_cr3);
	idt_load(&entry_idt_host);
	calls_load(&entry_calls_host);
	entry->inside = 0;
}
