// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>

struct object *endpoint_create(void *memory)
{
	struct endpoint *ep = memory;

	__builtin_memset(ep, 0, sizeof(*ep));
	ep->object.type = LIMPET_ENDPOINT;
	list_init(&ep->notices);
	list_init(&ep->scheduled);
	list_init(&ep->sources);
	return &ep->object;
}

/* Queues a notice of the thread's state. It replaces a notice that the scheduler has not read. */
static void notice_queue(struct thread *thread, u32 notice)
{
	if (!thread->notice)
		list_append(&thread->scheduler->notices, &thread->noticed);
	thread->notice = notice;
}

static word notice_take(struct endpoint *ep)
{
	struct list *first = list_first(&ep->notices);
	struct thread *thread = first ? list_object(first, struct thread, noticed) : NULL;
	word notice;

	if (!thread)
		return 0;
	notice = LIMPET_NOTICE(thread->notice, thread->id);
	list_remove(&thread->noticed);
	thread->notice = 0;
	return notice;
}

void endpoint_schedule(struct thread *thread, struct endpoint *ep)
{
	list_remove(&thread->noticed);
	list_remove(&thread->scheduled);
	thread->notice = 0;
	thread->scheduler = ep;
	if (!ep)
		return;
	ep->schedules = true;
	list_append(&ep->scheduled, &thread->scheduled);
}

void source_bind(struct source *source, struct endpoint *ep, word bits)
{
	list_remove(&source->list);
	source->endpoint = ep;
	source->bits = bits;
	if (ep)
		list_append(&ep->sources, &source->list);
}

void endpoint_forget(struct thread *thread)
{
	endpoint_schedule(thread, NULL);
	if (thread->endpoint)
		thread->endpoint->thread = NULL;
	thread->endpoint = NULL;
}

/*
 * Returns the thread that waits in a receive at the endpoint, or NULL. A scheduler's thread that
 * has dispatched another thread also counts as receiving, see call_thread_dispatch().
 */
static struct thread *receiver(const struct cpu *cpu, const struct endpoint *ep)
{
	struct thread *thread = ep->thread;

	return thread && thread->receiving == ep && (thread != cpu->thread || cpu->idle) ? thread
											 : NULL;
}

/*
 * Returns the thread that the endpoint's scheduler has dispatched and that it now preempts: the
 * current thread, or a nested scheduler's thread that has dispatched it, also indirectly. With
 * `preempt` it also records the preemption at the nested schedulers. Returns NULL if the scheduler
 * has not dispatched the current thread.
 */
static struct thread *dispatched(const struct cpu *cpu, struct endpoint *ep, bool preempt)
{
	struct thread *thread = cpu->thread;

	for (unsigned int i = 0; i < LIMPET_NESTING_MAX && thread && thread->scheduler; i++) {
		if (thread->scheduler == ep)
			return thread;
		if (preempt)
			thread->scheduler->preempted = thread->id + 1;
		thread = thread->scheduler->thread;
	}
	return NULL;
}

/*
 * Returns whether the thread, which receives at the endpoint, preempts the current thread, because it has a higher
 * urgency or schedules the current one. On an idle CPU each thread runs immediately, except threads of urgency 0, which
 * their schedulers must dispatch.
 */
static bool comes_first(const struct cpu *cpu, struct endpoint *ep, const struct thread *thread)
{
	if (cpu->idle)
		return thread->urgency || !thread->scheduler;
	return thread->urgency > cpu->thread->urgency || dispatched(cpu, ep, false);
}

/* Switches to the thread that receives at the endpoint. */
static void preempt(struct cpu *cpu, struct endpoint *ep, struct thread *thread)
{
	struct thread *from = cpu->idle ? NULL : dispatched(cpu, ep, true);

	if (!cpu->idle && !from)
		from = cpu->thread;
	ep->preempted = from ? from->id + 1 : 0;
	thread_switch(cpu, thread);
}

/*
 * Selects the thread to run after an event for the endpoint. Each turn but the last makes a waiting scheduler ready.
 * The composer allows at most LIMPET_NESTING_MAX nested schedulers, so higher ones are not notified.
 */
static void endpoint_wake(struct cpu *cpu, struct endpoint *ep)
{
	for (unsigned int i = 0; ep && i <= LIMPET_NESTING_MAX; i++) {
		struct thread *thread = receiver(cpu, ep);
		bool waited = thread && thread->state == LIMPET_THREAD_WAITING;

		if (!thread)
			return;
		thread->state = LIMPET_THREAD_READY;
		if (waited && thread->scheduler)
			notice_queue(thread, LIMPET_NOTICE_READY);
		if (comes_first(cpu, ep, thread)) {
			preempt(cpu, ep, thread);
			return;
		}
		ep = waited ? thread->scheduler : NULL; /* the scheduler knows a ready thread */
	}
}

void endpoint_post(struct cpu *cpu, struct endpoint *ep, word bits)
{
	ep->bits |= bits;
	cpu->events++;
	if (trace_on(&cpu->trace, LIMPET_TRACE_EVENT))
		trace_put(&cpu->trace, LIMPET_TRACE_EVENT,
			  ep->thread ? (u16)ep->thread->id : LIMPET_TRACE_NONE,
			  (u16)cpu->component->index, (u32)__builtin_ctzl(bits));
	endpoint_wake(cpu, ep);
}

void endpoint_notice(struct cpu *cpu, struct thread *thread, u32 notice)
{
	if (!thread->scheduler)
		return;
	notice_queue(thread, notice);
	if (thread != cpu->thread)
		endpoint_wake(cpu, thread->scheduler);
}

/* Returns the thread that receives at a scheduler's endpoint if it can run now, else NULL. */
static struct thread *scheduler_thread(const struct cpu *cpu, struct endpoint *ep)
{
	struct thread *next = ep ? ep->thread : NULL;

	if (!next || next == cpu->thread)
		return NULL;
	if (receiver(cpu, ep)) {
		next->state = LIMPET_THREAD_READY;
		ep->preempted = 0;
	}
	return next->state == LIMPET_THREAD_READY ? next : NULL;
}

void endpoint_yield(struct cpu *cpu)
{
	struct thread *thread = cpu->thread, *next = scheduler_thread(cpu, thread->scheduler);

	if (!next) /* the preempting thread has no scheduler; the timer's thread selects the next one */
		next = scheduler_thread(cpu, cpu->timer);
	if (next) {
		thread_switch(cpu, next);
		return;
	}
	cpu->idle = true;
	cpu->hold = 0;
	if (thread->state == LIMPET_THREAD_WAITING)
		host_idle(&cpu->host);
	else
		host_end(&cpu->host);
}

bool endpoint_pending(const struct endpoint *ep)
{
	return ep->bits || list_first(&ep->notices);
}

void endpoint_take(struct endpoint *ep, struct thread *thread)
{
	word bits = ep->bits, preempted = ep->preempted, notice = notice_take(ep);

	ep->bits = 0;
	ep->preempted = 0;
	hal_regs_result(&thread->regs, LIMPET_OK, bits, notice, preempted);
}

void endpoint_complete(struct thread *thread)
{
	if (thread->receiving && thread->state == LIMPET_THREAD_READY) {
		endpoint_take(thread->receiving, thread);
		thread->receiving = NULL;
	}
}

enum destroyed endpoint_destroy(struct cpu *cpu, struct endpoint *ep)
{
	struct list *bound = list_first(&ep->sources), *scheduled = list_first(&ep->scheduled);
	struct source *source = list_object(bound, struct source, list);
	struct thread *thread = ep->thread;

	if (bound)
		source_bind(source, NULL, source->bits);
	else if (scheduled)
		endpoint_schedule(list_object(scheduled, struct thread, scheduled), NULL);
	if (bound || scheduled)
		return OBJECT_PARTLY;
	if (cpu->timer == ep)
		cpu->timer = NULL;
	if (!thread)
		return OBJECT_GONE;
	thread->endpoint = NULL;
	if (thread->receiving == ep) {
		hal_regs_result(&thread->regs, LIMPET_ECRASH, 0, 0, 0);
		thread_interrupt(cpu, thread);
		thread->receiving = NULL;
	}
	return OBJECT_GONE;
}

struct endpoint *endpoint_get(struct cpu *cpu, word slot, unsigned int rights, long *error)
{
	return capability_object(cpu, slot, LIMPET_ENDPOINT, rights, error);
}

/*
 * ENDPOINT_BIND(endpoint, thread): makes the thread the only receiver of the endpoint. EFULL: the
 * endpoint has a thread, or the thread has an endpoint.
 */
long call_endpoint_bind(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct endpoint *ep = endpoint_get(cpu, hal_regs_word(regs, 0), LIMPET_MANAGE, &error);
	struct thread *thread = ep ? thread_get(cpu, hal_regs_word(regs, 1), &error) : NULL;

	if (!thread)
		return error;
	if (ep->thread || thread->endpoint)
		return LIMPET_EFULL;
	ep->thread = thread;
	thread->endpoint = ep;
	thread_schedules(cpu, thread);
	return LIMPET_OK;
}

static long port_send(struct cpu *cpu, const struct capability *cap)
{
	u32 target = cap->a >> 32, port = (u32)cap->a;

	inbox_put(&cpu->all[target]->inbox, INBOX_PORT + port);
	host_kick(&cpu->host, target);
	return LIMPET_OK;
}

/*
 * ENDPOINT_SEND(endpoint or port, bits): sends an event with any of the bits 0 to 61. A port, which
 * leads to an endpoint of another CPU, transfers only bit 0. ERANGE: `bits` is 0 or contains other
 * bits.
 */
long call_endpoint_send(struct cpu *cpu, struct hal_regs *regs)
{
	word slot = hal_regs_word(regs, 0), bits = hal_regs_word(regs, 1);
	long error;
	struct capability *cap = capability_find(cpu, slot);

	if (cap && cap->type == LIMPET_PORT && cap->rights & LIMPET_WRITE)
		return bits == 1 ? port_send(cpu, cap) : LIMPET_ERANGE;
	cap = capability_get(cpu, slot, LIMPET_ENDPOINT, LIMPET_WRITE, &error);
	if (!cap)
		return error;
	if (!bits || bits & (LIMPET_EVENT_TIMER | LIMPET_EVENT_EARLY))
		return LIMPET_ERANGE;
	hal_regs_status(regs, LIMPET_OK);
	endpoint_post(cpu, (struct endpoint *)cap->object, bits);
	return CALL_DONE;
}

/*
 * ENDPOINT_RECEIVE(endpoint, deadline, flags): waits for an event or, at a scheduler's endpoint, a
 * notice. Returns the words of <limpet/call.h>. `deadline` is as in THREAD_DISPATCH. ESTATE: the
 * caller is not the endpoint's thread. ERIGHTS: a deadline is given, and the endpoint is not the
 * timer's. ERANGE: other flags. EEMPTY: no event is pending, and flags has LIMPET_NOWAIT. ECRASH:
 * the endpoint was destroyed during the wait.
 */
long call_endpoint_receive(struct cpu *cpu, struct hal_regs *regs)
{
	word deadline = hal_regs_word(regs, 1), flags = hal_regs_word(regs, 2);
	long error;
	struct thread *thread = cpu->thread;
	struct endpoint *ep = endpoint_get(cpu, hal_regs_word(regs, 0), LIMPET_READ, &error);

	if (!ep)
		return error;
	if (ep->thread != thread)
		return LIMPET_ESTATE;
	if (deadline && cpu->timer != ep)
		return LIMPET_ERIGHTS;
	if (flags & ~(word)LIMPET_NOWAIT)
		return LIMPET_ERANGE;
	if (!endpoint_pending(ep) && flags & LIMPET_NOWAIT)
		return LIMPET_EEMPTY;
	if (endpoint_pending(ep)) {
		endpoint_take(ep, thread);
	} else {
		thread->state = LIMPET_THREAD_WAITING;
		thread->receiving = ep;
		endpoint_notice(cpu, thread, LIMPET_NOTICE_WAITING);
		endpoint_yield(cpu);
	}
	if (deadline)
		cpu_deadline(cpu, deadline);
	return CALL_DONE;
}

/*
 * PORT_EXPORT(cpu, endpoint, port): the endpoint gets the events that are sent to this CPU's port,
 * as bit 0. ERANGE: the port does not exist. EFULL: the port has an endpoint.
 */
long call_port_export(struct cpu *cpu, struct hal_regs *regs)
{
	word port = hal_regs_word(regs, 2);
	long error;
	struct capability *own;
	struct endpoint *ep;

	own = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, LIMPET_MANAGE, &error);
	ep = own ? endpoint_get(cpu, hal_regs_word(regs, 1), LIMPET_MANAGE, &error) : NULL;
	if (!ep)
		return error;
	if (port >= LIMPET_PORTS)
		return LIMPET_ERANGE;
	port = index_clamp(port, LIMPET_PORTS);
	if (cpu->source[INBOX_PORT + port].endpoint)
		return LIMPET_EFULL;
	source_bind(&cpu->source[INBOX_PORT + port], ep, 1);
	return LIMPET_OK;
}

/*
 * PORT_IMPORT(cpu, cpu number, port, T, destination): makes a capability to send to a port of a
 * CPU. ERANGE: the CPU or the port does not exist.
 */
long call_port_import(struct cpu *cpu, struct hal_regs *regs)
{
	word target = hal_regs_word(regs, 1), port = hal_regs_word(regs, 2);
	long error;
	struct capability *from, *to;

	from = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_CPU, LIMPET_MANAGE, &error);
	to = capability_empty(cpu, from, hal_regs_word(regs, 3), hal_regs_word(regs, 4), &error);
	if (!to)
		return error;
	if (target >= cpu->cpus || port >= LIMPET_PORTS)
		return LIMPET_ERANGE;
	capability_derive(to, from, LIMPET_PORT, NULL, target << 32 | port, 0,
			  LIMPET_WRITE | LIMPET_GRANT);
	return LIMPET_OK;
}
