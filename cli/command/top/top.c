// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <cli/common/fault.h>
#include <cli/command/top/top.h>

static const char *const words[TOP_SORTS] = {
	[TOP_CPU] = "cpu",	     [TOP_INVOCATIONS] = "invocations",
	[TOP_MISSES] = "misses",     [TOP_DISPATCHES] = "dispatches",
	[TOP_RESTARTS] = "restarts", [TOP_NAME] = "name",
};

const char *top_sort_word(unsigned int sort)
{
	return sort < TOP_SORTS ? words[sort] : NULL;
}

enum top_sort top_sort_of(const char *word)
{
	unsigned int sort = 0;

	while (sort < TOP_SORTS && strcmp(words[sort], word))
		sort++;
	return sort;
}

/* Returns the growth of a counter. A counter that was reset by a restart has counted from 0. */
static uint64_t grown(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

static double rate(const struct top *top, uint64_t before, uint64_t now)
{
	return top->seconds > 0 ? (double)grown(before, now) / top->seconds : 0;
}

static const struct limpet_stat_component none_component;
static const struct limpet_stat_thread none_thread;
static const struct limpet_stat_cpu none_cpu;

/* Tries the same index first, because a component usually keeps its index from one sample to the next. */
static const struct limpet_stat_component *
same_component(const struct snapshot *before, const struct limpet_stat_component *component,
	       unsigned int place)
{
	const struct limpet_stat_component *old = before->stat.component;

	for (unsigned int n = 0; n < before->stat.components; n++) {
		unsigned int i = (place + n) % before->stat.components;

		if (old[i].cpu == component->cpu && old[i].index == component->index)
			return &old[i];
	}
	return &none_component;
}

static int threads_compare(const void *left, const void *right)
{
	const struct limpet_stat_thread *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Threads are in the order of CPUs, then of numbers. */
static const struct limpet_stat_thread *same_thread(const struct snapshot *before,
						    const struct limpet_stat_thread *thread)
{
	const struct limpet_stat *stat = &before->stat;
	const struct limpet_stat_thread *old =
		stat->threads ? bsearch(thread, stat->thread, stat->threads, sizeof(*thread),
					threads_compare)
			      : NULL;

	return old ? old : &none_thread;
}

static void take_component(struct top *top, const struct snapshot *before,
			   const struct limpet_stat_component *component, unsigned int place)
{
	const struct limpet_stat_component *old = same_component(before, component, place);
	double invocations = rate(top, old->entered, component->entered);

	for (unsigned int i = 0; i < top->cpus; i++)
		if (top->cpu[i].cpu == component->cpu)
			top->cpu[i].invocations += invocations;
	if (component->index == SNAPSHOT_NONE)
		return;
	top->component[top->components++] = (struct top_component){
		.cpu = component->cpu,
		.index = component->index,
		.name = image_component_name(&top->now->image, component->index),
		.restarts = component->epoch,
		.stopped = component->closed,
		.faults = component->faults,
		.inside = component->entered - component->left,
		.invocations = invocations,
	};
}

static void take_thread(struct top *top, const struct snapshot *before,
			const struct limpet_stat_thread *thread)
{
	const struct limpet_stat_thread *old = same_thread(before, thread);
	double ticks = (double)top->now->info.ticks_per_ms * 1000;
	double percent = ticks > 0 ? 100 * rate(top, old->ticks, thread->ticks) / ticks : 0;

	for (unsigned int i = 0; i < top->cpus; i++)
		if (top->cpu[i].cpu == thread->cpu)
			top->cpu[i].percent += percent;
	top->thread[top->threads++] = (struct top_thread){
		.cpu = thread->cpu,
		.id = thread->id,
		.name = image_component_name(&top->now->image, thread->home),
		.inside = image_component_name(&top->now->image, thread->inside),
		.state = thread->running ? "running" : thread_state_word(thread->state),
		.urgency = thread->urgency,
		.priority = snapshot_priority(top->now, thread),
		.depth = thread->depth,
		.percent = percent,
		.dispatches = rate(top, old->dispatches, thread->dispatches),
		.misses = thread->misses,
		.missed = grown(old->misses, thread->misses),
	};
}

static void take_cpu(struct top *top, const struct snapshot *before, unsigned int n)
{
	const struct limpet_stat_cpu *now = &top->now->stat.cpu[n];
	const struct limpet_stat_cpu *old = n < before->stat.cpus ? &before->stat.cpu[n]
								  : &none_cpu;

	top->cpu[n] = (struct top_cpu){
		.cpu = now->cpu,
		.linux_cpu = now->linux_cpu,
		.events = rate(top, old->events, now->events),
		.timers = rate(top, old->timers, now->timers),
		.calls = rate(top, old->calls, now->calls),
		.faults = rate(top, old->faults, now->faults),
	};
}

static int descending(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* The sort order. It is global, because qsort() passes no context to the comparison. */
static enum top_sort sorted_by;

static int compare_components(const void *left, const void *right)
{
	const struct top_component *a = left, *b = right;
	int order = 0;

	if (sorted_by == TOP_NAME)
		order = strcmp(a->name, b->name);
	else if (sorted_by == TOP_RESTARTS)
		order = descending(a->restarts, b->restarts);
	if (!order && sorted_by != TOP_NAME)
		order = descending(a->invocations, b->invocations);
	if (!order)
		order = descending(b->cpu, a->cpu);
	return order ? order : descending(b->index, a->index);
}

static int compare_threads(const void *left, const void *right)
{
	const struct top_thread *a = left, *b = right;
	int order = 0;

	if (sorted_by == TOP_NAME)
		order = strcmp(a->name, b->name);
	else if (sorted_by == TOP_MISSES)
		order = descending((double)a->misses, (double)b->misses);
	else if (sorted_by == TOP_DISPATCHES)
		order = descending(a->dispatches, b->dispatches);
	if (!order && sorted_by != TOP_NAME)
		order = descending(a->percent, b->percent);
	if (!order)
		order = descending(b->cpu, a->cpu);
	return order ? order : descending(b->id, a->id);
}

/* Allocates one element more than needed, because realloc() to 0 bytes can return NULL. */
static bool capacity_grow(void **memory, unsigned int *capacity, unsigned int wanted, size_t size)
{
	void *larger = wanted < *capacity ? *memory : realloc(*memory, (wanted + 1) * size);

	if (!larger)
		return false;
	*memory = larger;
	*capacity = wanted < *capacity ? *capacity : wanted + 1;
	return true;
}

void top_take(struct top *top, const struct snapshot *before, const struct snapshot *now,
	      enum top_sort sort)
{
	static const struct snapshot nothing;

	if (before->info.uptime_ns > now->info.uptime_ns)
		before = &nothing;
	*top = (struct top){
		.now = now,
		.seconds = (double)(now->info.uptime_ns - before->info.uptime_ns) / 1e9,
		.cpus = now->stat.cpus,
		.component = top->component,
		.component_capacity = top->component_capacity,
		.thread = top->thread,
		.thread_capacity = top->thread_capacity,
	};
	for (unsigned int i = 0; i < top->cpus; i++)
		take_cpu(top, before, i);
	if (!capacity_grow((void **)&top->component, &top->component_capacity, now->stat.components,
			   sizeof(*top->component)) ||
	    !capacity_grow((void **)&top->thread, &top->thread_capacity, now->stat.threads,
			   sizeof(*top->thread)))
		return;
	for (unsigned int i = 0; i < now->stat.components; i++)
		take_component(top, before, &now->stat.component[i], i);
	for (unsigned int i = 0; i < now->stat.threads; i++)
		take_thread(top, before, &now->stat.thread[i]);
	sorted_by = sort;
	qsort(top->component, top->components, sizeof(*top->component), compare_components);
	qsort(top->thread, top->threads, sizeof(*top->thread), compare_threads);
}
