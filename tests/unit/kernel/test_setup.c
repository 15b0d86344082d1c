// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the layout of a system in one run of memory, the construction of its CPUs there, and its
 * description.
 */
#include <stdlib.h>

#include <kernel/setup.h>
#include <kernel/stat.h>

#include "image.h"
#include "objects.h"

#define IMAGE_PAGES 2

static struct setup layout(u32 cpus, word image_pages, word share)
{
	struct setup s = { .cpus = cpus,
			   .image_pages = image_pages,
			   .share = share,
			   .trace_size = share % 3 * 2 * LIMPET_PAGE, /* 0, 2 or 4 pages */
			   .ticks_per_ms = 1000 };

	setup_layout(&s);
	return s;
}

/* Parts are in order, do not overlap, and are large enough. */
static void check_layout(u32 cpus, word image_pages, word share)
{
	const struct setup s = layout(cpus, image_pages, share);
	const word cpu_bytes = (s.trace - s.cpu) * LIMPET_PAGE;

	assert_true(s.cpu >= 1);
	assert_true(cpu_bytes >= cpus * (sizeof(struct cpu) + SETUP_STACK_PAGES * LIMPET_PAGE));
	assert_int_equal((s.states - s.trace) * LIMPET_PAGE, cpus * s.trace_size);
	assert_true((s.image - s.states) * LIMPET_PAGE >=
		    sizeof(struct frame_pool) + s.end * sizeof(u16));
	assert_int_equal(s.frames, s.image + image_pages);
	assert_int_equal(s.end, s.frames + cpus * share);
}

static void test_layout(void **state)
{
	(void)state;
	for (u32 cpus = 1; cpus <= LIMPET_CPUS_MAX; cpus++)
		for (word share = SETUP_FRAMES_MIN; share <= SETUP_FRAMES_MAX; share *= 2)
			for (word pages = 1; pages <= 1 << 14; pages *= 4)
				check_layout(cpus, pages, share);
}

/* Returns a run of memory with an image in place. registry.c counts objects from its pool on. */
static void *memory_make(const struct setup *s)
{
	void *memory = aligned_alloc(LIMPET_PAGE, s->end * LIMPET_PAGE);

	assert_non_null(memory);
	machine.pool = setup_pool(s, memory);
	machine_play(0);
	memset(memory, 0, s->end * LIMPET_PAGE);
	image_build((u8 *)memory + s->image * LIMPET_PAGE, s->image_pages, s->cpus, s->share);
	return memory;
}

static void memory_free(void *memory)
{
	registry_clear();
	machine.pool = NULL;
	free(memory);
}

static void test_build(void **state)
{
	const struct setup s = layout(2, IMAGE_PAGES, SETUP_FRAMES_MIN);
	struct cpu *all[LIMPET_CPUS_MAX] = { NULL };
	void *memory = memory_make(&s);
	const struct frame_pool *pool = setup_pool(&s, memory);

	(void)state;
	assert_int_equal(setup_build(&s, memory, all), 2);
	assert_int_equal(pool->frames, s.end);
	for (word i = 0; i < s.image; i++)
		assert_int_equal(pool->state[i], FRAME_KERNEL);
	assert_int_equal(pool->state[s.image], FRAME_SEALED); /* the tables take less than a page */
	for (word i = s.image + 1; i < s.frames; i++)
		assert_int_equal(pool->state[i], FRAME_SHARED);
	for (u32 n = 0; n < 2; n++) {
		assert_int_equal(all[n]->number, n);
		assert_ptr_equal(all[n]->pool, pool);
		assert_int_equal(setup_stack(&s, memory, n),
				 (word)all[n] + (s.trace - s.cpu) / s.cpus * LIMPET_PAGE);
		assert_ptr_equal(all[n]->trace.ring,
				 (u8 *)memory + s.trace * LIMPET_PAGE + n * s.trace_size);
		assert_int_equal(all[n]->trace.mask, s.trace_size - 1);
	}
	memory_free(memory);
}

/* The error names the CPU that has too few frames. */
static void test_too_few(void **state)
{
	const struct setup s = layout(2, IMAGE_PAGES, 8);
	struct cpu *all[LIMPET_CPUS_MAX] = { NULL };
	void *memory = memory_make(&s);

	(void)state;
	assert_int_equal(setup_build(&s, memory, all), 0);
	memory_free(memory);
}

static void piece_take(struct limpet_ioc_stat *piece, word share)
{
	stat_begin(piece, cpu, share);
	for (word i = 0; i < LIMPET_STAT_PIECE; i++)
		stat_add(piece, cpu, piece->first + i);
}

/* The booter's component and thread are in the first piece. The other pieces are empty. */
static void test_stat(void **state)
{
	const word first = machine.image + machine.image_frames,
		   share = machine.pool->frames - first;
	struct limpet_ioc_stat piece = { 0 };

	(void)state;
	piece_take(&piece, share);
	assert_int_equal(piece.components, 1);
	assert_int_equal(piece.component[0].index, 0);
	assert_int_equal(piece.threads, 1);
	assert_int_equal(piece.thread[0].running, 1);
	assert_int_equal(piece.thread[0].inside, 0);
	assert_int_equal(piece.cpu.frames, share);
	while ((piece.first += LIMPET_STAT_PIECE) < LIMPET_STAT_NUMBERS) {
		piece_take(&piece, share);
		assert_int_equal(piece.components + piece.threads, 0);
	}
	assert_in_range(stat_frames(cpu, first, share), 1, share - 1);
	assert_int_equal(stat_frames(cpu, first, share / 2) +
				 stat_frames(cpu, first + share / 2, share - share / 2),
			 stat_frames(cpu, first, share));
}

/* A reader on another CPU does not write to the thread, because the thread's frame can become a page table. */
static void test_stat_clear(void **state)
{
	const struct limpet_jobs before = cpu->thread->jobs;
	struct limpet_ioc_stat piece = { .first = cpu->thread->id, .clear = 1 };

	(void)state;
	piece_take(&piece, 1);
	assert_int_equal(piece.jobs.clear, 1);
	assert_memory_equal(&cpu->thread->jobs, &before, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	cmocka_unit_test(test_build),
		cmocka_unit_test(test_too_few), TEST(test_stat),
		TEST(test_stat_clear),
	};

	return RUN("setup", tests);
}
