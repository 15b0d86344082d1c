// SPDX-License-Identifier: GPL-2.0
/* The host takes the CPU and returns it. The kernel then takes the events that arrived in between. */
#include <kernel/cpu.h>
#include <kernel/fault.h>

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
	cpu->deadline = cpu->host.deadline = LIMPET_NEVER;
	cpu->timers++;
	trace_event(cpu, LIMPET_TRACE_TIMER, 0);
	if (!cpu->timer)
		return;
	cpu->timer->bits |= now < cpu->hold ? LIMPET_EVENT_EARLY : 0;
	endpoint_post(cpu, cpu->timer, LIMPET_EVENT_TIMER);
}

/* Takes the events of a word of the inbox. An event that was put several times is one event. */
static void word_take(struct cpu *cpu, word n)
{
	struct source *sources = &cpu->source[n * 64];

	for (word bits = hal_exchange(&cpu->inbox.event[n], 0); bits; bits &= bits - 1) {
		struct source *source = &sources[__builtin_ctzl(bits)];

		source->count++;
		if (source->endpoint)
			endpoint_post(cpu, source->endpoint, source->bits);
	}
}

/*
 * Takes at most INBOX_AT_ONCE of several words, and requests another turn for the others. The words
 * are taken in turns, so that a word that always fills again does not delay the others. Not
 * inlined, because kernel_resume() would save more registers.
 */
static __attribute__((__noinline__)) void words_take(struct cpu *cpu, word words)
{
	for (unsigned int i = 0; words && i < INBOX_AT_ONCE; i++) {
		word after = words & ~0ul << cpu->turn;
		u32 n = __builtin_ctzl(after ?: words);

		word_take(cpu, n);
		words &= ~(1ul << n);
		cpu->turn = n + 1;
	}
	if (words)
		cpu_again(cpu, words << INBOX_WORD);
}

/* A single word needs no turn, because no other word waits. */
static void inbox_take(struct cpu *cpu)
{
	word requests = hal_exchange(&cpu->inbox.requests, 0);
	word words = requests >> INBOX_WORD & ((1ul << INBOX_WORDS) - 1);

	cpu->host.pending |= (u32)requests;
	if (unlikely(requests & INBOX_TRACE))
		trace_switch(cpu, cpu->inbox.trace);
	if (unlikely(requests & INBOX_STOPPED))
		threads_notify(cpu);
	if (unlikely(requests & INBOX_GUEST))
		guests_ready(cpu);
	if (unlikely(words & (words - 1)))
		words_take(cpu, words);
	else if (words)
		word_take(cpu, __builtin_ctzl(words));
}

void kernel_pause(struct cpu *cpu)
{
	struct thread *thread = cpu->thread;

	thread->ticks += hal_time() - thread->since;
	trace_event(cpu, LIMPET_TRACE_PAUSE, cpu->host.pending | (cpu->idle ? HOST_IDLE : 0));
}

void kernel_resume(struct cpu *cpu)
{
	struct thread *thread = cpu->thread;

	thread->since = hal_time();
	cpu->host.pending &= ~(u32)HOST_IDLE;
	trace_event(cpu, LIMPET_TRACE_RESUME, thread_depth(thread));
	thread->epoch = cpu->component->epoch;
	hal_page_table_load(cpu->component->space);
	if (!cpu->idle && !hal_regs_valid(&thread->regs))
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
