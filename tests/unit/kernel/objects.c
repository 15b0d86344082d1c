// SPDX-License-Identifier: GPL-2.0
#include "objects.h"

/* Returns the table of the first component, the booter. */
static struct table *booter(void)
{
	return cpu->components[0]->table;
}

word slot_new(void)
{
	return machine.next_slot[cpu->number]++;
}

struct capability *cap_at(word slot)
{
	return &booter()->slot[slot];
}

struct component *component_of(const struct built *b)
{
	return (struct component *)cap_at(b->component)->object;
}

struct capability *cap_of(const struct built *b, word slot)
{
	return &component_of(b)->table->slot[slot];
}

struct thread *thread_of(word slot)
{
	return (struct thread *)cap_at(slot)->object;
}

struct endpoint *endpoint_of(word slot)
{
	return (struct endpoint *)cap_at(slot)->object;
}

word frames_new(word count)
{
	word slot = slot_new();

	assert_ok(call(FRAME_SPLIT, LIMPET_BOOT_FRAMES, count, T, slot));
	return slot;
}

word object_new(word type, word frames)
{
	word from = frames_new(frames), slot = slot_new();

	assert_ok(call(FRAME_RETYPE, from, type, T, slot));
	return slot;
}

word page_table_new(word frames)
{
	word slot = object_new(LIMPET_PAGE_TABLE, 1);

	assert_ok(call(PT_EXTEND, slot, frames_new(frames)));
	return slot;
}

struct built component_new_with(word index, word table_frames)
{
	struct built b = {
		.page_table = page_table_new(1 + 6),
		.table = object_new(LIMPET_TABLE, table_frames),
		.component = object_new(LIMPET_COMPONENT, 1),
		.index = index,
	};

	assert_ok(call(COMPONENT_ACTIVATE, b.component, b.page_table, b.table, STACKS, STACK_SHIFT,
		       index));
	return b;
}

struct built component_new(word index)
{
	return component_new_with(index, 1);
}

void gate_give(const struct built *to, word badge, word table, word slot)
{
	assert_ok(call(GATE_CREATE, to->component, ENTRY + badge * 16, badge, table, slot));
}

word gate_new(const struct built *to, word badge)
{
	word slot = slot_new();

	gate_give(to, badge, T, slot);
	return slot;
}

word thread_new(const struct built *in, word id, word scheduler)
{
	word slot = object_new(LIMPET_THREAD, THREAD_FRAMES);

	assert_ok(call(THREAD_START, slot, in->component, ENTRY, 1, id, scheduler));
	return slot;
}

word endpoint_new(word thread)
{
	word slot = object_new(LIMPET_ENDPOINT, 1);

	assert_ok(call(ENDPOINT_BIND, slot, thread));
	return slot;
}

word weaker(word slot, word rights)
{
	word to = slot_new();

	assert_ok(call(CAP_COPY, T, slot, T, to, rights));
	return to;
}

long delete_all(word slot)
{
	long status;

	do
		status = call(CAP_DELETE, T, slot);
	while (status == LIMPET_EAGAIN);
	return status;
}

long revoke_all(word slot)
{
	long status;

	do
		status = call(CAP_REVOKE, T, slot);
	while (status == LIMPET_EAGAIN);
	return status;
}

word frames_used(void)
{
	word used = 0;

	for (word i = 0; i < machine.pool->frames; i++)
		used += machine.pool->state[i] != 0;
	return used;
}
