/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: physical pages of the system's memory. A frame is either free, mapped (once or more), or
 * kernel memory, independent of the capabilities to it. Kernel memory is part of one object, or a
 * packed frame: the last or only frame of one or more objects. A packed frame becomes free when the
 * last of these objects is destroyed. The space of a destroyed object is not used again before
 * that.
 */
#ifndef KERNEL_FRAME_H
#define KERNEL_FRAME_H

#include <kernel/object.h>

/*
 * Frames of the image. All CPUs can map them, and the mappings are not counted. MEMORY_WRITE refuses FRAME_SEALED, the
 * frames of the image's tables, because the tables must stay as they were checked.
 */
#define FRAME_SEALED 0xffffu
#define FRAME_SHARED 0xfffeu
#define FRAME_KERNEL 0xfffdu /* part of a kernel object */
#define FRAME_LENT 0x4000u   /* flag, see frame_lend() */
#define FRAME_PACKED                                                                               \
	0x8000u /* plus FRAME_OBJECT for each object, plus the used LIMPET_OBJECT_ALIGN bytes */
#define FRAME_OBJECT 0x80u

/* All frames of the system. Each CPU accesses only its own part. */
struct frame_pool {
	u8 *base; /* memory of frame 0 */
	u32 frames;
	u16 state[]; /* state of each frame: number of mappings, or FRAME_... */
};

static inline void *frame_memory(const struct frame_pool *pool, word frame)
{
	return pool->base + frame * LIMPET_PAGE;
}

static inline word frame_of(const struct frame_pool *pool, const void *memory)
{
	return (word)((const u8 *)memory - pool->base) / LIMPET_PAGE;
}

/* Makes free frames kernel memory. Returns false, and changes nothing, if one of them is in use. */
bool frames_take(struct frame_pool *pool, word first, word count);
/*
 * Clears and frees the frames of an object that is destroyed. A packed frame is cleared and freed
 * with its last object. Linear in count, which is at most 72.
 */
void frames_release(struct frame_pool *pool, word first, word count);
/*
 * Counts a mapping. Returns false if the frame is kernel memory or has the maximum number of
 * mappings.
 */
bool frame_map(struct frame_pool *pool, word frame);
void frame_unmap(struct frame_pool *pool, word frame);
/*
 * Marks a mapped frame that a guest can map. The frame is not free until the system ends, so it cannot become a kernel
 * object while a guest still has it mapped. FRAME_SHARED and FRAME_SEALED contain the flag, and do not change.
 */
static inline void frame_lend(struct frame_pool *pool, word frame)
{
	pool->state[frame] |= FRAME_LENT;
}

long call_frame_split(struct cpu *cpu, struct hal_regs *regs);
long call_frame_retype(struct cpu *cpu, struct hal_regs *regs);

#endif
