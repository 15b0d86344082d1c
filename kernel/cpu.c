// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>

void cpu_deadline(struct cpu *cpu, u64 deadline)
{
	if (cpu->deadline == deadline)
		return;
	cpu->deadline = deadline;
	host_timer(&cpu->host, deadline);
}

void cpu_hold(struct cpu *cpu)
{
	if (cpu->host.pending) /* serve the host first; kernel_resume() waits later */
		return;
	cpu->decided = hal_time();
	while (hal_time() < cpu->hold)
		hal_relax();
	cpu->hold = 0;
	cpu->thread->since = hal_time();
}

void cpu_again(struct cpu *cpu, word kind)
{
	hal_or(&cpu->inbox.requests, kind);
	host_kick(&cpu->host, cpu->number);
}

/* CPU_INFO(cpu, what): returns the words of enum limpet_cpu_info. ERANGE: another `what`. */
long call_cpu_info(struct cpu *cpu, struct hal_regs *regs)
{
	long error;

	if (!capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, 0, &error))
		return error;
	switch (hal_regs_word(regs, 1)) {
	case LIMPET_CPU_IDENTITY:
		hal_regs_result(regs, LIMPET_OK, cpu->number, cpu->cpus, 0);
		return CALL_DONE;
	case LIMPET_CPU_TIME:
		hal_regs_result(regs, LIMPET_OK, hal_time(), cpu->ticks_per_ms, 0);
		return CALL_DONE;
	case LIMPET_CPU_THREAD:
		hal_regs_result(regs, LIMPET_OK, thread_size(0), sizeof(struct invocation), 0);
		return CALL_DONE;
	}
	return LIMPET_ERANGE;
}

/*
 * CPU_TIMER(cpu, endpoint): the endpoint gets LIMPET_EVENT_TIMER when the CPU's deadline is due.
 * From then on only the calling component can set deadlines and urgencies.
 */
long call_cpu_timer(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct endpoint *ep = NULL;

	if (capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, LIMPET_MANAGE, &error))
		ep = endpoint_get(cpu, hal_regs_word(regs, 1), LIMPET_MANAGE, &error);
	if (!ep)
		return error;
	cpu->timer = ep;
	cpu->timekeeper = cpu->component;
	return LIMPET_OK;
}

/*
 * CPU_PRINT(cpu, text...): prints up to 40 bytes in words 1 to 5. A shorter text ends with a 0
 * byte.
 */
long call_cpu_print(struct cpu *cpu, struct hal_regs *regs)
{
	word text[5];
	long error;
	unsigned int length = 0;

	if (!capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, LIMPET_WRITE, &error))
		return error;
	for (unsigned int i = 0; i < 5; i++)
		text[i] = hal_regs_word(regs, i + 1);
	while (length < sizeof(text) && ((char *)text)[length])
		length++;
	host_print(&cpu->host, (char *)text, length);
	return LIMPET_OK;
}
