// SPDX-License-Identifier: GPL-2.0
/* The guest's memory: copies of any length, and changes of the hidden region. Components run in between. */
#include <host/bare/system.h>

#define HIDE_STEP (16ul * LIMPET_PAGE) /* divides the region */

/* Waits a moment for another CPU. QEMU with one thread for all CPUs switches to the next one at PAUSE. */
void moment_wait(struct bare_cpu *cpu)
{
	bare_yield(cpu);
	hal_relax();
}

bool memory_read(struct bare_cpu *cpu, word address, void *to, word size)
{
	for (word at = 0, part; at < size; at += part) {
		part = size - at < COPY_STEP ? size - at : COPY_STEP;
		if (!bare_guest_read(cpu, address + at, (u8 *)to + at, part))
			return false;
		bare_yield(cpu);
	}
	return true;
}

bool memory_write(struct bare_cpu *cpu, word address, const void *from, word size)
{
	for (word at = 0, part; at < size; at += part) {
		part = size - at < COPY_STEP ? size - at : COPY_STEP;
		if (!bare_guest_write(cpu, address + at, (const u8 *)from + at, part))
			return false;
		bare_yield(cpu);
	}
	return true;
}

/* Flushes the translations of each CPU of the guest, after a change of the hidden region. */
void bare_translations_forget(struct bare_cpu *cpu)
{
	const struct bare_layer *layer = cpu->layer;

	for (u32 i = 0; i < layer->count; i++) {
		if (layer->cpus[i]->left)
			continue;
		layer->cpus[i]->flush = true;
		bare_apic_kick_other(cpu, layer->cpus[i]);
	}
	for (u32 i = 0; i < layer->count; i++)
		while (*(volatile bool *)&layer->cpus[i]->flush)
			moment_wait(cpu);
}

void bare_hidden_forget(struct bare_cpu *cpu)
{
	const struct bare_memory *memory = &cpu->layer->physical;

	for (word at = memory->hidden; at < memory->hidden_end; at += HIDE_STEP) {
		bare_hidden_hide(memory, at, at + HIDE_STEP);
		bare_yield(cpu);
	}
	bare_translations_forget(cpu);
}
