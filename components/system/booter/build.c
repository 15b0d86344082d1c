// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/kernel_call.h>
#include <runtime/ring.h>

#include "booter.h"

/* A page table with room for `pool` pages of lower levels. */
static word page_table_make(const struct part *part, uint64_t pool)
{
	uint64_t first = pool < PAGE_TABLE_MOST - PAGE_TABLE_LEAST
				 ? pool
				 : PAGE_TABLE_MOST - PAGE_TABLE_LEAST;
	word page_table = object_make(part, LIMPET_PAGE_TABLE, PAGE_TABLE_LEAST + first);

	for (pool -= first; pool;) {
		uint64_t count = pool < PAGE_TABLE_MOST ? pool : PAGE_TABLE_MOST;
		word frames = frames_take(count);
		long status = limpet_call_pt_extend(page_table, frames);

		if (status)
			give_up(part, "extend its page table", status);
		slot_drop(frames);
		pool -= count;
	}
	return page_table;
}

void part_build(struct part *part)
{
	const struct limpet_image_component *c = part->record;
	long status;

	part->page_table = page_table_make(part, plan_pool_frames(part));
	part->table = object_make(part, LIMPET_TABLE, plan_table_frames(part));
	part->component = object_make(part, LIMPET_COMPONENT, COMPONENT_FRAMES);
	status = limpet_call_component_activate(part->component, part->page_table, part->table,
						c->stacks, c->stack_shift, part->index);
	if (status)
		give_up(part, "activate it", status);
	for (uint32_t i = 0; i < c->threads; i++)
		booter.thread[part->spare_id + i] = object_make(part, LIMPET_THREAD, THREAD_FRAMES);
	if (!part->thread_id)
		return;
	part->thread = object_make(part, LIMPET_THREAD, THREAD_FRAMES);
	booter.thread[part->thread_id] = part->thread;
	part->endpoint = object_make(part, LIMPET_ENDPOINT, ENDPOINT_FRAMES);
	status = limpet_call_endpoint_bind(part->endpoint, part->thread);
	if (status)
		give_up(part, "bind its endpoint", status);
}

static void stacks_fill(const struct part *part)
{
	uint64_t size = 1ul << part->record->stack_shift;

	/* The lowest page of each is left out: a guard. */
	for (uint64_t id = 0; id < plan_stacks(part); id++)
		memory_map(part, part->record->stacks + id * size + PAGE, size / PAGE - 1,
			   LIMPET_READ | LIMPET_WRITE, NULL, 0);
}

/* The channel of the console, or of a supervisor: a header, then an empty ring that a supervisor writes over. */
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

/* Segments and heap; its supervisor sees those that are writable, one behind the other. */
static void contents_fill(const struct part *part)
{
	const struct limpet_image_component *c = part->record;
	const struct limpet_image_segment *s = &booter.segment[c->segment];
	uint64_t view = part->view;

	for (uint32_t i = 0; i < c->segments; i++) {
		const void *content = booter.base + s[i].at;

		if (!(s[i].rights & LIMPET_WRITE)) {
			memory_map(part, s[i].address, s[i].size / PAGE, s[i].rights, content,
				   s[i].file_size);
			continue;
		}
		memory_map_seen(part, s[i].address, s[i].size / PAGE, view, content,
				s[i].file_size);
		view += view ? s[i].size : 0;
	}
	memory_map_seen(part, c->heap, c->heap_size / PAGE, view, NULL, 0);
}

/* What it gets besides, by its role. */
static void role_fill(const struct part *part)
{
	if (part->ramdisk)
		memory_map_image(part, part->ramdisk, booter.image->ramdisk_at,
				 booter.image->ramdisk_size);
	if (part->image)
		memory_map_image(part, part->image, 0, booter.image->size);
	if (part->channel)
		channel_fill(part);
	if (part->kept)
		memory_map(part->supervisor, part->kept, plan_writable(part) / PAGE,
			   LIMPET_READ | LIMPET_WRITE, NULL, 0);
}

void part_fill(const struct part *part)
{
	contents_fill(part);
	stacks_fill(part);
	role_fill(part);
	channels_make(part);
}
