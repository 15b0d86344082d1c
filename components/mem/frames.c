// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>

#include "frames.h"

void frames_setup(struct frames *frames, uint64_t count)
{
	memset(frames, 0, sizeof(*frames));
	frames->count = count < FRAMES_MOST ? count : FRAMES_MOST;
	frames->free = frames->count;
}

static bool frame_used(const struct frames *frames, uint64_t frame)
{
	return frames->used[frame / 64] >> frame % 64 & 1;
}

static void frames_mark(struct frames *frames, uint64_t first, uint64_t pages, bool used)
{
	for (uint64_t i = first; i < first + pages; i++)
		if (used)
			frames->used[i / 64] |= 1ul << i % 64;
		else
			frames->used[i / 64] &= ~(1ul << i % 64);
}

/* A free run that begins in [from, end); the run itself may go on behind end. */
static bool run_find(const struct frames *frames, uint64_t from, uint64_t end, uint64_t pages,
		     uint64_t *first)
{
	uint64_t run = 0;

	for (uint64_t i = from; i < frames->count && i - run < end; i++) {
		run = frame_used(frames, i) ? 0 : run + 1;
		if (run == pages) {
			*first = i + 1 - pages;
			return true;
		}
	}
	return false;
}

bool frames_get(struct frames *frames, uint64_t pages, uint64_t *first)
{
	if (pages > frames->free || (!run_find(frames, frames->next, frames->count, pages, first) &&
				     !run_find(frames, 0, frames->next, pages, first)))
		return false;
	frames_mark(frames, *first, pages, true);
	frames->free -= pages;
	frames->next = *first + pages;
	return true;
}

void frames_put(struct frames *frames, uint64_t first, uint64_t pages)
{
	frames_mark(frames, first, pages, false);
	frames->free += pages;
}
