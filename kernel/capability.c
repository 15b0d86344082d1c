// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/page_table.h>

#define DELETE_STEPS 32 /* maximum number of capabilities and objects that one call deletes */
#define SLOTS_OF_FRAME (LIMPET_PAGE / sizeof(struct capability))

struct object *table_create(void *memory, word bytes)
{
	struct table *table = memory;

	__builtin_memset(memory, 0, bytes);
	table->object.type = LIMPET_TABLE;
	table->slots = bytes / sizeof(struct capability) - TABLE_HEADER;
	return &table->object;
}

struct capability *capability_find(struct cpu *cpu, word slot)
{
	struct table *table = cpu->component->table;
	struct capability *cap;

	if (slot >= table->slots)
		return NULL;
	cap = &table->slot[index_clamp(slot, table->slots)];
	return cap->type ? cap : NULL;
}

struct capability *capability_get(struct cpu *cpu, word slot, enum limpet_type type,
				  unsigned int rights, long *error)
{
	struct capability *cap = capability_find(cpu, slot);

	if (!cap)
		*error = LIMPET_ESLOT;
	else if (cap->type != type)
		*error = LIMPET_ETYPE;
	else if ((cap->rights & rights) != rights)
		*error = LIMPET_ERIGHTS;
	else
		return cap;
	return NULL;
}

/*
 * Returns slot `slot`, empty or not, of the table that `table_slot` names. Returns NULL and sets
 * *error on failure.
 */
static struct capability *slot_of(struct cpu *cpu, word table_slot, word slot, long *error)
{
	struct capability *cap =
		capability_get(cpu, table_slot, LIMPET_TABLE, LIMPET_MANAGE, error);
	struct table *table;

	if (!cap)
		return NULL;
	table = (struct table *)cap->object;
	if (slot >= table->slots) {
		*error = LIMPET_ESLOT;
		return NULL;
	}
	cap = &table->slot[index_clamp(slot, table->slots)];
	cap->table = table;
	return cap;
}

/* Returns the slot that words 0 and 1 of a call name. Returns NULL and sets *error on failure, also if it is empty. */
static struct capability *slot_filled(struct cpu *cpu, const struct hal_regs *regs, long *error)
{
	struct capability *cap =
		slot_of(cpu, hal_regs_word(regs, 0), hal_regs_word(regs, 1), error);

	if (cap && !cap->type) {
		*error = LIMPET_ESLOT;
		return NULL;
	}
	return cap;
}

struct capability *capability_empty(struct cpu *cpu, const struct capability *from, word table_slot,
				    word slot, long *error)
{
	struct capability *cap = from ? slot_of(cpu, table_slot, slot, error) : NULL;

	if (cap && (cap->type || !slot)) {
		*error = slot ? LIMPET_EFULL : LIMPET_ESLOT;
		return NULL;
	}
	return cap;
}

struct capability *capability_target(struct cpu *cpu, const struct capability *from,
				     word table_slot, word slot, long *error)
{
	struct capability *to = capability_empty(cpu, from, table_slot, slot, error);

	if (to && !(from->rights & LIMPET_GRANT) && to->table != from->table) {
		*error = LIMPET_ERIGHTS;
		return NULL;
	}
	return to;
}

void capability_derive(struct capability *to, struct capability *from, enum limpet_type type,
		       struct object *object, word a, word b, unsigned int rights)
{
	to->type = type;
	to->rights = rights;
	to->object = object;
	to->a = a;
	to->b = b;
	to->depth = from ? from->depth + 1 : 0;
	to->prev = from;
	to->next = from ? from->next : NULL;
	if (to->next)
		to->next->prev = to;
	if (from)
		from->next = to;
	if (object)
		object->refs++;
}

void capability_split(struct capability *to, struct capability *from, word count)
{
	struct table *table = to->table;

	*to = *from;
	to->table = table;
	to->b = count;
	to->next = from; /* before `from`, whose descendants still follow it */
	if (to->prev)
		to->prev->next = to;
	from->prev = to;
	from->a += count;
	from->b -= count;
}

static bool has_children(const struct capability *cap)
{
	return cap->next && cap->next->depth > cap->depth;
}

/* Removes a slot without derived capabilities from the list, and empties it. */
static void slot_clear(struct capability *cap)
{
	if (cap->prev)
		cap->prev->next = cap->next;
	if (cap->next)
		cap->next->prev = cap->prev;
	*cap = (struct capability){ .table = cap->table };
}

void object_doom(struct cpu *cpu, struct object *object)
{
	object->next = cpu->doomed;
	cpu->doomed = object;
}

void object_drop(struct cpu *cpu, struct object *object)
{
	if (!--object->refs)
		object_doom(cpu, object);
}

static bool step_take(struct cpu *cpu)
{
	return cpu->budget && cpu->budget--;
}

/* Deletes a capability without derived capabilities. */
static void leaf_delete(struct cpu *cpu, struct capability *cap)
{
	struct object *object = cap->object;

	slot_clear(cap);
	if (object)
		object_drop(cpu, object);
}

/*
 * Deletes the capabilities derived from cap, leaves first. Finding each takes at most
 * LIMPET_DERIVATION_MAX steps. Returns false if the budget is used up before all are deleted.
 */
static bool children_delete(struct cpu *cpu, struct capability *cap)
{
	while (has_children(cap)) {
		struct capability *leaf = cap->next;

		while (has_children(leaf))
			leaf = leaf->next;
		if (!step_take(cpu))
			return false;
		leaf_delete(cpu, leaf);
	}
	return true;
}

/*
 * Slots stay empty, because the table has no references. A step skips at most one frame of empty
 * slots.
 */
static enum destroyed table_destroy(struct cpu *cpu, struct table *table)
{
	for (; table->emptied < table->slots; table->emptied++) {
		struct capability *cap = &table->slot[table->emptied];
		bool counts = cap->type || table->emptied % SLOTS_OF_FRAME == 0;

		if (!children_delete(cpu, cap) || (counts && !step_take(cpu)))
			return OBJECT_PARTLY;
		if (cap->type)
			leaf_delete(cpu, cap);
	}
	return OBJECT_GONE;
}

static enum destroyed object_destroy(struct cpu *cpu, struct object *object)
{
	switch (object->type) {
	case LIMPET_TABLE:
		return table_destroy(cpu, (struct table *)object);
	case LIMPET_PAGE_TABLE:
		return page_table_destroy(cpu, (struct page_table *)object);
	case LIMPET_COMPONENT:
		return component_destroy(cpu, (struct component *)object);
	case LIMPET_THREAD:
		return thread_destroy(cpu, (struct thread *)object);
	case LIMPET_ENDPOINT:
		return endpoint_destroy(cpu, (struct endpoint *)object);
	case LIMPET_CHANNEL:
		channel_destroy(cpu, (struct channel *)object);
		break;
	}
	return OBJECT_GONE;
}

static void object_free(struct cpu *cpu, struct object *object)
{
	word frames = object->frames;

	object->type = LIMPET_NONE; /* its memory can stay for a while, in a packed frame */
	if (frames)
		frames_release(cpu->pool, object->frame, frames);
	cpu->budget -= frames < cpu->budget ? frames : cpu->budget;
}

/*
 * Destroys doomed objects. A component with threads inside returns to the list when the last thread
 * leaves it. The current thread and the caller, at most two objects, stay in the list. Returns
 * LIMPET_EAGAIN if objects remain.
 */
static long doomed_destroy(struct cpu *cpu)
{
	struct object *busy = NULL, *object;
	enum destroyed step;
	long status;

	while (cpu->doomed && step_take(cpu)) {
		object = cpu->doomed;
		cpu->doomed = object->next;
		step = object_destroy(cpu, object);
		if (step == OBJECT_GONE) {
			object_free(cpu, object);
		} else if (step == OBJECT_PARTLY) {
			object_doom(cpu, object);
		} else if (object->type != LIMPET_COMPONENT) {
			object->next = busy;
			busy = object;
		}
	}
	status = cpu->doomed ? LIMPET_EAGAIN : LIMPET_OK;
	while ((object = busy)) {
		busy = object->next;
		object_doom(cpu, object);
	}
	return status;
}

/*
 * CAP_COPY(T, source, T2, destination, rights): makes a capability derived from the source, with
 * those of its rights that are also in `rights`. ERIGHTS: the destination is in another table, and
 * the source has no GRANT. EFULL: the destination is not empty. ERANGE: the chain of derivations
 * has the maximum length.
 */
long call_cap_copy(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	unsigned int rights = hal_regs_word(regs, 4);
	struct capability *from, *to;

	from = slot_filled(cpu, regs, &error);
	to = capability_target(cpu, from, hal_regs_word(regs, 2), hal_regs_word(regs, 3), &error);
	if (!to)
		return error;
	if (from->depth >= LIMPET_DERIVATION_MAX)
		return LIMPET_ERANGE;
	capability_derive(to, from, from->type, from->object, from->a, from->b,
			  from->rights & rights);
	return LIMPET_OK;
}

/*
 * CAP_MOVE(T, source, T2, destination): moves a capability to another slot. Errors as CAP_COPY,
 * except ERANGE.
 */
long call_cap_move(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct capability *from, *to;
	struct table *table;

	from = slot_filled(cpu, regs, &error);
	to = capability_target(cpu, from, hal_regs_word(regs, 2), hal_regs_word(regs, 3), &error);
	if (!to)
		return error;
	table = to->table;
	*to = *from;
	to->table = table;
	if (to->prev)
		to->prev->next = to;
	if (to->next)
		to->next->prev = to;
	*from = (struct capability){ .table = from->table };
	return LIMPET_OK;
}

/*
 * Returns whether this is the last capability to the calling thread, or to a component with threads
 * inside.
 */
static bool in_use(const struct cpu *cpu, const struct capability *cap)
{
	const struct object *object = cap->object;
	const struct component *comp = (const struct component *)object;

	if (!object || object->refs > 1)
		return false;
	return object->type == LIMPET_COMPONENT ? comp->entered != comp->left
						: object == &cpu->thread->object;
}

/*
 * CAP_DELETE(T, slot): deletes a capability and all capabilities derived from it. Deletion of the
 * last capability to an object destroys the object. EAGAIN: the caller must call again, even if the
 * slot is empty. EBUSY: it is the last capability to the caller, or to a component with threads
 * inside (see COMPONENT_STOP).
 */
long call_cap_delete(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct capability *cap =
		slot_of(cpu, hal_regs_word(regs, 0), hal_regs_word(regs, 1), &error);

	if (!cap)
		return error;
	if (!cap->type && !cpu->doomed)
		return LIMPET_ESLOT;
	cpu->budget = DELETE_STEPS;
	if (cap->type) {
		if (!children_delete(cpu, cap))
			return LIMPET_EAGAIN;
		if (in_use(cpu, cap))
			return LIMPET_EBUSY;
		leaf_delete(cpu, cap);
	}
	return doomed_destroy(cpu);
}

/*
 * CAP_REVOKE(T, slot): deletes all capabilities derived from a capability. If this destroys a
 * component, threads inside return to their callers with ECRASH, and the component is freed after
 * the last one has returned. EAGAIN: the caller must call again.
 */
long call_cap_revoke(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct capability *cap = slot_filled(cpu, regs, &error);

	if (!cap)
		return error;
	cpu->budget = DELETE_STEPS;
	return children_delete(cpu, cap) ? doomed_destroy(cpu) : LIMPET_EAGAIN;
}

/*
 * CAP_INFO(T, slot): returns type, rights, and for frames their number, for a component its stops
 * and LIMPET_CLOSED.
 */
long call_cap_info(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct capability *cap = slot_filled(cpu, regs, &error);
	word more = 0;

	if (!cap)
		return error;
	if (cap->type == LIMPET_FRAMES)
		more = cap->b;
	else if (cap->type == LIMPET_COMPONENT)
		more = component_life((struct component *)cap->object);
	hal_regs_result(regs, LIMPET_OK, cap->type, cap->rights, more);
	return CALL_DONE;
}
