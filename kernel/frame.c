// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/page_table.h>

static bool frames_free(const struct frame_pool *pool, word first, word count)
{
	word used = 0;

	for (word i = first; i < first + count; i++)
		used |= pool->state[i];
	return !used;
}

bool frames_take(struct frame_pool *pool, word first, word count)
{
	if (!frames_free(pool, first, count))
		return false;
	for (word i = first; i < first + count; i++)
		pool->state[i] = FRAME_KERNEL;
	return true;
}

void frames_release(struct frame_pool *pool, word first, word count)
{
	u16 *last = &pool->state[first + count - 1];
	bool shared = *last >= FRAME_PACKED + 2 * FRAME_OBJECT && *last < FRAME_KERNEL;

	if (shared) {
		*last -= FRAME_OBJECT;
		count--;
	}
	__builtin_memset(frame_memory(pool, first), 0, count * LIMPET_PAGE);
	for (word i = first; i < first + count; i++)
		pool->state[i] = 0;
}

bool frame_map(struct frame_pool *pool, word frame)
{
	if (pool->state[frame] >= FRAME_SHARED)
		return true;
	if ((pool->state[frame] & ~FRAME_LENT) >= LIMPET_FRAME_MAPS_MAX)
		return false;
	pool->state[frame]++;
	return true;
}

void frame_unmap(struct frame_pool *pool, word frame)
{
	if (pool->state[frame] < FRAME_SHARED)
		pool->state[frame]--;
}

/*
 * FRAME_SPLIT(frames, count, T, destination): moves the first `count` frames to a capability of
 * their own in the empty slot. The source keeps the other frames. Earlier copies of the source
 * still name all of them. ERANGE: count is 0, or not below the number of frames. ERIGHTS: the
 * destination is in another table, and the source has no GRANT.
 */
long call_frame_split(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	word count = hal_regs_word(regs, 1);
	struct capability *from, *to;

	from = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_FRAMES, LIMPET_MANAGE, &error);
	to = capability_target(cpu, from, hal_regs_word(regs, 2), hal_regs_word(regs, 3), &error);
	if (!to)
		return error;
	if (!count || count >= from->b)
		return LIMPET_ERANGE;
	capability_split(to, from, count);
	return LIMPET_OK;
}

_Static_assert(sizeof(struct page_table) <= LIMPET_PAGE_TABLE_SIZE &&
		       sizeof(struct component) <= LIMPET_COMPONENT_SIZE &&
		       sizeof(struct endpoint) <= LIMPET_ENDPOINT_SIZE,
	       "objects have space");

/*
 * Returns the bytes of an object, or 0 for an unknown type. If `size` is 0, a table or thread takes
 * all its frames.
 */
static word object_bytes(word type, word frames, word size)
{
	switch (type) {
	case LIMPET_TABLE:
		return size ? (TABLE_HEADER + size) * LIMPET_SLOT_SIZE : frames * LIMPET_PAGE;
	case LIMPET_PAGE_TABLE:
		return LIMPET_PAGE_TABLE_SIZE;
	case LIMPET_COMPONENT:
		return LIMPET_COMPONENT_SIZE;
	case LIMPET_THREAD:
		return size ? thread_size(size) : frames * LIMPET_PAGE;
	case LIMPET_ENDPOINT:
		return LIMPET_ENDPOINT_SIZE;
	}
	return 0;
}

/* Returns memory in unused frames, or in a packed frame with enough space. Returns NULL if the frames are in use. */
static void *object_place(const struct frame_pool *pool, word first, word count, word bytes)
{
	word state = pool->state[first], used = state % FRAME_OBJECT * LIMPET_OBJECT_ALIGN;
	bool packed = state >= FRAME_PACKED && state < FRAME_KERNEL;

	if (packed && count == 1 && bytes <= LIMPET_PAGE - used)
		return (u8 *)frame_memory(pool, first) + used;
	return frames_free(pool, first, count) ? frame_memory(pool, first) : NULL;
}

static struct object *object_create(struct cpu *cpu, word type, void *memory, word bytes)
{
	switch (type) {
	case LIMPET_TABLE:
		return table_create(memory, bytes);
	case LIMPET_PAGE_TABLE:
		return page_table_create(cpu, memory);
	case LIMPET_COMPONENT:
		return component_create(memory);
	case LIMPET_THREAD:
		return thread_create(memory, bytes);
	}
	return endpoint_create(memory);
}

/*
 * Marks the memory of object_place() as used by the object. Other objects can follow in its last
 * frame.
 */
static void object_keep(struct frame_pool *pool, struct object *object, word first, word count,
			word bytes)
{
	const word align = LIMPET_OBJECT_ALIGN, rest = bytes - (count - 1) * LIMPET_PAGE;
	u16 *last = &pool->state[first + count - 1];

	object->frame = first;
	object->frames = count;
	frames_take(pool, first, count - 1);
	*last = (*last ?: FRAME_PACKED) + FRAME_OBJECT + (rest + align - 1) / align;
}

/*
 * FRAME_RETYPE(frames, type, T, destination, size): makes one object of the type from all the
 * frames, and its capability in the empty slot, with the rights of the frames' capability. A single
 * frame, or the last of several frames, can contain more objects. `size` is the number of slots of
 * a table, or of nested invocations of a thread; 0: as many as fit into the frames. ERANGE: the
 * type is unknown, or the number of frames is wrong for it. EBUSY: a frame is mapped, or has too
 * little space left. ENOMEM: all address-space ids are in use, or a thread could nest fewer than LIMPET_DEPTH_MIN
 * invocations. ERIGHTS: the frames' capability has no MANAGE, or the destination is in another table and it has no
 * GRANT.
 */
long call_frame_retype(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	word type = hal_regs_word(regs, 1), size = hal_regs_word(regs, 4), bytes, max;
	struct capability *from, *to;
	struct object *object;
	void *memory;

	from = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_FRAMES, LIMPET_MANAGE, &error);
	to = capability_target(cpu, from, hal_regs_word(regs, 2), hal_regs_word(regs, 3), &error);
	if (!to)
		return error;
	max = type == LIMPET_THREAD ? LIMPET_THREAD_FRAMES_MAX : TABLE_FRAMES_MAX;
	if (from->b > max || size > LIMPET_SLOTS_MAX)
		return LIMPET_ERANGE;
	bytes = object_bytes(type, from->b, size);
	if (bytes > from->b * LIMPET_PAGE || bytes <= (from->b - 1) * LIMPET_PAGE)
		return LIMPET_ERANGE;
	memory = object_place(cpu->pool, from->a, from->b, bytes);
	if (!memory)
		return LIMPET_EBUSY;
	object = object_create(cpu, type, memory, bytes);
	if (!object)
		return LIMPET_ENOMEM;
	object_keep(cpu->pool, object, from->a, from->b, bytes);
	capability_derive(to, from, type, object, 0, 0, from->rights);
	return LIMPET_OK;
}
