/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames of capability LIMPET_SLOT_FRAMES: which of them are in use, and the view, where the
 * manager sees them all, in its own window. Free frames are zero: who gives one up has zeroed it, so that
 * nobody waits for that who needs one. All under the manager's lock.
 */
#ifndef MEM_FRAMES_H
#define MEM_FRAMES_H

#include <runtime/types.h>

#define FRAMES_MOST (1u << 18) /* the window's pages; frames above are not used */

/* Maps the view of all frames and zeroes them, once. An error: the capability, or no room for the view. */
long frames_setup(void);
/* How many are free. */
uint32_t frames_free(void);
/* Takes `pages` frames that follow each other: the lowest ones. */
bool frames_get(uint32_t pages, uint32_t *first);
/* Takes the lowest one; the caller has seen that one is free. */
uint32_t frame_get(void);
/* They are zero. */
void frames_put(uint32_t first, uint32_t pages);
/* Where the manager sees a frame. */
void *frame_view(uint32_t frame);
void frame_zero(uint32_t frame);
void frame_copy(uint32_t to, uint32_t from);
/*
 * Makes a capability of its own, in an empty slot, of frames that were taken and are seen no more; false:
 * they are as they were. A slot that is in use until then: see FRAMES_SLOT in frames.c.
 */
bool frames_name(uint32_t first, uint32_t pages, word table, word slot);
/* They are seen again. */
void frames_show(uint32_t first, uint32_t pages);

#endif
