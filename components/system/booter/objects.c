// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>

#include "booter.h"

#define SLOTS 1023 /* of the booter's table */

word slot_take(void)
{
	if (booter.drops)
		return booter.dropped[--booter.drops];
	if (booter.next_slot == SLOTS)
		give_up_text("too many components: %u slots are all in use", SLOTS);
	return booter.next_slot++;
}

void slot_put(word slot)
{
	if (booter.drops < array_size(booter.dropped))
		booter.dropped[booter.drops++] = slot;
}

void slot_drop(word slot)
{
	long status;

	do
		status = limpet_call_cap_delete(LIMPET_BOOT_TABLE, slot);
	while (status == LIMPET_EAGAIN);
	if (!status)
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

word object_make(const struct part *part, enum limpet_type type, uint64_t count)
{
	word frames = frames_take(count), object = slot_take();
	long status = limpet_call_frame_retype(frames, type, LIMPET_BOOT_TABLE, object);

	if (status)
		give_up(part, "make a kernel object of frames", status);
	return object;
}

void give(const struct part *part, word source, word slot, word rights)
{
	long status = limpet_call_cap_copy(LIMPET_BOOT_TABLE, source, part->table, slot, rights);

	if (status)
		give_up(part, "give a capability", status);
}
