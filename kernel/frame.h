/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: physical pages of the donated region. A frame is free, mapped (once or more), or kernel
 * memory; never two of these, whatever capabilities to it exist. Kernel memory is part of one object,
 * or a packed frame: the last or only frame of one or more objects. A packed frame becomes free when the
 * last of these is destroyed. The space of a destroyed object is not used again before.
 */
#ifndef KERNEL_FRAME_H
#define KERNEL_FRAME_H

#include <kernel/object.h>

#define FRAME_KERNEL 0xffffu /* part of a kernel object */
#define FRAME_SHARED 0xfffeu /* all CPUs may map it, nobody counts: the image */
#define FRAME_PACKED                                                                               \
	0x8000u /* plus FRAME_OBJECT for each object, plus the used LIMPET_OBJECT_ALIGN bytes */
#define FRAME_OBJECT 0x80u
#define FRAME_MAPS_MAX 0x7fffu

/* All frames of the system; each CPU has a part of it and never touches another's. */
struct frame_pool {
	u8 *base; /* memory of frame 0 */
	u32 frames;
	u16 state[]; /* per frame: times mapped, or FRAME_... */
};

static inline void *frame_memory(const struct frame_pool *pool, word frame)
{
	return pool->base + frame * LIMPET_PAGE;
}

static inline word frame_of(const struct frame_pool *pool, const void *memory)
{
	return (word)((const u8 *)memory - pool->base) / LIMPET_PAGE;
}

/* Makes frames kernel memory; false, and nothing changed, when one of them is in use. */
bool frames_take(struct frame_pool *pool, word first, word count);
/*
 * The reverse, when an object goes. Clears the frames, but a packed frame only when its last object goes.
 * Linear in count, 72 at most.
 */
void frames_release(struct frame_pool *pool, word first, word count);
/* Counts a mapping; false when the frame is kernel memory or mapped too often. */
bool frame_map(struct frame_pool *pool, word frame);
void frame_unmap(struct frame_pool *pool, word frame);

long call_frame_split(struct cpu *cpu, struct hal_regs *r);
long call_frame_retype(struct cpu *cpu, struct hal_regs *r);

#endif
