// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/fault.h>

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

/*
 * Posts the timer event if the deadline is due. On an idle CPU this happens up to `early` ticks before the deadline, so
 * that the scheduler decides early. Its dispatch then waits for the deadline in cpu_hold(). On a busy CPU the event is
 * never early.
 */
static void timer_take(struct cpu *cpu)
{
	u64 now = hal_time();

	if (cpu->deadline == LIMPET_NEVER)
		return;
	if (now < cpu->deadline && (!cpu->idle || cpu->deadline - now > cpu->early)) {
		host_timer(&cpu->host, cpu->deadline);
		return;
	}
	cpu->hold = cpu->idle ? cpu->deadline : 0;
	cpu->deadline = LIMPET_NEVER;
	cpu->host.deadline = LIMPET_NEVER;
	cpu->timers++;
	trace_event(cpu, LIMPET_TRACE_TIMER, 0);
	if (!cpu->timer)
		return;
	cpu->timer->bits |= now < cpu->hold ? LIMPET_EVENT_EARLY : 0;
	endpoint_post(cpu, cpu->timer, LIMPET_EVENT_TIMER);
}

/* However often it came, it is one event. */
static void event_take(struct cpu *cpu, unsigned int event)
{
	struct source *source = &cpu->source[event];

	source->count++;
	if (source->endpoint)
		endpoint_post(cpu, source->endpoint, source->bits);
}

/*
 * Takes at most INBOX_AT_ONCE words of events. The words have turns, so that one that always fills again does not
 * delay the others. Returns the bits of `requests` for those that are left.
 */
static word events_take(struct cpu *cpu, word requests)
{
	word words = requests >> INBOX_WORD & ((1ul << INBOX_WORDS) - 1);

	for (unsigned int i = 0; words && i < INBOX_AT_ONCE; i++) {
		word after = words & ~0ul << cpu->turn;
		u32 w = __builtin_ctzl(after ?: words);
		word bits = hal_exchange(&cpu->inbox.event[w], 0);

		for (; bits; bits &= bits - 1)
			event_take(cpu, w * 64 + __builtin_ctzl(bits));
		words &= ~(1ul << w);
		cpu->turn = w + 1;
	}
	return words << INBOX_WORD;
}

static void inbox_take(struct cpu *cpu)
{
	word requests = hal_exchange(&cpu->inbox.requests, 0), left;

	cpu->host.pending |= (u32)requests;
	if (requests & INBOX_TRACE)
		trace_switch(cpu, cpu->inbox.trace);
	left = events_take(cpu, requests);
	if (left)
		cpu_again(cpu, left);
	if (requests & INBOX_STOPPED)
		threads_tell(cpu);
}

void cpu_again(struct cpu *cpu, word kind)
{
	hal_or(&cpu->inbox.requests, kind);
	host_kick(&cpu->host, cpu->number);
}

void kernel_pause(struct cpu *cpu)
{
	struct thread *t = cpu->thread;

	t->ticks += hal_time() - t->since;
	trace_event(cpu, LIMPET_TRACE_PAUSE, cpu->host.pending | (cpu->idle ? HOST_IDLE : 0));
}

void kernel_resume(struct cpu *cpu)
{
	struct thread *t = cpu->thread;

	t->since = hal_time();
	cpu->host.pending &= ~(u32)HOST_IDLE;
	trace_event(cpu, LIMPET_TRACE_RESUME, thread_depth(t));
	t->epoch = cpu->component->epoch;
	hal_page_table_load(cpu->component->space);
	if (!cpu->idle && !hal_regs_valid(&t->regs))
		fault_raise(cpu, LIMPET_FAULT_MODE, 0, 0);
	if (cpu->inbox.requests)
		inbox_take(cpu);
	timer_take(cpu);
	thread_settle(cpu);
	if (cpu->idle)
		host_idle(&cpu->host);
	else if (cpu->hold && cpu->timer && cpu->thread != cpu->timer->thread)
		cpu_hold(cpu);
}

/* CPU_INFO(cpu, what): words as enum limpet_cpu_info says. */
long call_cpu_info(struct cpu *cpu, struct hal_regs *r)
{
	long error;

	if (!capability_get(cpu, hal_regs_word(r, 0), LIMPET_CPU, 0, &error))
		return error;
	switch (hal_regs_word(r, 1)) {
	case LIMPET_CPU_IDENTITY:
		hal_regs_result(r, LIMPET_OK, cpu->number, cpu->cpus, 0);
		return CALL_DONE;
	case LIMPET_CPU_TIME:
		hal_regs_result(r, LIMPET_OK, hal_time(), cpu->ticks_per_ms, 0);
		return CALL_DONE;
	case LIMPET_CPU_THREAD:
		hal_regs_result(r, LIMPET_OK, thread_size(0), thread_size(1) - thread_size(0), 0);
		return CALL_DONE;
	}
	return LIMPET_ERANGE;
}

/*
 * CPU_TIMER(cpu, endpoint): the endpoint gets LIMPET_EVENT_TIMER when the CPU's deadline is due. The
 * calling component is the one that sets deadlines and urgencies from now on.
 */
long call_cpu_timer(struct cpu *cpu, struct hal_regs *r)
{
	long error;
	struct endpoint *ep = NULL;

	if (capability_get(cpu, hal_regs_word(r, 0), LIMPET_CPU, LIMPET_MANAGE, &error))
		ep = endpoint_get(cpu, hal_regs_word(r, 1), LIMPET_MANAGE, &error);
	if (!ep)
		return error;
	cpu->timer = ep;
	cpu->timekeeper = cpu->component;
	return LIMPET_OK;
}

/* CPU_PRINT(cpu, text...): up to 40 bytes in words 1 to 5, ended by a 0 byte if shorter. */
long call_cpu_print(struct cpu *cpu, struct hal_regs *r)
{
	word text[5];
	long error;
	unsigned int length = 0;

	if (!capability_get(cpu, hal_regs_word(r, 0), LIMPET_CPU, LIMPET_WRITE, &error))
		return error;
	for (unsigned int i = 0; i < 5; i++)
		text[i] = hal_regs_word(r, i + 1);
	while (length < sizeof(text) && ((char *)text)[length])
		length++;
	host_print(&cpu->host, (char *)text, length);
	return LIMPET_OK;
}
