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

static int check_name(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (!string_fits(c, p->name, LIMPET_NAME_MAX - 1))
		return refuse(c, "component.name", index, "must be a string of 1 to 31 bytes");
	if (!string_fits(c, p->image, LIMPET_NAME_MAX - 1))
		return refuse(c, "component.image", index, "must be a string of 1 to 31 bytes");
	for (uint32_t i = 0; i < index; i++)
		if (text_equal(c->strings + c->component[i].name, c->strings + p->name))
			return refuse(c, "component.name", index,
				      "is already the name of another component");
	return 0;
}

/* Checks that the records of a component follow those of the component before it. */
static int check_records(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->segment != c->segments)
		return refuse(c, "component.segment", index,
			      "must follow the segments of the previous component");
	if (p->wire != c->wires)
		return refuse(c, "component.wire", index,
			      "must follow the wires of the previous component");
	if (p->arg != c->args)
		return refuse(c, "component.arg", index,
			      "must follow the arguments of the previous component");
	if (!p->segments || p->segments > LIMPET_IMAGE_SEGMENTS ||
	    p->segments > c->image->segments - c->segments)
		return refuse(c, "component.segments", index,
			      "must be 1 to 8, and inside the table");
	if (p->wires > (index ? LIMPET_WIRES_MAX : 0) || p->wires > c->image->wires - c->wires)
		return refuse(c, "component.wires", index,
			      "must be at most 192, or 0 for the booter, and inside the table");
	if (p->args > LIMPET_INFO_ARGS || p->args > c->image->args - c->args)
		return refuse(c, "component.args", index,
			      "must be at most 24, and inside the table");
	c->segments += p->segments;
	c->wires += p->wires;
	c->args += p->args;
	return 0;
}

static int check_debug_records(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->symbol != c->symbols || p->symbols > c->image->symbols - c->symbols)
		return refuse(c, "component.symbol", index,
			      "must follow the previous component's symbols, inside the table");
	if (p->unwind != c->unwinds || p->unwinds > c->image->unwinds - c->unwinds)
		return refuse(c, "component.unwind", index,
			      "must follow the previous component's records, inside the table");
	c->symbols += p->symbols;
	c->unwinds += p->unwinds;
	return 0;
}

static int check_range(struct checker *c, const struct range *all, uint32_t count)
{
	const struct range *r = &all[count];

	if (r->start % PAGE || r->size % PAGE)
		return refuse(c, r->field, r->index, "is not page aligned");
	if (r->start < PAGE || r->start >= LIMPET_USER_END || !r->size ||
	    r->size > LIMPET_USER_END - r->start)
		return refuse(c, r->field, r->index, "is empty or outside the user addresses");
	for (uint32_t i = 0; i < count; i++)
		if (r->start < all[i].start + all[i].size && all[i].start < r->start + r->size)
			return refuse(c, r->field, r->index, "overlaps with another part");
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
static uint64_t pool_size(const struct limpet_image_component *p)
{
	return ((uint64_t)p->pool_count + !!p->priority + p->threads) << p->pool_shift;
}

/* Checks the stacks of threads, or the entry stacks and the pool. The booter and fault handlers have no pool. */
static int check_stacks(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (!p->stack_count || p->stack_count > LIMPET_THREADS_MAX)
		return refuse(c, "component.stack_count", index, "must be 1 to 1024");
	if (!p->pool_count && (p->pool || p->pool_shift || p->flags & LIMPET_COMPONENT_STACK_ERROR))
		return refuse(c, "component.pool", index,
			      "must be 0 if pool_count is 0, like the pool's shift and flag");
	if (!p->pool_count)
		return is_shift(p->stack_shift)
			       ? 0
			       : refuse(c, "component.stack_shift", index, "must be 13 to 20");
	if (!index || p->pool_count > LIMPET_POOL_MAX)
		return refuse(c, "component.pool_count", index,
			      "must be at most 64, and 0 for the booter");
	if (p->stack_shift != LIMPET_ENTRY_SHIFT)
		return refuse(c, "component.stack_shift", index,
			      "must be 9 for a component with a pool of stacks");
	if (!is_shift(p->pool_shift))
		return refuse(c, "component.pool_shift", index, "must be 13 to 20");
	if (p->pool & ((1ul << p->pool_shift) - 1))
		return refuse(c, "component.pool", index,
			      "must be a multiple of the pool's stack size");
	return 0;
}

/* Checks that segments, info page, heap and stacks are at user addresses and do not overlap. */
static int check_ranges(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];
	struct range all[RANGES];
	uint32_t count = 0;

	if (check_stacks(c, index))
		return -1;
	if (!p->heap_size && p->heap)
		return refuse(c, "component.heap", index, "must be 0 if heap_size is 0");
	for (uint32_t i = p->segment; i < c->segments; i++)
		all[count++] = (struct range){ c->segment[i].address, c->segment[i].size,
					       "segment.address", i };
	all[count++] = (struct range){ p->info, LIMPET_INFO_PAGES * PAGE, "component.info", index };
	all[count++] = (struct range){ p->stacks,
				       pages_round((uint64_t)p->stack_count << p->stack_shift),
				       "component.stacks", index };
	if (p->pool_count)
		all[count++] = (struct range){ p->pool, pool_size(p), "component.pool", index };
	if (p->heap_size)
		all[count++] = (struct range){ p->heap, p->heap_size, "component.heap", index };
	for (uint32_t i = 0; i < count; i++)
		if (check_range(c, all, i))
			return -1;
	return 0;
}

static int check_role(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->flags & ~FLAGS_ALL || !(p->flags & LIMPET_COMPONENT_BOOTER) == !index)
		return refuse(c, "component.flags", index,
			      "must have known bits only, and the booter's in component 0 alone");
	if (p->flags & LIMPET_COMPONENT_SCHEDULER && p->flags & LIMPET_COMPONENT_MEMORY)
		return refuse(c, "component.flags", index,
			      "must not be both scheduler and memory manager: they share slots");
	if (p->flags & LIMPET_COMPONENT_SUPERVISOR && p->flags & FLAGS_APART)
		return refuse(c, "component.flags", index,
			      "must not combine a supervisor with a role that uses its slots");
	if (p->flags & LIMPET_COMPONENT_GUESTS_OPEN && !(p->flags & LIMPET_COMPONENT_EXECUTIVE))
		return refuse(
			c, "component.flags", index,
			"must not let guests continue without a component that is not an executive");
	if (p->cpu >= c->image->cpus || (!index && p->cpu))
		return refuse(c, "component.cpu", index,
			      "must be a CPU of the system, and 0 for the booter");
	if (p->priority > LIMPET_URGENCY_MAX || (!index && p->priority))
		return refuse(c, "component.priority", index,
			      "must be at most 255, and 0 for the booter");
	if (p->flags & LIMPET_COMPONENT_SCHEDULER && !p->priority)
		return refuse(c, "component.priority", index,
			      "must not be 0 for a scheduler, because it has a thread");
	if (p->threads > (index ? LIMPET_SPARES_MAX : 0))
		return refuse(c, "component.threads", index,
			      "must be at most 1022, and 0 for the booter");
	if (p->supervisor && p->threads > LIMPET_SPARES_FEW)
		return refuse(c, "component.threads", index,
			      "must be at most 62 for a component with a supervisor");
	if (p->quota > LIMPET_QUOTA_MAX)
		return refuse(c, "component.quota", index, "must be at most 262144 pages");
	return 0;
}

/* Checks the restart policy. */
static int check_policy(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->restart > LIMPET_RESTART_CHECKPOINT)
		return refuse(c, "component.restart", index, "must be a known restart policy");
	if (p->restart < LIMPET_RESTART_IMAGE && (p->restart_limit || p->restart_backoff_ms))
		return refuse(c, "component.restart", index,
			      "does not restart the component, but a limit or back-off is set");
	if (p->restart_backoff_ms > MS_MAX || p->heartbeat_ms > MS_MAX)
		return refuse(c, "component.restart", index,
			      "must have a back-off and a heartbeat of at most 3600000 ms");
	if (!p->supervisor && (p->restart || p->heartbeat_ms))
		return refuse(c, "component.restart", index,
			      "must be 0 without a supervisor, like heartbeat_ms");
	return 0;
}

/* Checks that the parts of a component that can be replaced have equal sizes and follow one another. */
static int check_update(struct checker *c, uint32_t index)
{
	static const uint32_t rights[] = { LIMPET_READ | LIMPET_EXEC, LIMPET_READ,
					   LIMPET_READ | LIMPET_WRITE };
	const struct limpet_image_component *p = &c->component[index];
	const struct limpet_image_segment *s = &c->segment[p->segment];

	if (!(p->flags & LIMPET_COMPONENT_UPDATE))
		return 0;
	if (p->restart < LIMPET_RESTART_IMAGE || p->flags & FLAGS_ROLES)
		return refuse(c, "component.flags", index,
			      "allows updates, but the component does not restart, or has a role");
	if (p->segments != LIMPET_UPDATE_PARTS)
		return refuse(c, "component.segments", index,
			      "must be 3 for a component that can be updated");
	for (uint32_t i = 0; i < LIMPET_UPDATE_PARTS; i++)
		if (s[i].rights != rights[i] || s[i].size != s->size ||
		    s[i].address != s->address + i * s->size)
			return refuse(
				c, "segment.address", p->segment + i,
				"must have the place, size and rights of its part for updates");
	return 0;
}

int image_check_component(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (check_name(c, index) || check_role(c, index) || check_policy(c, index) ||
	    check_records(c, index) || check_debug_records(c, index))
		return -1;
	for (uint32_t i = p->segment; i < c->segments; i++)
		if (image_check_segment(c, p, i))
			return -1;
	if (check_update(c, index) || check_ranges(c, index))
		return -1;
	if (!executable(c, p, p->entry))
		return refuse(c, "component.entry", index, "must be in an executable segment");
	for (uint32_t i = p->wire; i < c->wires; i++)
		if (image_check_wire(c, index, i))
			return -1;
	for (uint32_t i = p->arg; i < c->args; i++)
		if (image_check_arg(c, i))
			return -1;
	for (uint32_t i = p->symbol; i < c->symbols; i++)
		if (image_check_symbol(c, p, i))
			return -1;
	for (uint32_t i = p->unwind; i < c->unwinds; i++)
		if (image_check_unwind(c, p, i))
			return -1;
	return 0;
}
