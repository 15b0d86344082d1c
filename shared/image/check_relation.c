// SPDX-License-Identifier: BSD-2-Clause
/* Checks components with each other: memory and threads of a CPU, schedulers, handlers, servers. */
#include "checker.h"

/* Adds the component's threads and memory to the sums of its CPU. */
int image_check_cpu(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];
	struct cpu_sum *sum = &c->cpu[p->cpu];

	sum->threads += !!p->priority + p->threads;
	sum->bytes += p->heap_size;
	for (uint32_t i = p->segment; i < p->segment + p->segments; i++)
		sum->bytes += c->segment[i].size;
	if (is_root(p)) {
		if (sum->root)
			return refuse(c, "component.scheduler", index,
				      "is unset, but its CPU has a root scheduler already");
		sum->root = index;
	}
	if (sum->threads >= LIMPET_THREADS_MAX)
		return refuse(c, "component.threads", index,
			      "must leave at most 1023 threads on its CPU");
	if (sum->bytes > c->image->frames * PAGE)
		return refuse(c, "component.heap_size", index,
			      "needs more memory on its CPU than the frames of the system");
	return 0;
}

/* Returns whether `other` is another component of the same CPU, and not the booter. */
static bool is_neighbour(const struct checker *c, uint32_t index, uint32_t other)
{
	return other && other != index && other < c->image->components &&
	       c->component[other].cpu == c->component[index].cpu;
}

/*
 * Returns whether the chain of schedulers, or of fault handlers, from `first` on ends. They may
 * come before or after their components in the image. `at` is the offset of the followed index.
 */
static bool chain_ends(const struct checker *c, uint32_t first, uint64_t at)
{
	uint32_t next = first;

	for (uint32_t i = 0; i < c->image->components; i++) {
		if (!next || next >= c->image->components)
			return true; /* the latter is refused for itself */
		next = *(const uint32_t *)((const char *)&c->component[next] + at);
	}
	return false;
}

static int check_scheduler(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];
	bool threaded = p->priority || p->threads;

	if (index && p->stack_count <= c->cpu[p->cpu].threads)
		return refuse(c, "component.stack_count", index,
			      "must be above the number of threads of its CPU");
	if (index && !c->cpu[p->cpu].root)
		return refuse(c, "component.cpu", index, "is a CPU without a root scheduler");
	if (!p->scheduler)
		return threaded && !is_root(p)
			       ? refuse(c, "component.scheduler", index,
					"must not be 0 for a component with threads")
			       : 0;
	if (!threaded)
		return refuse(c, "component.scheduler", index,
			      "must be 0 for a component without threads");
	if (!is_neighbour(c, index, p->scheduler) ||
	    !(c->component[p->scheduler].flags & LIMPET_COMPONENT_SCHEDULER))
		return refuse(c, "component.scheduler", index,
			      "must be another scheduler on the same CPU");
	if (!chain_ends(c, index, __builtin_offsetof(struct limpet_image_component, scheduler)))
		return refuse(c, "component.scheduler", index,
			      "must not form a cycle of schedulers");
	return 0;
}

static int check_faults(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (!p->faults && (p->faults_entry || p->supervisor))
		return refuse(c, "component.faults", index,
			      "is unset, but faults_entry or supervisor is not");
	if (!p->faults)
		return 0;
	if (!index || (p->faults != index && !is_neighbour(c, index, p->faults)))
		return refuse(c, "component.faults", index,
			      "must be a component on the same CPU, and 0 for the booter");
	if (c->component[p->faults].pool_count)
		return refuse(c, "component.faults", index,
			      "must be a component without a pool of stacks");
	if (!executable(c, &c->component[p->faults], p->faults_entry))
		return refuse(c, "component.faults_entry", index,
			      "must be in an executable segment of the handler");
	if (p->faults != index &&
	    !chain_ends(c, index, __builtin_offsetof(struct limpet_image_component, faults)))
		return refuse(c, "component.faults", index,
			      "must not form a cycle of fault handlers");
	if (p->supervisor && (!is_neighbour(c, index, p->supervisor) ||
			      !(c->component[p->supervisor].flags & LIMPET_COMPONENT_SUPERVISOR)))
		return refuse(c, "component.supervisor", index,
			      "must be a supervisor on the same CPU");
	return 0;
}

static int check_memory(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (!p->memory)
		return 0;
	if (!index || !is_neighbour(c, index, p->memory) ||
	    !(c->component[p->memory].flags & LIMPET_COMPONENT_MEMORY))
		return refuse(c, "component.memory", index,
			      "must be another memory manager on the same CPU, 0 for the booter");
	if (!chain_ends(c, index, __builtin_offsetof(struct limpet_image_component, memory)))
		return refuse(c, "component.memory", index,
			      "must not form a cycle of memory managers");
	return 0;
}

/* Checks the next executive of a component. It comes before the component, so the chain ends. */
static int check_guest(struct checker *c, uint32_t index)
{
	uint32_t next = c->component[index].guest, count = 1;

	if (!next)
		return 0;
	if (next >= index || !is_neighbour(c, index, next))
		return refuse(c, "component.guest", index,
			      "must be a component before it on the same CPU");
	for (; next; next = c->component[next].guest)
		count++;
	if (count > LIMPET_GUEST_CHAIN_MAX)
		return refuse(c, "component.guest", index,
			      "must not form a chain of more than 4 executives");
	return 0;
}

/* Checks the entries of servers after the importer, which were not checked before the importer. */
static int check_entries(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	for (uint32_t i = p->wire; i < p->wire + p->wires; i++)
		if (c->wire[i].server > index && check_entry(c, i))
			return -1;
	return 0;
}

int image_check_relations(struct checker *c)
{
	for (uint32_t i = 0; i < c->image->components; i++)
		if (check_scheduler(c, i) || check_faults(c, i) || check_memory(c, i) ||
		    check_guest(c, i) || check_entries(c, i))
			return -1;
	return 0;
}
