// SPDX-License-Identifier: GPL-2.0
#include <kernel/setup.h>

#define CPU_PAGES ((sizeof(struct cpu) + LIMPET_PAGE - 1) / LIMPET_PAGE)
#define PER_CPU (CPU_PAGES + SETUP_STACK_PAGES)

void setup_layout(struct setup *s)
{
	word kernel = s->cpus * (PER_CPU + s->trace_size / LIMPET_PAGE);
	word max = 2 + kernel + s->image_pages + s->cpus * s->share;
	/* each frame has a state of two bytes, also the frames of the states */
	word states = (max * sizeof(u16) + 3 * LIMPET_PAGE) / (LIMPET_PAGE - 2);

	s->cpu = 1;
	s->trace = s->cpu + s->cpus * PER_CPU;
	s->states = s->cpu + kernel;
	s->image = s->states + states;
	s->frames = s->image + s->image_pages;
	s->end = s->frames + s->cpus * s->share;
}

static void *page_at(void *memory, word page)
{
	return (u8 *)memory + page * LIMPET_PAGE;
}

word setup_stack(const struct setup *s, void *memory, u32 n)
{
	return (word)page_at(memory, s->cpu + (n + 1) * PER_CPU);
}

static void pool_build(const struct setup *s, void *memory)
{
	struct frame_pool *pool = setup_pool(s, memory);

	pool->base = memory;
	pool->frames = (u32)s->end;
	for (word i = 0; i < s->image; i++)
		pool->state[i] = FRAME_KERNEL;
	for (word i = s->image; i < s->frames; i++)
		pool->state[i] = FRAME_SHARED;
}

u32 setup_build(const struct setup *s, void *memory, struct cpu **all)
{
	u32 n;

	pool_build(s, memory);
	for (n = 0; n < s->cpus; n++)
		all[n] = page_at(memory, s->cpu + n * PER_CPU);
	for (n = 0; n < s->cpus && !boot_cpu(s, setup_pool(s, memory), all, n); n++)
		trace_init(all[n], (u8 *)page_at(memory, s->trace) + n * s->trace_size,
			   s->trace_size);
	return n;
}
