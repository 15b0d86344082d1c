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

uint64_t object_place(struct packing *packing, uint64_t bytes, unsigned int *at)
{
	uint64_t *left = packing->left, fullest = 0;

	bytes = (bytes + LIMPET_OBJECT_ALIGN - 1) / LIMPET_OBJECT_ALIGN * LIMPET_OBJECT_ALIGN;
	for (*at = 0; *at < PACKED; ++*at) {
		if (left[*at] >= bytes) {
			left[*at] -= bytes;
			return 0;
		}
		if (left[*at] < left[fullest])
			fullest = *at;
	}
	*at = fullest;
	left[*at] = pages_of(bytes) * PAGE - bytes;
	return pages_of(bytes);
}

/* Returns a capability to the last of `count` frames. */
static word frames_last(const struct part *part, word frames, uint64_t count)
{
	word last = slot_take(), before = slot_take();
	long status = limpet_call_cap_copy(LIMPET_BOOT_TABLE, frames, LIMPET_BOOT_TABLE, last,
					   LIMPET_ALL);

	if (!status)
		status = limpet_call_frame_split(last, count - 1, LIMPET_BOOT_TABLE, before);
	if (status)
		give_up(part, "share the last frame of a kernel object", status);
	slot_drop(before);
	return last;
}

word object_make(const struct part *part, enum limpet_type type, uint64_t bytes, word size)
{
	unsigned int at = 0;
	uint64_t fresh = object_place(&booter.packing, bytes, &at);
	word frames = fresh ? frames_take(fresh) : booter.packed[at], slot = slot_take();
	long status = limpet_call_frame_retype_sized(frames, type, size, LIMPET_BOOT_TABLE, slot);

	if (status)
		give_up(part, "create a kernel object", status);
	if (fresh)
		booter.packed[at] = fresh > 1 ? frames_last(part, frames, fresh) : frames;
	return slot;
}

void page_table_extend(const struct part *part, word page_table, uint64_t count)
{
	word frames = frames_take(count);
	long status = limpet_call_pt_extend(page_table, frames);

	if (status)
		give_up(part, "extend its page table", status);
	slot_drop(frames);
}

void give(const struct part *part, word source, word slot, word rights)
{
	long status = limpet_call_cap_copy(LIMPET_BOOT_TABLE, source, part->table, slot, rights);

	if (status)
		give_up(part, "copy a capability", status);
}
