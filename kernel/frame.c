// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/page_table.h>

bool frames_take(struct frame_pool *pool, word first, word count)
{
	for (word i = first; i < first + count; i++)
		if (pool->state[i])
			return false;
	for (word i = first; i < first + count; i++)
		pool->state[i] = FRAME_KERNEL;
	return true;
}

void frames_release(struct frame_pool *pool, word first, word count)
{
	__builtin_memset(frame_memory(pool, first), 0, count * LIMPET_PAGE);
	for (word i = first; i < first + count; i++)
		pool->state[i] = 0;
}

bool frame_map(struct frame_pool *pool, word frame)
{
	if (pool->state[frame] == FRAME_SHARED)
		return true;
	if (pool->state[frame] >= FRAME_MAPS_MAX)
		return false;
	pool->state[frame]++;
	return true;
}

void frame_unmap(struct frame_pool *pool, word frame)
{
	if (pool->state[frame] != FRAME_SHARED)
		pool->state[frame]--;
}

/*
 * FRAME_SPLIT(frames, count, T, destination): the first `count` frames get a capability of their own
 * in the empty slot; the source keeps the rest. Copies of the source made before still name all of
 * them. ERANGE: count is 0 or not below the source's. ERIGHTS: to another table without GRANT.
 */
long call_frame_split(struct cpu *cpu, struct hal_regs *r)
{
	long error;
	word count = hal_regs_word(r, 1);
	struct capability *from, *to;

	from = capability_get(cpu, hal_regs_word(r, 0), LIMPET_FRAMES, LIMPET_MANAGE, &error);
	to = capability_target(cpu, from, hal_regs_word(r, 2), hal_regs_word(r, 3), &error);
	if (!to)
		return error;
	if (!count || count >= from->b)
		return LIMPET_ERANGE;
	capability_split(to, from, count);
	return LIMPET_OK;
}

/* Frames that were taken, and not touched. */
static void frames_give_back(struct frame_pool *pool, word first, word count)
{
	for (word i = first; i < first + count; i++)
		pool->state[i] = 0;
}

/* Frames that an object of a type takes: at least, at the most. */
static const struct {
	u8 least, most;
} object_frames[LIMPET_TYPES] = {
	[LIMPET_TABLE] = { 1, TABLE_FRAMES_MAX },
	[LIMPET_PAGE_TABLE] = { PAGE_TABLE_FRAMES, 64 },
	[LIMPET_COMPONENT] = { 1, 1 },
	[LIMPET_THREAD] = { 1, LIMPET_THREAD_FRAMES_MAX },
	[LIMPET_ENDPOINT] = { 1, 1 },
};

static struct object *object_create(struct cpu *cpu, word type, void *memory, word frames,
				    word depth)
{
	switch (type) {
	case LIMPET_TABLE:
		return &table_create(memory, frames)->object;
	case LIMPET_PAGE_TABLE:
		return page_table_create(cpu, memory, frames);
	case LIMPET_COMPONENT:
		return component_create(memory);
	case LIMPET_THREAD:
		return thread_create(memory, frames * LIMPET_PAGE, depth);
	case LIMPET_ENDPOINT:
		return endpoint_create(memory);
	}
	return NULL;
}

/*
 * FRAME_RETYPE(frames, type, T, destination, depth): makes all the frames one object of the type, named by
 * the empty slot. `depth`: invocations that a thread can nest; 0: as many as there is room for. ERANGE: no such
 * type, or a wrong number of frames for it. EBUSY: a frame is mapped or
 * part of an object. ENOMEM: no address-space id is left, or a thread does not fit into its frames.
 */
long call_frame_retype(struct cpu *cpu, struct hal_regs *r)
{
	long error;
	word type = hal_regs_word(r, 1);
	struct capability *from, *to;
	struct object *object;

	from = capability_get(cpu, hal_regs_word(r, 0), LIMPET_FRAMES, LIMPET_MANAGE, &error);
	to = capability_empty(cpu, from, hal_regs_word(r, 2), hal_regs_word(r, 3), &error);
	if (!to)
		return error;
	if (type >= LIMPET_TYPES)
		return LIMPET_ERANGE;
	type = index_clamp(type, LIMPET_TYPES);
	if (!object_frames[type].most || from->b < object_frames[type].least ||
	    from->b > object_frames[type].most)
		return LIMPET_ERANGE;
	if (!frames_take(cpu->pool, from->a, from->b))
		return LIMPET_EBUSY;
	object = object_create(cpu, type, frame_memory(cpu->pool, from->a), from->b,
			       hal_regs_word(r, 4));
	if (!object) {
		frames_give_back(cpu->pool, from->a, from->b);
		return LIMPET_ENOMEM;
	}
	object->frame = from->a;
	object->frames = from->b;
	capability_derive(to, from, type, object, 0, 0, LIMPET_ALL);
	return LIMPET_OK;
}
