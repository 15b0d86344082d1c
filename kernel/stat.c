// SPDX-License-Identifier: GPL-2.0
#include <kernel/stat.h>

/* Returns whether the object is in the system's memory, so that it can be read safely. */
static bool in_memory(const struct cpu *cpu, const void *object)
{
	return (word)object >= (word)cpu->pool->base &&
	       frame_of(cpu->pool, object) < cpu->pool->frames;
}

static void stat_component(struct limpet_ioc_stat *stat, u32 n, const struct component *comp)
{
	stat->component[stat->components++] = (struct limpet_stat_component){
		.cpu = n,
		.index = comp->index,
		.epoch = (u32)comp->epoch,
		.faults = comp->faults,
		.entered = comp->entered,
		.left = comp->left,
		.fault_kind = comp->fault.kind,
		.fault_thread = comp->fault_thread,
		.fault_address = comp->fault.address,
		.fault_ip = comp->fault_ip,
		.fault_error = comp->fault.error,
		.closed = !comp->root,
	};
}

static void stat_thread(struct limpet_ioc_stat *stat, const struct cpu *cpu,
			const struct thread *thread)
{
	const struct component *in = thread == cpu->thread ? cpu->component : thread->component;

	stat->thread[stat->threads++] = (struct limpet_stat_thread){
		.cpu = cpu->number,
		.id = thread->id,
		.home = thread->home,
		.inside = in_memory(cpu, in) ? in->index : ~0u,
		.state = thread->state,
		.urgency = thread->urgency,
		.depth = (u32)(thread->top - thread->frame),
		.running = thread == cpu->thread && !cpu->idle,
		.ticks = thread->ticks,
		.dispatches = thread->dispatches,
		.misses = thread->misses,
		.period = thread->jobs.period,
	};
}

void stat_begin(struct limpet_ioc_stat *stat, struct cpu *cpu, word share)
{
	stat->cpu = (struct limpet_stat_cpu){
		.cpu = cpu->number,
		.calls = cpu->calls,
		.events = cpu->events,
		.faults = cpu->faults,
		.timers = cpu->timers,
		.resumes = cpu->resumes,
		.interrupted = cpu->interrupted,
		.barriers = cpu->barriers,
		.frames = share,
	};
	stat->components = stat->threads = 0;
	stat->jobs = (struct limpet_jobs){ 0 };
	if (stat->first >= LIMPET_THREADS_MAX || !in_memory(cpu, cpu->threads[stat->first]))
		return;
	stat->jobs = cpu->threads[stat->first]->jobs;
	if (stat->clear)
		cpu->inbox.clear[stat->first] = 1;
	stat->jobs.clear = cpu->inbox.clear[stat->first];
}

void stat_add(struct limpet_ioc_stat *stat, const struct cpu *cpu, word number)
{
	if (number < LIMPET_COMPONENTS_MAX && in_memory(cpu, cpu->components[number]))
		stat_component(stat, cpu->number, cpu->components[number]);
	if (number < LIMPET_THREADS_MAX && in_memory(cpu, cpu->threads[number]))
		stat_thread(stat, cpu, cpu->threads[number]);
}

u64 stat_frames(const struct cpu *cpu, word first, word count)
{
	u64 free = 0;

	for (word i = first; i < first + count; i++)
		free += !cpu->pool->state[i];
	return free;
}
