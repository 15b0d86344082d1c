// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/window.h>

#include "bits.h"
#include "frames.h"

#define SLOT_REST LIMPET_SLOT_FREE	  /* in use while frames get a capability of their own */
#define SLOT_BELOW (LIMPET_SLOT_FREE + 1) /* the frames below them */
#define SLOT_WANTED (LIMPET_SLOT_FREE + 2)

static struct {
	uint32_t count, free;
	uint32_t next;			/* all lower frames are in use */
	uint64_t used[FRAMES_MAX / 64]; /* one bit for each frame */
} frames;

static uint64_t step_of(uint64_t left)
{
	return left < LIMPET_MAP_MAX ? left : LIMPET_MAP_MAX;
}

void *frame_view(uint32_t frame)
{
	return (void *)(limpet_window(limpet_info()->index) + frame * (uint64_t)LIMPET_PAGE);
}

static long view_map(uint32_t first, uint32_t pages)
{
	const word own = LIMPET_SLOT_PAGE_TABLES + limpet_info()->index;
	long status = LIMPET_OK;

	for (uint32_t at = 0; at < pages && !status; at += LIMPET_MAP_MAX)
		status = limpet_call_pt_map(own, LIMPET_SLOT_FRAMES, first + at,
					    (word)frame_view(first + at), step_of(pages - at),
					    LIMPET_READ | LIMPET_WRITE);
	return status;
}

static void view_unmap(uint32_t first, uint32_t pages)
{
	const word own = LIMPET_SLOT_PAGE_TABLES + limpet_info()->index;

	for (uint32_t at = 0; at < pages; at += LIMPET_MAP_MAX)
		limpet_call_pt_unmap(own, (word)frame_view(first + at), step_of(pages - at));
}

long frames_setup(void)
{
	struct limpet_out out;
	long status = limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_FRAMES, &out);

	if (status)
		return status;
	memset(&frames, 0, sizeof(frames));
	frames.count = out.w2 < FRAMES_MAX ? (uint32_t)out.w2 : FRAMES_MAX;
	frames.free = frames.count;
	status = view_map(0, frames.count);
	for (uint32_t i = 0; i < frames.count && !status; i++)
		frame_zero(i);
	return status;
}

uint32_t frames_free(void)
{
	return frames.free;
}

bool frames_get(uint32_t pages, uint32_t *first)
{
	uint64_t found;

	if (pages > frames.free || !bits_run(frames.used, frames.next, frames.count, pages, &found))
		return false;
	*first = (uint32_t)found;
	bits_fill(frames.used, found, pages, true);
	frames.free -= pages;
	if (*first == frames.next)
		frames.next = *first + pages;
	return true;
}

uint32_t frame_get(void)
{
	uint32_t i = frames.next / 64, frame;

	while (!~frames.used[i])
		i++;
	frame = i * 64 + (uint32_t)__builtin_ctzl(~frames.used[i]);
	frames.used[i] |= 1ul << frame % 64;
	frames.free--;
	frames.next = frame + 1;
	return frame;
}

void frames_put(uint32_t first, uint32_t pages)
{
	bits_fill(frames.used, first, pages, false);
	frames.free += pages;
	if (first < frames.next)
		frames.next = first;
}

/* Uses REP STOSQ instead of memset(), which would first have to check alignment and size. */
void frame_zero(uint32_t frame)
{
	word *at = frame_view(frame);
	word words = LIMPET_PAGE / sizeof(word);

	asm volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(0ul) : "memory");
}

void frame_copy(uint32_t to, uint32_t from)
{
	memcpy(frame_view(to), frame_view(from), LIMPET_PAGE);
}

static void slot_empty(word slot)
{
	while (limpet_call_cap_delete(LIMPET_SLOT_TABLE, slot) == LIMPET_EAGAIN)
		;
}

/*
 * Splits the wanted frames off SLOT_REST, which has all frames. First splits off the frames below,
 * then the wanted ones, unless they are the last ones.
 */
static long split(uint32_t first, uint32_t pages, uint32_t all, word *wanted)
{
	long status = LIMPET_OK;

	*wanted = SLOT_REST;
	if (first)
		status = limpet_call_frame_split(SLOT_REST, first, LIMPET_SLOT_TABLE, SLOT_BELOW);
	if (!status && first + pages < all) {
		*wanted = SLOT_WANTED;
		status = limpet_call_frame_split(SLOT_REST, pages, LIMPET_SLOT_TABLE, SLOT_WANTED);
	}
	return status;
}

bool frames_name(uint32_t first, uint32_t pages, word table, word slot)
{
	struct limpet_out out;
	word wanted;
	long status = limpet_call_cap_info(LIMPET_SLOT_TABLE, LIMPET_SLOT_FRAMES, &out);

	if (status || limpet_call_cap_copy(LIMPET_SLOT_TABLE, LIMPET_SLOT_FRAMES, LIMPET_SLOT_TABLE,
					   SLOT_REST, LIMPET_ALL))
		return false;
	view_unmap(first, pages);
	status = split(first, pages, (uint32_t)out.w2, &wanted);
	if (!status)
		status = limpet_call_cap_move(LIMPET_SLOT_TABLE, wanted, table, slot);
	slot_empty(SLOT_REST);
	slot_empty(SLOT_BELOW);
	slot_empty(SLOT_WANTED);
	if (status)
		frames_show(first, pages);
	return !status;
}

/* This cannot fail, because the page tables of an earlier mapping still exist. */
void frames_show(uint32_t first, uint32_t pages)
{
	view_map(first, pages);
}
