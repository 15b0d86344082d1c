// SPDX-License-Identifier: BSD-2-Clause
/* Checks a component: name, place of its records, addresses, role, restart policy. */
#include <limpet/update.h>

#include "checker.h"

#define RANGES (LIMPET_IMAGE_SEGMENTS + 4) /* and info page, heap, stacks, pool */
/* and info page, heap, stacks */
#define STACK_SHIFT_MIN 13
#define MS_MAX 3600000u /* an hour */
/* an hour */
#define FLAGS_ALL                                                                                  \
	(LIMPET_COMPONENT_BOOTER | LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY |          \
	 LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_CPU | LIMPET_COMPONENT_RAMDISK |              \
	 LIMPET_COMPONENT_SUPERVISOR | LIMPET_COMPONENT_CLIENTS | LIMPET_COMPONENT_STACK_ERROR |   \
	 LIMPET_COMPONENT_UPDATE | LIMPET_COMPONENT_BARRIER | LIMPET_COMPONENT_EXECUTIVE |         \
	 LIMPET_COMPONENT_GUESTS_OPEN)
_Static_assert(LIMPET_SLOT_FIRST + LIMPET_WIRES_MAX + LIMPET_INFO_CHANNELS +
				       LIMPET_INFO_RESOURCES ==
			       LIMPET_SLOT_GATES &&
		       LIMPET_SLOT_GATES < LIMPET_SLOT_THREADS,
	       "imports, channels and resources have slots");
_Static_assert(LIMPET_SLOT_ENDPOINTS == LIMPET_SLOT_THREADS + LIMPET_THREADS_MAX &&
		       LIMPET_SLOT_COMPONENTS == LIMPET_SLOT_ENDPOINTS + LIMPET_THREADS_MAX &&
		       LIMPET_SLOT_SPACES == LIMPET_SLOT_COMPONENTS + LIMPET_COMPONENTS_MAX &&
		       LIMPET_SLOT_COUNT == LIMPET_SLOT_SPACES + LIMPET_COMPONENTS_MAX &&
		       LIMPET_SLOT_COUNT <= LIMPET_SLOTS_MAX,
	       "a slot for each thread and component");
/* Roles that a supervisor cannot have, because they use the same slots. */
#define FLAGS_ROLES                                                                                \
	(LIMPET_COMPONENT_BOOTER | LIMPET_COMPONENT_SUPERVISOR | LIMPET_COMPONENT_CPU |            \
	 LIMPET_COMPONENT_RAMDISK | FLAGS_APART)
#define FLAGS_APART                                                                                \
	(LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY | LIMPET_COMPONENT_CONSOLE |         \
	 LIMPET_COMPONENT_CLIENTS)

struct range {
	uint64_t start, size;
	const char *field;
	uint32_t index;
};

static int check_name(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (!string_fits(checker, component->name, LIMPET_NAME_MAX - 1))
		return refuse(checker, "component.name", index,
			      "must be a string of 1 to 31 bytes");
	if (!string_fits(checker, component->image, LIMPET_NAME_MAX - 1))
		return refuse(checker, "component.image", index,
			      "must be a string of 1 to 31 bytes");
	for (uint32_t i = 0; i < index; i++)
		if (text_equal(checker->strings + checker->component[i].name,
			       checker->strings + component->name))
			return refuse(checker, "component.name", index,
				      "is already the name of another component");
	return 0;
}

/* Checks that the records of a component follow those of the component before it. */
static int check_records(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (component->segment != checker->segments)
		return refuse(checker, "component.segment", index,
			      "must follow the segments of the previous component");
	if (component->wire != checker->wires)
		return refuse(checker, "component.wire", index,
			      "must follow the wires of the previous component");
	if (component->arg != checker->args)
		return refuse(checker, "component.arg", index,
			      "must follow the arguments of the previous component");
	if (!component->segments || component->segments > LIMPET_IMAGE_SEGMENTS ||
	    component->segments > checker->image->segments - checker->segments)
		return refuse(checker, "component.segments", index,
			      "must be 1 to 8, and inside the table");
	if (component->wires > (index ? LIMPET_WIRES_MAX : 0) ||
	    component->wires > checker->image->wires - checker->wires)
		return refuse(checker, "component.wires", index,
			      "must be at most 192, or 0 for the booter, and inside the table");
	if (component->args > LIMPET_INFO_ARGS ||
	    component->args > checker->image->args - checker->args)
		return refuse(checker, "component.args", index,
			      "must be at most 24, and inside the table");
	checker->segments += component->segments;
	checker->wires += component->wires;
	checker->args += component->args;
	return 0;
}

static int check_debug_records(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (component->symbol != checker->symbols ||
	    component->symbols > checker->image->symbols - checker->symbols)
		return refuse(checker, "component.symbol", index,
			      "must follow the previous component's symbols, inside the table");
	if (component->unwind != checker->unwinds ||
	    component->unwinds > checker->image->unwinds - checker->unwinds)
		return refuse(checker, "component.unwind", index,
			      "must follow the previous component's records, inside the table");
	checker->symbols += component->symbols;
	checker->unwinds += component->unwinds;
	return 0;
}

static int check_range(struct checker *checker, const struct range *all, uint32_t count)
{
	const struct range *range = &all[count];

	if (range->start % PAGE || range->size % PAGE)
		return refuse(checker, range->field, range->index, "is not page aligned");
	if (range->start < PAGE || range->start >= LIMPET_USER_END || !range->size ||
	    range->size > LIMPET_USER_END - range->start)
		return refuse(checker, range->field, range->index,
			      "is empty or outside the user addresses");
	for (uint32_t i = 0; i < count; i++)
		if (range->start < all[i].start + all[i].size &&
		    all[i].start < range->start + range->size)
			return refuse(checker, range->field, range->index,
				      "overlaps with another part");
	return 0;
}

static bool is_shift(uint32_t shift)
{
	return shift >= STACK_SHIFT_MIN && shift <= STACK_SHIFT_MAX;
}

static uint64_t pages_round(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Returns the bytes of a component's pool, including the stacks of its own threads. */
static uint64_t pool_size(const struct limpet_image_component *component)
{
	return ((uint64_t)component->pool_count + !!component->priority + component->threads)
	       << component->pool_shift;
}

/* Checks the stacks of threads, or the entry stacks and the pool. The booter and fault handlers have no pool. */
static int check_stacks(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (!component->stack_count || component->stack_count > LIMPET_THREADS_MAX)
		return refuse(checker, "component.stack_count", index, "must be 1 to 1024");
	if (!component->pool_count && (component->pool || component->pool_shift ||
				       component->flags & LIMPET_COMPONENT_STACK_ERROR))
		return refuse(checker, "component.pool", index,
			      "must be 0 if pool_count is 0, like the pool's shift and flag");
	if (!component->pool_count)
		return is_shift(component->stack_shift) ? 0
							: refuse(checker, "component.stack_shift",
								 index, "must be 13 to 20");
	if (!index || component->pool_count > LIMPET_POOL_MAX)
		return refuse(checker, "component.pool_count", index,
			      "must be at most 64, and 0 for the booter");
	if (component->stack_shift != LIMPET_ENTRY_SHIFT)
		return refuse(checker, "component.stack_shift", index,
			      "must be 9 for a component with a pool of stacks");
	if (!is_shift(component->pool_shift))
		return refuse(checker, "component.pool_shift", index, "must be 13 to 20");
	if (component->pool & ((1ul << component->pool_shift) - 1))
		return refuse(checker, "component.pool", index,
			      "must be a multiple of the pool's stack size");
	return 0;
}

/* Checks that segments, info page, heap and stacks are at user addresses and do not overlap. */
static int check_ranges(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];
	struct range all[RANGES];
	uint32_t count = 0;

	if (check_stacks(checker, index))
		return -1;
	if (!component->heap_size && component->heap)
		return refuse(checker, "component.heap", index, "must be 0 if heap_size is 0");
	for (uint32_t i = component->segment; i < checker->segments; i++)
		all[count++] = (struct range){ checker->segment[i].address,
					       checker->segment[i].size, "segment.address", i };
	all[count++] = (struct range){ component->info, LIMPET_INFO_PAGES * PAGE, "component.info",
				       index };
	all[count++] = (struct range){ component->stacks,
				       pages_round((uint64_t)component->stack_count
						   << component->stack_shift),
				       "component.stacks", index };
	if (component->pool_count)
		all[count++] = (struct range){ component->pool, pool_size(component),
					       "component.pool", index };
	if (component->heap_size)
		all[count++] = (struct range){ component->heap, component->heap_size,
					       "component.heap", index };
	for (uint32_t i = 0; i < count; i++)
		if (check_range(checker, all, i))
			return -1;
	return 0;
}

static int check_role(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (component->flags & ~FLAGS_ALL ||
	    !(component->flags & LIMPET_COMPONENT_BOOTER) == !index)
		return refuse(checker, "component.flags", index,
			      "must have known bits only, and the booter's in component 0 alone");
	if (component->flags & LIMPET_COMPONENT_SCHEDULER &&
	    component->flags & LIMPET_COMPONENT_MEMORY)
		return refuse(checker, "component.flags", index,
			      "must not be both scheduler and memory manager: they share slots");
	if (component->flags & LIMPET_COMPONENT_SUPERVISOR && component->flags & FLAGS_APART)
		return refuse(checker, "component.flags", index,
			      "must not combine a supervisor with a role that uses its slots");
	if (component->flags & LIMPET_COMPONENT_GUESTS_OPEN &&
	    !(component->flags & LIMPET_COMPONENT_EXECUTIVE))
		return refuse(
			checker, "component.flags", index,
			"must not let guests continue without a component that is not an executive");
	if (component->cpu >= checker->image->cpus || (!index && component->cpu))
		return refuse(checker, "component.cpu", index,
			      "must be a CPU of the system, and 0 for the booter");
	if (component->priority > LIMPET_URGENCY_MAX || (!index && component->priority))
		return refuse(checker, "component.priority", index,
			      "must be at most 255, and 0 for the booter");
	if (component->flags & LIMPET_COMPONENT_SCHEDULER && !component->priority)
		return refuse(checker, "component.priority", index,
			      "must not be 0 for a scheduler, because it has a thread");
	if (component->threads > (index ? LIMPET_SPARES_MAX : 0))
		return refuse(checker, "component.threads", index,
			      "must be at most 1022, and 0 for the booter");
	if (component->supervisor && component->threads > LIMPET_SPARES_FEW)
		return refuse(checker, "component.threads", index,
			      "must be at most 62 for a component with a supervisor");
	if (component->quota > LIMPET_QUOTA_MAX)
		return refuse(checker, "component.quota", index, "must be at most 262144 pages");
	return 0;
}

/* Checks the restart policy. */
static int check_policy(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (component->restart > LIMPET_RESTART_CHECKPOINT)
		return refuse(checker, "component.restart", index,
			      "must be a known restart policy");
	if (component->restart < LIMPET_RESTART_IMAGE &&
	    (component->restart_limit || component->restart_backoff_ms))
		return refuse(checker, "component.restart", index,
			      "does not restart the component, but a limit or back-off is set");
	if (component->restart_backoff_ms > MS_MAX || component->heartbeat_ms > MS_MAX)
		return refuse(checker, "component.restart", index,
			      "must have a back-off and a heartbeat of at most 3600000 ms");
	if (!component->supervisor && (component->restart || component->heartbeat_ms))
		return refuse(checker, "component.restart", index,
			      "must be 0 without a supervisor, like heartbeat_ms");
	return 0;
}

/* Checks that the parts of a component that can be replaced have equal sizes and follow one another. */
static int check_update(struct checker *checker, uint32_t index)
{
	static const uint32_t rights[] = { LIMPET_READ | LIMPET_EXEC, LIMPET_READ,
					   LIMPET_READ | LIMPET_WRITE };
	const struct limpet_image_component *component = &checker->component[index];
	const struct limpet_image_segment *segment = &checker->segment[component->segment];

	if (!(component->flags & LIMPET_COMPONENT_UPDATE))
		return 0;
	if (component->restart < LIMPET_RESTART_IMAGE || component->flags & FLAGS_ROLES)
		return refuse(checker, "component.flags", index,
			      "allows updates, but the component does not restart, or has a role");
	if (component->segments != LIMPET_UPDATE_PARTS)
		return refuse(checker, "component.segments", index,
			      "must be 3 for a component that can be updated");
	for (uint32_t i = 0; i < LIMPET_UPDATE_PARTS; i++)
		if (segment[i].rights != rights[i] || segment[i].size != segment->size ||
		    segment[i].address != segment->address + i * segment->size)
			return refuse(
				checker, "segment.address", component->segment + i,
				"must have the place, size and rights of its part for updates");
	return 0;
}

int image_check_component(struct checker *checker, uint32_t index)
{
	const struct limpet_image_component *component = &checker->component[index];

	if (check_name(checker, index) || check_role(checker, index) ||
	    check_policy(checker, index) || check_records(checker, index) ||
	    check_debug_records(checker, index))
		return -1;
	for (uint32_t i = component->segment; i < checker->segments; i++)
		if (image_check_segment(checker, component, i))
			return -1;
	if (check_update(checker, index) || check_ranges(checker, index))
		return -1;
	if (!executable(checker, component, component->entry))
		return refuse(checker, "component.entry", index,
			      "must be in an executable segment");
	for (uint32_t i = component->wire; i < checker->wires; i++)
		if (image_check_wire(checker, index, i))
			return -1;
	for (uint32_t i = component->arg; i < checker->args; i++)
		if (image_check_arg(checker, i))
			return -1;
	for (uint32_t i = component->symbol; i < checker->symbols; i++)
		if (image_check_symbol(checker, component, i))
			return -1;
	for (uint32_t i = component->unwind; i < checker->unwinds; i++)
		if (image_check_unwind(checker, component, i))
			return -1;
	return 0;
}
