// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/ring.h>

#include "booter.h"

/* Creates a page table with a root, and frames for `pool` pages of lower levels. */
static word page_table_make(const struct part *part, uint64_t pool)
{
	word page_table = object_make(part, LIMPET_PAGE_TABLE, LIMPET_PAGE_TABLE_SIZE, 0);

	for (uint64_t left = 1 + pool, count; left; left -= count) {
		count = left < EXTEND_MAX ? left : EXTEND_MAX;
		page_table_extend(part, page_table, count);
	}
	return page_table;
}

static word thread_make(const struct part *part)
{
	return object_make(part, LIMPET_THREAD, booter.thread_bytes, booter.image->depth);
}

/*
 * Creates the kernel objects of a component. objects_frames() counts the same objects in the same
 * order.
 */
void part_build(struct part *part)
{
	const struct limpet_image_component *component = part->record;
	uint64_t slots = plan_table_slots(part);
	long status;

	part->page_table = page_table_make(part, plan_pool_frames(part));
	part->table = object_make(part, LIMPET_TABLE, (1 + slots) * LIMPET_SLOT_SIZE, slots);
	part->component = object_make(part, LIMPET_COMPONENT, LIMPET_COMPONENT_SIZE, 0);
	status = limpet_call_component_activate(part->component, part->page_table, part->table,
						component->stacks, component->stack_shift,
						part->index);
	if (status)
		give_up(part, "activate it", status);
	for (uint32_t i = 0; i < component->threads; i++)
		booter.thread[part->spare_id + i] = thread_make(part);
	if (!part->thread_id)
		return;
	part->thread = thread_make(part);
	booter.thread[part->thread_id] = part->thread;
	part->endpoint = object_make(part, LIMPET_ENDPOINT, LIMPET_ENDPOINT_SIZE, 0);
	status = limpet_call_endpoint_bind(part->endpoint, part->thread);
	if (status)
		give_up(part, "bind its endpoint", status);
}

/* Fills the channel of the console or of a supervisor: a header, then an empty ring, which a supervisor overwrites. */
static void channel_fill(const struct part *part)
{
	const word number = part == booter.console ? LIMPET_CHANNEL_CONSOLE : LIMPET_CHANNEL_CRASH;
	static struct {
		struct limpet_channel_header header;
		char unused[LIMPET_CHANNEL_PAGE - sizeof(struct limpet_channel_header)];
		struct limpet_ring ring;
	} head;
	word frames = frames_take(CHANNEL_FRAMES);
	long status;

	head.header = (struct limpet_channel_header){
		.magic = LIMPET_CHANNEL_MAGIC,
		.version = LIMPET_CHANNEL_VERSION,
		.mode = LIMPET_CHANNEL_SHARED,
		.to_linux = LIMPET_CHANNEL_OWN_SIZE,
	};
	ring_head_init(&head.ring, LIMPET_CHANNEL_OWN_SIZE);
	memory_map_frames(part, frames, part->channel, CHANNEL_FRAMES, LIMPET_READ | LIMPET_WRITE,
			  &head, sizeof(head));
	status = limpet_call_channel_create(LIMPET_BOOT_CPU, frames, part->endpoint, number,
					    part->table, LIMPET_SLOT_CHANNEL);
	if (status)
		give_up(part, "create its channel", status);
	slot_drop(frames);
}

/*
 * Maps the segments and the heap. Read-only segments are mapped from the image, unless another build can replace them.
 * The supervisor sees these at consecutive addresses, and likewise the writable segments and the heap.
 */
static void contents_fill(const struct part *part)
{
	const struct limpet_image_component *component = part->record;
	const struct limpet_image_segment *segment = &booter.segment[component->segment];
	uint64_t view = part->view, code = part->code;

	for (uint32_t i = 0; i < component->segments; i++) {
		uint64_t *at = segment[i].rights & LIMPET_WRITE ? &view : &code;

		if (!(segment[i].rights & LIMPET_WRITE) && !code) {
			memory_map_image(part, segment[i].address, segment[i].at, segment[i].size,
					 segment[i].rights);
			continue;
		}
		memory_map_seen(part, segment[i].address, segment[i].size / PAGE, segment[i].rights,
				*at, booter.base + segment[i].at, segment[i].file_size);
		*at += *at ? segment[i].size : 0;
	}
	memory_map_seen(part, component->heap, component->heap_size / PAGE,
			LIMPET_READ | LIMPET_WRITE, view, NULL, 0);
}

/* Creates what the component needs for its role. */
static void role_fill(const struct part *part)
{
	if (part->ramdisk)
		memory_map_image(part, part->ramdisk, booter.image->ramdisk_at,
				 booter.image->ramdisk_size, LIMPET_READ);
	if (part->image)
		memory_map_image(part, part->image, 0, booter.image->size, LIMPET_READ);
	if (part->channel)
		channel_fill(part);
	if (part->kept)
		memory_map(part->supervisor, part->kept, plan_writable(part) / PAGE,
			   LIMPET_READ | LIMPET_WRITE, NULL, 0);
	if (part->other)
		memory_map(part->supervisor, part->other, plan_other(part) / PAGE,
			   LIMPET_READ | LIMPET_WRITE, NULL, 0);
}

void part_fill(const struct part *part)
{
	contents_fill(part);
	role_fill(part);
	channels_make(part);
}
