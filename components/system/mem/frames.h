/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames of capability LIMPET_SLOT_FRAMES: a bitmap of used frames, and the view, which maps
 * all frames in the manager's own window. Free frames are zero: they are zeroed when they are
 * freed, so that an allocation does not wait for it. The manager's lock protects all of it.
 */
#ifndef MEM_FRAMES_H
#define MEM_FRAMES_H

#include <runtime/types.h>

#define FRAMES_MAX (1u << 18) /* pages of the window. Higher frames are not used */

/*
 * Maps the view of all frames, and zeroes them. Called once. Returns an error if the capability is
 * missing or the view does not fit.
 */
long frames_setup(void);
/* Returns the number of free frames. */
uint32_t frames_free(void);
/* Allocates the lowest `pages` adjacent frames. */
bool frames_get(uint32_t pages, uint32_t *first);
/* Allocates the lowest frame. The caller has checked that one is free. */
uint32_t frame_get(void);
/* Frees frames, which must be zero. */
void frames_put(uint32_t first, uint32_t pages);
/* Returns the address of a frame in the view. */
void *frame_view(uint32_t frame);
void frame_zero(uint32_t frame);
void frame_copy(uint32_t to, uint32_t from);
/*
 * Moves allocated frames out of the view into a capability of their own, in an empty slot. Returns
 * false if it fails; then nothing has changed. Uses the slots from LIMPET_SLOT_FREE on meanwhile.
 */
bool frames_name(uint32_t first, uint32_t pages, word table, word slot);
/* Maps the frames in the view again. */
void frames_show(uint32_t first, uint32_t pages);

#endif
