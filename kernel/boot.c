// SPDX-License-Identifier: GPL-2.0
#include <kernel/boot.h>
#include <kernel/capability.h>
#include <kernel/page_table.h>

#define POOL_FRAMES 24 /* frames for the levels below the root, without those for the image */
#define FRAMES_PER_TABLE 512

/* The free frames. At the end the booter gets a capability to the remaining ones. */
struct stock {
	struct frame_pool *pool;
	word next, left;
};

static void *stock_take(struct stock *stock, word count, bool kernel, word *first)
{
	if (count > stock->left)
		return NULL;
	*first = stock->next;
	stock->next += count;
	stock->left -= count;
	if (kernel)
		frames_take(stock->pool, *first, count);
	return frame_memory(stock->pool, *first);
}

static void *object_take(struct stock *stock, word count)
{
	word first;

	return stock_take(stock, count, true, &first);
}

static long map_frames(struct cpu *cpu, struct page_table *pt, word address, word first, word count,
		       unsigned int rights)
{
	for (word i = 0; i < count; i++) {
		long error = hal_page_table_map(&pt->hal, address + i * LIMPET_PAGE,
						frame_memory(cpu->pool, first + i), rights);

		if (error)
			return error;
		frame_map(cpu->pool, first + i);
	}
	return LIMPET_OK;
}

/* Maps zeroed memory at an address, and copies `size` bytes from `from` to its start. */
static long map_fresh(struct cpu *cpu, struct stock *stock, struct page_table *pt, word address,
		      word bytes, unsigned int rights, const void *from, word size)
{
	word first, count = bytes / LIMPET_PAGE;
	void *memory = stock_take(stock, count, false, &first);

	if (!memory)
		return LIMPET_ENOMEM;
	__builtin_memset(memory, 0, bytes);
	if (size)
		__builtin_memcpy(memory, from, size);
	return map_frames(cpu, pt, address, first, count, rights);
}

static const struct limpet_image *image_of(const struct cpu *cpu, const struct setup *setup)
{
	return frame_memory(cpu->pool, setup->image);
}

static long map_booter(struct cpu *cpu, struct stock *stock, struct page_table *pt,
		       const struct setup *setup)
{
	const struct limpet_image *image = image_of(cpu, setup);
	const u8 *base = (const u8 *)image;
	const struct limpet_image_component *record = cpu->record;
	const struct limpet_image_segment *segment =
		(const struct limpet_image_segment *)(base + image->segments_at) + record->segment;
	const unsigned int data = LIMPET_READ | LIMPET_WRITE;
	word stack = 1ul << record->stack_shift;
	long error = LIMPET_OK;

	for (u32 i = 0; i < record->segments && !error; i++)
		error = map_fresh(cpu, stock, pt, segment[i].address, segment[i].size,
				  segment[i].rights, base + segment[i].at, segment[i].file_size);
	if (!error && record->heap_size)
		error = map_fresh(cpu, stock, pt, record->heap, record->heap_size, data, NULL, 0);
	if (!error) /* the lowest page is not mapped, because it is the guard page */
		error = map_fresh(cpu, stock, pt, record->stacks + LIMPET_PAGE, stack - LIMPET_PAGE,
				  data, NULL, 0);
	if (!error)
		error = map_frames(cpu, pt, BOOT_IMAGE_ADDRESS, setup->image, setup->image_pages,
				   LIMPET_READ);
	return error;
}

static void give(struct table *table, unsigned int slot, enum limpet_type type,
		 struct object *object, word a, word b, unsigned int rights)
{
	struct capability *cap = &table->slot[slot];

	cap->table = table;
	capability_derive(cap, NULL, type, object, a, b, rights);
}

static void thread_words(const struct cpu *cpu, struct thread *thread, u64 image_size, word frames)
{
	const word words[] = { BOOT_IMAGE_ADDRESS, image_size,	      cpu->number,
			       cpu->cpus,	   cpu->ticks_per_ms, frames };

	for (unsigned int i = 0; i < countof(words); i++)
		hal_regs_set_word(&thread->regs, i, words[i]);
}

static void cpu_setup(struct cpu *cpu, const struct setup *setup, struct frame_pool *pool,
		      struct cpu *const *all, u32 number)
{
	const struct limpet_image *image;

	cpu->pool = pool;
	cpu->number = number;
	cpu->cpus = setup->cpus;
	cpu->all = all;
	cpu->ticks_per_ms = setup->ticks_per_ms;
	cpu->deadline = LIMPET_NEVER;
	cpu->early = setup->early;
	cpu->resource = setup->resource;
	cpu->resources = setup->resources;
	cpu->message = setup->message[number];
	cpu->message_data = setup->message_data;
	cpu->host.deadline = cpu->host.programmed = LIMPET_NEVER;
	cpu->object.type = LIMPET_CPU;
	cpu->object.refs = 1; /* it is never destroyed */
	image = image_of(cpu, setup);
	cpu->record = (const void *)((const u8 *)image + image->components_at);
	cpu->records = image->components;
	trace_init(cpu, NULL, 0);
	list_init(&cpu->moved);
	list_init(&cpu->updates);
	for (u32 i = 0; i < LIMPET_EXECUTIVES_MAX; i++)
		executive_init(&cpu->executive[i]);
}

/*
 * Returns the number of frames of the booter's table, which names all objects that the booter
 * makes, and their frames.
 */
static word table_frames(const struct cpu *cpu, const struct limpet_image *image)
{
	word slots = LIMPET_BOOT_SLOTS;

	for (u32 i = 1; i < image->components; i++)
		if (cpu->record[i].cpu == cpu->number)
			slots += LIMPET_BOOT_COMPONENT_SLOTS +
				 LIMPET_BOOT_THREAD_SLOTS *
					 (!!cpu->record[i].priority + cpu->record[i].threads);
	return (slots * sizeof(struct capability) + LIMPET_PAGE - 1) / LIMPET_PAGE;
}

long boot_cpu(const struct setup *setup, struct frame_pool *pool, struct cpu *const *all,
	      u32 number)
{
	struct cpu *cpu = all[number];
	struct stock stock = { pool, setup->frames + number * setup->share, setup->share };
	word levels = 1 + POOL_FRAMES + setup->image_pages / FRAMES_PER_TABLE;
	word frames;
	void *memory[4];
	struct page_table *pt;
	struct table *table;
	struct component *comp;
	struct thread *thread;
	long error;

	cpu_setup(cpu, setup, pool, all, number);
	frames = table_frames(cpu, image_of(cpu, setup));
	memory[0] = object_take(&stock, 1 + levels);
	memory[1] = object_take(&stock, frames);
	memory[2] = object_take(&stock, 1);
	memory[3] = object_take(&stock, THREAD_FRAMES);
	for (unsigned int i = 0; i < countof(memory); i++)
		if (!memory[i])
			return LIMPET_ENOMEM;
	pt = (struct page_table *)page_table_create(cpu, memory[0]);
	page_table_extend(cpu, pt, frame_of(pool, memory[0]) + 1, levels);
	table = (struct table *)table_create(memory[1], frames * LIMPET_PAGE);
	comp = (struct component *)component_create(memory[2]);
	thread = (struct thread *)thread_create(memory[3], THREAD_FRAMES * LIMPET_PAGE);
	error = map_booter(cpu, &stock, pt, setup);
	if (!error && !stock.left)
		error = LIMPET_ENOMEM; /* a capability needs at least one frame */
	if (error)
		return error;
	component_activate(cpu, comp, pt, table, cpu->record->stacks, cpu->record->stack_shift, 0);
	thread->id = 0;
	thread_begin(thread, comp, cpu->record->entry, 1);
	thread_words(cpu, thread, image_of(cpu, setup)->size, stock.left);
	cpu->threads[0] = thread;
	cpu->threads_end = 1;
	cpu->thread = thread;
	cpu->component = comp;
	give(table, LIMPET_BOOT_TABLE, LIMPET_TABLE, &table->object, 0, 0, LIMPET_ALL);
	give(table, LIMPET_BOOT_PAGE_TABLE, LIMPET_PAGE_TABLE, &pt->object, 0, 0, LIMPET_ALL);
	give(table, LIMPET_BOOT_COMPONENT, LIMPET_COMPONENT, &comp->object, 0, 0, LIMPET_ALL);
	give(table, LIMPET_BOOT_THREAD, LIMPET_THREAD, &thread->object, 0, 0, LIMPET_ALL);
	give(table, LIMPET_BOOT_FRAMES, LIMPET_FRAMES, NULL, stock.next, stock.left, LIMPET_ALL);
	give(table, LIMPET_BOOT_CPU, LIMPET_CPU, &cpu->object, 0, 0, LIMPET_ALL);
	give(table, LIMPET_BOOT_IMAGE, LIMPET_FRAMES, NULL, setup->image, setup->image_pages,
	     LIMPET_READ | LIMPET_EXEC | LIMPET_GRANT);
	return LIMPET_OK;
}
