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
	 LIMPET_COMPONENT_UPDATE)
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
		return refuse(c, "component.name", index, "is no string of 1 to 31 bytes");
	if (!string_fits(c, p->image, LIMPET_NAME_MAX - 1))
		return refuse(c, "component.image", index, "is no string of 1 to 31 bytes");
	for (uint32_t i = 0; i < index; i++)
		if (text_equal(c->strings + c->component[i].name, c->strings + p->name))
			return refuse(c, "component.name", index,
				      "is the name of another one, too");
	return 0;
}

/* Checks that the records of a component follow those of the component before it. */
static int check_records(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->segment != c->segments)
		return refuse(c, "component.segment", index, "is not behind the one before's");
	if (p->wire != c->wires)
		return refuse(c, "component.wire", index, "is not behind the one before's");
	if (p->arg != c->args)
		return refuse(c, "component.arg", index, "is not behind the one before's");
	if (!p->segments || p->segments > LIMPET_IMAGE_SEGMENTS ||
	    p->segments > c->image->segments - c->segments)
		return refuse(c, "component.segments", index, "is not 1 to 8, or beyond the table");
	if (p->wires > (index ? LIMPET_WIRES_MAX : 0) || p->wires > c->image->wires - c->wires)
		return refuse(c, "component.wires", index, "is above 192, or beyond the table");
	if (p->args > LIMPET_INFO_ARGS || p->args > c->image->args - c->args)
		return refuse(c, "component.args", index, "is above 24, or beyond the table");
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
			      "is not behind the one before's, or beyond the table");
	if (p->unwind != c->unwinds || p->unwinds > c->image->unwinds - c->unwinds)
		return refuse(c, "component.unwind", index,
			      "is not behind the one before's, or they are beyond the table");
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
		return refuse(c, "component.stack_count", index, "is not 1 to 1024");
	if (!p->pool_count && (p->pool || p->pool_shift || p->flags & LIMPET_COMPONENT_STACK_ERROR))
		return refuse(c, "component.pool", index, "is given for no stacks");
	if (!p->pool_count)
		return is_shift(p->stack_shift)
			       ? 0
			       : refuse(c, "component.stack_shift", index, "is not 13 to 20");
	if (!index || p->pool_count > LIMPET_POOL_MAX)
		return refuse(c, "component.pool_count", index, "is above 64, or the booter's");
	if (p->stack_shift != LIMPET_ENTRY_SHIFT)
		return refuse(c, "component.stack_shift", index, "is not 9, but it has a pool");
	if (!is_shift(p->pool_shift))
		return refuse(c, "component.pool_shift", index, "is not 13 to 20");
	if (p->pool & ((1ul << p->pool_shift) - 1))
		return refuse(c, "component.pool", index, "is not a multiple of a stack");
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
		return refuse(c, "component.heap", index, "is given for no bytes");
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
			      "has an unknown bit, or not the first one alone is the booter");
	if (p->flags & LIMPET_COMPONENT_SCHEDULER && p->flags & LIMPET_COMPONENT_MEMORY)
		return refuse(c, "component.flags", index,
			      "is a scheduler and a memory manager, whose slots are the same");
	if (p->flags & LIMPET_COMPONENT_SUPERVISOR && p->flags & FLAGS_APART)
		return refuse(c, "component.flags", index,
			      "is a supervisor, and another role that its slots are for");
	if (p->cpu >= c->image->cpus || (!index && p->cpu))
		return refuse(c, "component.cpu", index,
			      "is no CPU of the system, or the booter's");
	if (p->priority > LIMPET_URGENCY_MAX || (!index && p->priority))
		return refuse(c, "component.priority", index, "is above 255, or the booter's");
	if (p->flags & LIMPET_COMPONENT_SCHEDULER && !p->priority)
		return refuse(c, "component.priority", index, "is 0, but a scheduler has a thread");
	if (p->threads > (index ? LIMPET_SPARES_MAX : 0))
		return refuse(c, "component.threads", index, "is above 1022, or the booter's");
	if (p->supervisor && p->threads > LIMPET_SPARES_FEW)
		return refuse(c, "component.threads", index, "is above 62 with a supervisor");
	if (p->quota > LIMPET_QUOTA_MAX)
		return refuse(c, "component.quota", index, "is above 262144 pages");
	return 0;
}

/* Checks the restart policy. */
static int check_policy(struct checker *c, uint32_t index)
{
	const struct limpet_image_component *p = &c->component[index];

	if (p->restart > LIMPET_RESTART_CHECKPOINT)
		return refuse(c, "component.restart", index, "is unknown");
	if (p->restart < LIMPET_RESTART_IMAGE && (p->restart_limit || p->restart_backoff_ms))
		return refuse(c, "component.restart", index,
			      "is none, but it has a limit or back-off");
	if (p->restart_backoff_ms > MS_MAX || p->heartbeat_ms > MS_MAX)
		return refuse(c, "component.restart", index, "waits longer than an hour");
	if (!p->supervisor && (p->restart || p->heartbeat_ms))
		return refuse(c, "component.restart", index, "is given without a supervisor");
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
		return refuse(
			c, "component.flags", index,
			"says that it can be replaced, but it is not restarted, or has a role");
	if (p->segments != LIMPET_UPDATE_PARTS)
		return refuse(c, "component.segments", index, "is not 3, but it can be replaced");
	for (uint32_t i = 0; i < LIMPET_UPDATE_PARTS; i++)
		if (s[i].rights != rights[i] || s[i].size != s->size ||
		    s[i].address != s->address + i * s->size)
			return refuse(
				c, "segment.address", p->segment + i,
				"is not where a part of a component that can be replaced must be");
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
		return refuse(c, "component.entry", index, "is in no executable segment");
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
