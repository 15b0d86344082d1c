// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/fault.h>

#define NOTIFY_MAX 64 /* maximum number of threads that one call notifies of a stop */

static word fpu_offset(void)
{
	return (sizeof(struct thread) + HAL_FPU_ALIGN - 1) / HAL_FPU_ALIGN * HAL_FPU_ALIGN;
}

/* One more frame than `depth` is needed, because the lowest one is not a return address. */
word thread_size(word depth)
{
	return fpu_offset() + hal_fpu_size() + (depth + 1) * sizeof(struct invocation);
}

struct object *thread_create(void *memory, word bytes)
{
	struct thread *thread = memory;

	if (bytes < thread_size(LIMPET_DEPTH_MIN))
		return NULL;
	__builtin_memset(memory, 0, bytes);
	thread->object.type = LIMPET_THREAD;
	thread->id = UINT32_MAX;
	thread->fpu = (struct hal_fpu *)((u8 *)memory + fpu_offset());
	thread->frame = (struct invocation *)((u8 *)thread->fpu + hal_fpu_size());
	thread->last = thread->frame + (bytes - thread_size(0)) / sizeof(struct invocation);
	thread->frame->epoch = INVOCATION_END;
	thread->top = thread->frame;
	hal_thread_init(thread->fpu);
	return &thread->object;
}

void thread_begin(struct thread *thread, struct component *comp, word entry, word arg)
{
	hal_regs_start(&thread->regs, entry, component_stack(comp, thread->id), arg);
	/* The lowest frame has the first component, so that it can be compared. */
	thread->frame[0].component = comp;
	thread->top = thread->frame;
	thread->component = comp;
	thread->epoch = comp->epoch;
	thread->home = comp->index;
	thread->faults = 0;
	thread->state = LIMPET_THREAD_READY;
	comp->entered++;
}

/* Makes `comp` the component in which the CPU continues. */
static void component_enter(struct cpu *cpu, struct component *comp)
{
	cpu->component = comp;
	hal_page_table_load(comp->space);
}

void thread_switch(struct cpu *cpu, struct thread *to)
{
	struct thread *from = cpu->thread;

	cpu->idle = false;
	if (from != to) {
		from->component = cpu->component;
		to->since = hal_time();
		to->dispatches++;
		from->ticks += to->since - from->since;
		hal_thread_switch(from->fpu, to->fpu);
		cpu->thread = to;
		component_enter(cpu, to->component);
	}
	trace_event(cpu, LIMPET_TRACE_DISPATCH, thread_depth(to));
	endpoint_complete(to);
}

/* Continues the thread at the faulting instruction with all its registers. */
static void fault_resume(struct cpu *cpu, struct thread *thread)
{
	thread->regs = thread->fault_regs[--thread->faults];
	if (!hal_regs_valid(&thread->regs))
		thread_leave(cpu, LIMPET_ECRASH);
}

/*
 * Pops one frame. Returns true if the thread can continue there with *status. Otherwise sets
 * *status to LIMPET_ECRASH: the frame's component was stopped, or its fault was not repaired.
 */
static bool frame_pop(struct cpu *cpu, long *status)
{
	struct thread *thread = cpu->thread;
	struct invocation *frame = thread->top--;
	bool fault = frame->epoch & INVOCATION_FAULT;

	component_left(cpu, cpu->component);
	component_enter(cpu, frame->component);
	trace_event(cpu, LIMPET_TRACE_RETURN, 0);
	thread->epoch = frame->component->epoch;
	if (fault && *status)
		fault_unrepaired(thread, frame);
	if ((frame->epoch & ~INVOCATION_FAULT) != thread->epoch || (fault && *status)) {
		thread->faults -= fault;
		*status = LIMPET_ECRASH;
		return false;
	}
	if (fault)
		fault_resume(cpu, thread);
	else
		hal_regs_start(&thread->regs, frame->ip, frame->sp, (word)*status);
	return true;
}

void thread_leave(struct cpu *cpu, long status)
{
	struct thread *thread = cpu->thread;

	while (thread->top != thread->frame)
		if (frame_pop(cpu, &status))
			return;
	component_left(cpu, cpu->component);
	thread->state = LIMPET_THREAD_DEAD;
	if (thread->executive)
		guest_lost(cpu, thread);
	channel_owner(cpu, thread, true);
	endpoint_notice(cpu, thread, LIMPET_NOTICE_DEAD);
	endpoint_yield(cpu);
}

void thread_settle(struct cpu *cpu)
{
	while (!cpu->idle && cpu->thread->epoch != cpu->component->epoch)
		thread_leave(cpu, LIMPET_ECRASH);
}

void thread_interrupt(struct cpu *cpu, struct thread *thread)
{
	if (thread == cpu->thread)
		return;
	thread->receiving = NULL;
	if (thread->state != LIMPET_THREAD_WAITING)
		return;
	guest_stopped(cpu, thread);
	thread->state = LIMPET_THREAD_READY;
	endpoint_notice(cpu, thread, LIMPET_NOTICE_READY);
}

/* Returns whether the component was stopped since it had this epoch. */
static bool stopped(const struct component *comp, word epoch)
{
	return (epoch & ~INVOCATION_FAULT) != comp->epoch;
}

/*
 * Notifies the thread of stops of the component that it is in, of the component that invoked that
 * one, and of the component in which it started. A READY thread may wait at its scheduler, so its
 * scheduler gets a notice.
 */
static void thread_notify(struct cpu *cpu, struct thread *thread)
{
	const struct invocation *first = thread->frame + 1, *top = thread->top;
	bool current = thread == cpu->thread, ready = thread->state == LIMPET_THREAD_READY;
	bool within = stopped(current ? cpu->component : thread->component, thread->epoch);
	bool below = top != thread->frame && stopped(top->component, top->epoch);

	if (top == thread->frame ? within : stopped(first->component, first->epoch))
		channel_owner(cpu, thread, true);
	if (current)
		return;
	if (within)
		thread_interrupt(cpu, thread);
	if (ready && (within || below))
		endpoint_notice(cpu, thread, LIMPET_NOTICE_STOPPED);
}

void threads_notify(struct cpu *cpu)
{
	for (unsigned int i = 0; i < NOTIFY_MAX && cpu->notify_left; i++, cpu->notify_left--) {
		struct thread *thread = cpu->threads[cpu->notify_next];

		cpu->notify_next = (cpu->notify_next + 1) % cpu->threads_end;
		if (thread && (thread->state == LIMPET_THREAD_READY ||
			       thread->state == LIMPET_THREAD_WAITING))
			thread_notify(cpu, thread);
	}
	if (cpu->notify_left)
		cpu_again(cpu, INBOX_STOPPED);
}

void thread_schedules(struct cpu *cpu, const struct thread *thread)
{
	bool known = thread->endpoint && thread->endpoint->schedules &&
		     thread->state != LIMPET_THREAD_IDLE;

	if (known && cpu->components[thread->home])
		cpu->components[thread->home]->schedules = true;
}

enum destroyed thread_destroy(struct cpu *cpu, struct thread *thread)
{
	if (thread == cpu->thread || thread == cpu->caller)
		return OBJECT_BUSY;
	if (thread->state == LIMPET_THREAD_READY || thread->state == LIMPET_THREAD_WAITING) {
		component_left(cpu, thread->component);
		for (; thread->top != thread->frame; thread->top--)
			component_left(cpu, thread->top->component);
	}
	if (thread->executive)
		guest_lost(cpu, thread);
	endpoint_forget(thread);
	if (thread->id < LIMPET_THREADS_MAX && cpu->threads[thread->id] == thread)
		cpu->threads[thread->id] = NULL;
	return OBJECT_GONE;
}

struct thread *thread_get(struct cpu *cpu, word slot, long *error)
{
	return capability_object(cpu, slot, LIMPET_THREAD, LIMPET_MANAGE, error);
}

/*
 * THREAD_START(thread, component, entry, argument, id, scheduler endpoint): starts the thread at
 * `entry` with rax = argument when it is dispatched. `id` (0 to 1023) selects its stacks. Notices
 * about it go to the scheduler endpoint; slot 0 means that it has no scheduler. If it was dead, the
 * first notice is that it is ready. ERANGE: `entry` or `id` is out of range. ESTATE: the thread is
 * neither new nor dead, or the component is closed or was not activated. EFULL: another thread has
 * the id.
 */
long call_thread_start(struct cpu *cpu, struct hal_regs *regs)
{
	word entry = hal_regs_word(regs, 2), id = hal_regs_word(regs, 4);
	long error;
	struct thread *thread = thread_get(cpu, hal_regs_word(regs, 0), &error);
	struct component *comp =
		thread ? component_get(cpu, hal_regs_word(regs, 1), LIMPET_EXEC, &error) : NULL;
	word slot = hal_regs_word(regs, 5); /* 0: no scheduler */
	struct endpoint *scheduler = NULL;
	bool again;

	if (!comp || (slot && !(scheduler = endpoint_get(cpu, slot, LIMPET_MANAGE, &error))))
		return error;
	if (entry >= LIMPET_USER_END || id >= LIMPET_THREADS_MAX)
		return LIMPET_ERANGE;
	id = index_clamp(id, LIMPET_THREADS_MAX);
	if (!comp->root ||
	    (thread->state != LIMPET_THREAD_IDLE && thread->state != LIMPET_THREAD_DEAD))
		return LIMPET_ESTATE;
	if (cpu->threads[id] && cpu->threads[id] != thread)
		return LIMPET_EFULL;
	if (thread->id < LIMPET_THREADS_MAX)
		cpu->threads[thread->id] = NULL;
	cpu->threads[id] = thread;
	thread->id = id;
	cpu->threads_end = cpu->threads_end > id ? cpu->threads_end : id + 1;
	hal_thread_init(thread->fpu); /* clears the state of the component in which it died */
	thread->receiving = NULL;
	endpoint_schedule(thread, scheduler);
	again = thread->state == LIMPET_THREAD_DEAD;
	thread->jobs = (struct limpet_jobs){ 0 };
	thread_begin(thread, comp, entry, hal_regs_word(regs, 3));
	thread_schedules(cpu, thread);
	if (scheduler && scheduler->thread)
		thread_schedules(cpu, scheduler->thread);
	channel_owner(cpu, thread, false);
	if (again)
		endpoint_notice(cpu, thread, LIMPET_NOTICE_READY);
	return LIMPET_OK;
}

/*
 * THREAD_DISPATCH(thread, deadline): switches to the thread. The caller stays READY. `deadline`
 * becomes the CPU's next timer event: a time stamp, LIMPET_NEVER, or 0 to keep the last one.
 * ESTATE: the thread is not READY. ERIGHTS: a deadline is given, and another component has called
 * CPU_TIMER.
 *
 * A scheduler's thread, which receives at an endpoint that schedules, dispatches and receives in
 * one call. Pending events and notices are returned immediately, without a switch. Otherwise the
 * thread receives while the other thread runs, and continues with the next event or notice, or when
 * it is dispatched. The words are those of ENDPOINT_RECEIVE. In a component that it has invoked,
 * the thread only dispatches.
 */
straight long call_thread_dispatch(struct cpu *cpu, struct hal_regs *regs)
{
	word deadline = hal_regs_word(regs, 1);
	long error;
	struct thread *thread = thread_get(cpu, hal_regs_word(regs, 0), &error);
	struct endpoint *ep;

	if (!thread)
		return error;
	if (thread->state != LIMPET_THREAD_READY)
		return LIMPET_ESTATE;
	if (deadline) {
		if (unlikely(!cpu_keeps_time(cpu)))
			return LIMPET_ERIGHTS;
		cpu_deadline(cpu, deadline);
	}
	hal_regs_status(regs, LIMPET_OK);
	ep = cpu->thread->endpoint;
	if (ep && ep->schedules && cpu->thread->top == cpu->thread->frame) {
		if (endpoint_pending(ep)) {
			endpoint_take(ep, cpu->thread);
			return CALL_DONE;
		}
		cpu->thread->receiving = ep;
		thread_switch(cpu, thread);
		if (unlikely(cpu->hold))
			cpu_hold(cpu);
		return CALL_DONE;
	}
	thread_switch(cpu, thread);
	return CALL_DONE;
}

/*
 * THREAD_URGENCY(thread, urgency): sets the urgency, 0 to LIMPET_URGENCY_MAX, from the thread's
 * next event on. ERANGE: the urgency is out of range. ERIGHTS: another component has called
 * CPU_TIMER, and so sets urgencies.
 */
long call_thread_urgency(struct cpu *cpu, struct hal_regs *regs)
{
	word urgency = hal_regs_word(regs, 1);
	long error;
	struct thread *thread = thread_get(cpu, hal_regs_word(regs, 0), &error);

	if (!thread)
		return error;
	if (urgency > LIMPET_URGENCY_MAX)
		return LIMPET_ERANGE;
	if (!cpu_keeps_time(cpu))
		return LIMPET_ERIGHTS;
	thread->urgency = urgency;
	return LIMPET_OK;
}

/*
 * THREAD_MISSED(thread): counts a deadline that the thread has missed. Its scheduler calls this for
 * the statistics.
 */
long call_thread_missed(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct thread *thread = thread_get(cpu, hal_regs_word(regs, 0), &error);

	if (!thread)
		return error;
	thread->misses++;
	return LIMPET_OK;
}

static u64 thread_ticks(const struct cpu *cpu, const struct thread *thread)
{
	return thread->ticks + (thread == cpu->thread ? hal_time() - thread->since : 0);
}

static void job_time(struct limpet_job_times *times, u64 ticks, u64 release)
{
	times->sum += ticks;
	times->bucket[index_clamp(limpet_job_bucket(ticks), LIMPET_JOB_BUCKETS)]++;
	if (ticks > times->max) {
		times->max = ticks;
		times->longest = release;
	}
}

static void job_maxima_clear(struct limpet_jobs *jobs)
{
	jobs->late.max = 0;
	jobs->response.max = 0;
	jobs->run.max = 0;
}

/*
 * THREAD_JOB(thread, period, release, late, held): records the end of the thread's job for statistics. The job was
 * released at time stamp `release` and began `late` ticks later. If `release` is 0, the thread waits for its first
 * release. Its scheduler has held it `held` times so far. The kernel does not check these values, because it does not
 * use them.
 */
long call_thread_job(struct cpu *cpu, struct hal_regs *regs)
{
	const u64 release = hal_regs_word(regs, 2);
	struct limpet_jobs *jobs;
	long error;
	struct thread *thread = thread_get(cpu, hal_regs_word(regs, 0), &error);
	u64 ticks, response = hal_time() - release;

	if (!thread)
		return error;
	jobs = &thread->jobs;
	ticks = thread_ticks(cpu, thread);
	jobs->period = hal_regs_word(regs, 1);
	jobs->held = hal_regs_word(regs, 4);
	if (release) {
		jobs->release = release;
		jobs->count++;
		jobs->missed += response > jobs->period;
		job_time(&jobs->late, hal_regs_word(regs, 3), release);
		job_time(&jobs->response, response, release);
		job_time(&jobs->run, ticks - thread->job_ticks, release);
		if (thread->id < LIMPET_THREADS_MAX && unlikely(cpu->inbox.clear[thread->id])) {
			cpu->inbox.clear[thread->id] = 0;
			job_maxima_clear(jobs);
		}
	}
	thread->job_ticks = ticks;
	return LIMPET_OK;
}

/* THREAD_INFO(thread): returns the run time in ticks, the number of dispatches, and the state. */
long call_thread_info(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct thread *thread = thread_get(cpu, hal_regs_word(regs, 0), &error);

	if (!thread)
		return error;
	hal_regs_result(regs, LIMPET_OK, thread_ticks(cpu, thread), thread->dispatches,
			thread->state);
	return CALL_DONE;
}
