// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>

#include "booter.h"

word slot_take(void)
{
	if (booter.drops)
		return booter.dropped[--booter.drops];
	return booter.next_slot++;
}

void slot_put(word slot)
{
	if (booter.drops < array_size(booter.dropped))
		booter.dropped[booter.drops++] = slot;
}

long slot_empty(word slot)
{
	long status;

	do
		status = limpet_call_cap_delete(LIMPET_BOOT_TABLE, slot);
	while (status == LIMPET_EAGAIN);
	return status;
}

void slot_drop(word slot)
{
	if (!slot_empty(slot))
		slot_put(slot);
}

word frames_take(uint64_t count)
{
	word slot = slot_take();
	long status = limpet_call_frame_split(LIMPET_BOOT_FRAMES, count, LIMPET_BOOT_TABLE, slot);

	if (status)
		give_up(NULL, "split frames off", status);
	return slot;
}

static word object_named(const struct part *part, word slot, long status)
{
	if (status)
		give_up(part, "make a kernel object of frames", status);
	return slot;
}

word object_make(const struct part *part, enum limpet_type type, uint64_t count)
{
	word frames = frames_take(count), slot = slot_take();

	return object_named(part, slot,
			    limpet_call_frame_retype(frames, type, LIMPET_BOOT_TABLE, slot));
}

word thread_make(const struct part *part)
{
	word frames = frames_take(booter.thread_frames), slot = slot_take();

	return object_named(part, slot,
			    limpet_call_frame_retype_thread(frames, booter.image->depth,
							    LIMPET_BOOT_TABLE, slot));
}

void give(const struct part *part, word source, word slot, word rights)
{
	long status = limpet_call_cap_copy(LIMPET_BOOT_TABLE, source, part->table, slot, rights);

	if (status)
		give_up(part, "give a capability", status);
}
