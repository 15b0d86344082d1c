// SPDX-License-Identifier: GPL-2.0
#include <kernel/setup.h>

#define CPU_PAGES ((sizeof(struct cpu) + LIMPET_PAGE - 1) / LIMPET_PAGE)
#define PER_CPU (CPU_PAGES + SETUP_STACK_PAGES)

void setup_layout(struct setup *setup)
{
	word kernel = setup->cpus * (PER_CPU + setup->trace_size / LIMPET_PAGE);
	word max = 2 + kernel + setup->image_pages + setup->cpus * setup->share;
	/* each frame has a state of two bytes, also the frames of the states */
	word states = (max * sizeof(u16) + 3 * LIMPET_PAGE) / (LIMPET_PAGE - 2);

	setup->cpu = 1;
	setup->trace = setup->cpu + setup->cpus * PER_CPU;
	setup->states = setup->cpu + kernel;
	setup->image = setup->states + states;
	setup->frames = setup->image + setup->image_pages;
	setup->end = setup->frames + setup->cpus * setup->share;
}

static void *page_at(void *memory, word page)
{
	return (u8 *)memory + page * LIMPET_PAGE;
}

word setup_stack(const struct setup *setup, void *memory, u32 n)
{
	return (word)page_at(memory, setup->cpu + (n + 1) * PER_CPU);
}

static void pool_build(const struct setup *setup, void *memory)
{
	struct frame_pool *pool = setup_pool(setup, memory);
	const struct limpet_image *image = page_at(memory, setup->image);
	word tables = setup->image * LIMPET_PAGE + image->strings_at + image->strings;

	pool->base = memory;
	pool->frames = (u32)setup->end;
	for (word i = 0; i < setup->frames; i++)
		pool->state[i] = i < setup->image	    ? FRAME_KERNEL
				 : i * LIMPET_PAGE < tables ? FRAME_SEALED
							    : FRAME_SHARED;
}

u32 setup_build(const struct setup *setup, void *memory, struct cpu **all)
{
	u32 n;

	pool_build(setup, memory);
	for (n = 0; n < setup->cpus; n++)
		all[n] = page_at(memory, setup->cpu + n * PER_CPU);
	for (n = 0; n < setup->cpus && !boot_cpu(setup, setup_pool(setup, memory), all, n); n++)
		trace_init(all[n], (u8 *)page_at(memory, setup->trace) + n * setup->trace_size,
			   setup->trace_size);
	return n;
}
