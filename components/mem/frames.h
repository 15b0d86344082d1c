/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frames of the one big capability are in use. */
#ifndef MEM_FRAMES_H
#define MEM_FRAMES_H

#include <runtime/types.h>

#define FRAMES_MOST (1ul << 18) /* 1 GiB; frames above are not used */

struct frames {
	uint64_t count, free;
	uint64_t next;			 /* where the next search begins */
	uint64_t used[FRAMES_MOST / 64]; /* one bit a frame */
};

void frames_setup(struct frames *frames, uint64_t count);
/* Takes `pages` frames that follow each other. True, with the number of the first in *first. */
bool frames_get(struct frames *frames, uint64_t pages, uint64_t *first);
void frames_put(struct frames *frames, uint64_t first, uint64_t pages);

#endif
