// SPDX-License-Identifier: BSD-2-Clause
/* Checks components with each other: memory and threads of a CPU, schedulers, handlers, servers. */
#include "checker.h"

/*
 * Returns whether the segment gets frames. The others are mapped from the image: those that are not writable, unless the
 * component is the booter, which the kernel copies, or another build can replace the component.
 */
static bool has_frames(const struct limpet_image_component *component, uint32_t index,
		       const struct limpet_image_segment *segment)
{
	return !index || component->flags & LIMPET_COMPONENT_UPDATE ||
	       segment->rights & LIMPET_WRITE;
}

/* Adds the component's threads and memory to the sums of its CPU. */
int image_check_cpu(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];
	struct cpu_sum *sum = &checker->cpu[component->cpu];

	sum->threads += !!component->priority + component->threads;
	sum->bytes += component->heap_size;
	for (uint32_t i = component->segment; i < component->segment + component->segments; i++)
		if (has_frames(component, index, &checker->segment[i]))
			sum->bytes += checker->segment[i].size;
	if (is_root(component)) {
		if (sum->root)
			return refuse(checker, "component.scheduler", index,
				      "is unset, but its CPU has a root scheduler already");
		sum->root = index;
	}
	if (sum->threads >= LIMPET_THREADS_MAX)
		return refuse(checker, "component.threads", index,
			      "must leave at most 1023 threads on its CPU");
	if (sum->bytes > checker->image->frames * PAGE)
		return refuse(checker, "component.heap_size", index,
			      "needs more memory on its CPU than the frames of the system");
	return 0;
}

/* Returns whether `other` is another component of the same CPU, and not the booter. */
static bool is_neighbour(const struct checker *checker, uint32_t index, uint32_t other)
{
	return other && other != index && other < checker->image->components &&
	       checker->component[other].cpu == checker->component[index].cpu;
}

/*
 * Returns whether the chain of schedulers, or of fault handlers, from `first` on ends. They may
 * come before or after their components in the image. `at` is the offset of the followed index.
 */
static bool chain_ends(const struct checker *checker, uint32_t first, uint64_t at)
{
	uint32_t next = first;

	for (uint32_t i = 0; i < checker->image->components; i++) {
		if (!next || next >= checker->image->components)
			return true; /* the latter is refused for itself */
		next = *(const uint32_t *)((const char *)&checker->component[next] + at);
	}
	return false;
}

static int check_scheduler(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];
	bool threaded = component->priority || component->threads;

	if (index && component->stack_count <= checker->cpu[component->cpu].threads)
		return refuse(checker, "component.stack_count", index,
			      "must be above the number of threads of its CPU");
	if (index && !checker->cpu[component->cpu].root)
		return refuse(checker, "component.cpu", index, "is a CPU without a root scheduler");
	if (!component->scheduler)
		return threaded && !is_root(component)
			       ? refuse(checker, "component.scheduler", index,
					"must not be 0 for a component with threads")
			       : 0;
	if (!threaded)
		return refuse(checker, "component.scheduler", index,
			      "must be 0 for a component without threads");
	if (!is_neighbour(checker, index, component->scheduler) ||
	    !(checker->component[component->scheduler].flags & LIMPET_COMPONENT_SCHEDULER))
		return refuse(checker, "component.scheduler", index,
			      "must be another scheduler on the same CPU");
	if (!chain_ends(checker, index,
			__builtin_offsetof(struct limpet_image_component, scheduler)))
		return refuse(checker, "component.scheduler", index,
			      "must not form a cycle of schedulers");
	return 0;
}

static int check_faults(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (!component->faults && (component->faults_entry || component->supervisor))
		return refuse(checker, "component.faults", index,
			      "is unset, but faults_entry or supervisor is not");
	if (!component->faults)
		return 0;
	if (!index ||
	    (component->faults != index && !is_neighbour(checker, index, component->faults)))
		return refuse(checker, "component.faults", index,
			      "must be a component on the same CPU, and 0 for the booter");
	if (checker->component[component->faults].pool_count)
		return refuse(checker, "component.faults", index,
			      "must be a component without a pool of stacks");
	if (!executable(checker, &checker->component[component->faults], component->faults_entry))
		return refuse(checker, "component.faults_entry", index,
			      "must be in an executable segment of the handler");
	if (component->faults != index &&
	    !chain_ends(checker, index, __builtin_offsetof(struct limpet_image_component, faults)))
		return refuse(checker, "component.faults", index,
			      "must not form a cycle of fault handlers");
	if (component->supervisor &&
	    (!is_neighbour(checker, index, component->supervisor) ||
	     !(checker->component[component->supervisor].flags & LIMPET_COMPONENT_SUPERVISOR)))
		return refuse(checker, "component.supervisor", index,
			      "must be a supervisor on the same CPU");
	return 0;
}

static int check_memory(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (!component->memory)
		return 0;
	if (!index || !is_neighbour(checker, index, component->memory) ||
	    !(checker->component[component->memory].flags & LIMPET_COMPONENT_MEMORY))
		return refuse(checker, "component.memory", index,
			      "must be another memory manager on the same CPU, 0 for the booter");
	if (!chain_ends(checker, index, __builtin_offsetof(struct limpet_image_component, memory)))
		return refuse(checker, "component.memory", index,
			      "must not form a cycle of memory managers");
	return 0;
}

/* Checks the next executive of a component. It comes before the component, so the chain ends. */
static int check_guest(struct checker *checker, uint32_t index)
{
	uint32_t next = checker->component[index].guest, count = 1;

	if (!next)
		return 0;
	if (next >= index || !is_neighbour(checker, index, next))
		return refuse(checker, "component.guest", index,
			      "must be a component before it on the same CPU");
	for (; next; next = checker->component[next].guest)
		count++;
	if (count > LIMPET_GUEST_CHAIN_MAX)
		return refuse(checker, "component.guest", index,
			      "must not form a chain of more than 4 executives");
	return 0;
}

/* Checks the entries of servers after the importer, which were not checked before the importer. */
static int check_entries(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	for (uint32_t i = component->wire; i < component->wire + component->wires; i++)
		if (checker->wire[i].server > index && check_entry(checker, i))
			return -1;
	return 0;
}

int image_check_relations(struct checker *checker)
{
	for (uint32_t i = 0; i < checker->image->components; i++)
		if (check_scheduler(checker, i) || check_faults(checker, i) ||
		    check_memory(checker, i) || check_guest(checker, i) ||
		    check_entries(checker, i))
			return -1;
	return 0;
}
