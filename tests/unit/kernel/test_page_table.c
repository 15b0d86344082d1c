// SPDX-License-Identifier: GPL-2.0
/* Tests page tables: map, unmap, protect, extend. A partly deleted page table cannot be used. */
#include <sanitizer/asan_interface.h>

#include "objects.h"

#define AT 0x10000000ul
#define RW (LIMPET_READ | LIMPET_WRITE)
#define RX (LIMPET_READ | LIMPET_EXEC)
#define LARGE (1ul << 30) /* addresses that share no lowest-level table */

static struct page_table *pt_of(word slot)
{
	return (struct page_table *)cap_at(slot)->object;
}

static void test_map(void **state)
{
	word pt = page_table_new(7), frames = frames_new(40), first = cap_at(frames)->a;
	unsigned int rights;

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 5, AT, LIMPET_MAP_MAX, RW));
	for (word i = 0; i < LIMPET_MAP_MAX; i++) {
		void *page = fake_lookup(&pt_of(pt)->hal, AT + i * LIMPET_PAGE, &rights);

		assert_ptr_equal(page, frame_memory(machine.pool, first + 5 + i));
		assert_int_equal(rights, RW);
		assert_int_equal(machine.pool->state[first + 5 + i], 1);
	}
	assert_null(fake_lookup(&pt_of(pt)->hal, AT + LIMPET_MAP_MAX * LIMPET_PAGE, NULL));
	assert_ok(call(PT_UNMAP, pt, AT, LIMPET_MAP_MAX));
	assert_null(fake_lookup(&pt_of(pt)->hal, AT, NULL));
	assert_int_equal(machine.pool->state[first + 5], 0);
}

static void test_map_errors(void **state)
{
	word pt = page_table_new(7), frames = frames_new(4);
	word few = weaker(pt, LIMPET_ALL & ~LIMPET_MANAGE), read = weaker(frames, LIMPET_READ);

	(void)state;
	assert_status(call(PT_MAP, EMPTY, frames, 0, AT, 1, RW), ESLOT);
	assert_status(call(PT_MAP, frames, frames, 0, AT, 1, RW), ETYPE);
	assert_status(call(PT_MAP, few, frames, 0, AT, 1, RW), ERIGHTS);
	assert_status(call(PT_MAP, pt, EMPTY, 0, AT, 1, RW), ESLOT);
	assert_status(call(PT_MAP, pt, pt, 0, AT, 1, RW), ETYPE);
	assert_status(call(PT_MAP, pt, read, 0, AT, 1, RW), ERIGHTS);
	assert_status(call(PT_MAP, pt, read, 0, AT, 1, RX), ERIGHTS);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, RW | RX), ERIGHTS);
	assert_status(call(PT_MAP, pt, frames, 0, AT + 1, 1, RW), EALIGN);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 0, RW), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 0, AT, LIMPET_MAP_MAX + 1, RW), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1ul << 52, RW), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 4, AT, 1, RW), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 3, AT, 2, RW), ERANGE);
	assert_status(call(PT_MAP, pt, frames, ~0ul, AT, 2, RW), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, LIMPET_WRITE), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, 0), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, RW | LIMPET_MANAGE), ERANGE);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, RW | 1ul << 32), ERANGE);
}

static void test_map_addresses(void **state)
{
	word pt = page_table_new(15), frames = frames_new(4);
	const word bad[] = { 0,	       LIMPET_USER_BEGIN - LIMPET_PAGE, LIMPET_USER_END,
			     ~0xffful, LIMPET_USER_END - LIMPET_PAGE,	1ul << 63,
			     1ul << 47 };

	(void)state;
	for (unsigned int i = 0; i < countof(bad); i++)
		assert_status(call(PT_MAP, pt, frames, 0, bad[i], 2, RW), ERANGE);
	assert_ok(call(PT_MAP, pt, frames, 0, LIMPET_USER_BEGIN, 2, RW));
	assert_ok(call(PT_MAP, pt, frames, 2, LIMPET_USER_END - 2 * LIMPET_PAGE, 2, RW));
}

/* A page in the range is already mapped, so the pages before it are unmapped again. */
static void test_map_full(void **state)
{
	word pt = page_table_new(7), frames = frames_new(4), first = cap_at(frames)->a;

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 3, AT + 2 * LIMPET_PAGE, 1, RW));
	assert_status(call(PT_MAP, pt, frames, 0, AT, 3, RW), EFULL);
	assert_null(fake_lookup(&pt_of(pt)->hal, AT, NULL));
	assert_int_equal(machine.pool->state[first], 0);
	assert_ptr_equal(fake_lookup(&pt_of(pt)->hal, AT + 2 * LIMPET_PAGE, NULL),
			 frame_memory(machine.pool, first + 3));
}

/* If pages for lower levels run out, PT_EXTEND adds some. All of them are freed at the end. */
static void test_levels_run_out(void **state)
{
	word used = frames_used(), pt = page_table_new(1 + 3), frames = frames_new(8);
	word more = frames_new(2);

	(void)state;
	machine.partial = true;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, RW));
	assert_status(call(PT_MAP, pt, frames, 1, AT + LARGE, 1, RW), ENOMEM);
	assert_int_equal(machine.pool->state[cap_at(frames)->a + 1], 0);
	assert_ok(call(PT_EXTEND, pt, more));
	assert_non_null(pt_of(pt)->hal.spare);
	assert_ok(call(PT_MAP, pt, frames, 1, AT + LARGE, 1, RW));
	assert_null(pt_of(pt)->hal.spare);
	assert_ok(delete_all(pt));
	assert_int_equal(frames_used(), used);
}

/* Mapping fails in the middle of a run: the mapped pages are unmapped. */
static void test_levels_run_out_midway(void **state)
{
	word pt = page_table_new(1 + 3), frames = frames_new(8);
	word address = AT + (1ul << 21) - 2 * LIMPET_PAGE;

	(void)state;
	machine.partial = true;
	assert_status(call(PT_MAP, pt, frames, 0, address, 4, RW), ENOMEM);
	for (word i = 0; i < 4; i++)
		assert_int_equal(machine.pool->state[cap_at(frames)->a + i], 0);
}

static void test_extend_errors(void **state)
{
	word pt = page_table_new(1), frames = frames_new(1);
	word few = weaker(pt, LIMPET_ALL & ~LIMPET_MANAGE);
	word weak = weaker(frames, LIMPET_ALL & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(PT_EXTEND, EMPTY, frames), ESLOT);
	assert_status(call(PT_EXTEND, frames, frames), ETYPE);
	assert_status(call(PT_EXTEND, few, frames), ERIGHTS);
	assert_status(call(PT_EXTEND, pt, EMPTY), ESLOT);
	assert_status(call(PT_EXTEND, pt, pt), ETYPE);
	assert_status(call(PT_EXTEND, pt, weak), ERIGHTS);
	assert_status(call(PT_EXTEND, pt, frames_new(65)), ERANGE);
	assert_ok(call(PT_EXTEND, pt, frames));
	assert_status(call(PT_EXTEND, pt, frames), EBUSY);
}

/* All extensions are freed, for any number of them. */
static void test_extend_often(void **state)
{
	word used = frames_used(), pt = page_table_new(1);

	(void)state;
	machine.checks = 0;
	for (unsigned int i = 0; i < 100; i++)
		assert_ok(call(PT_EXTEND, pt, frames_new(1)));
	machine.checks = 1;
	invariants();
	assert_ok(delete_all(pt));
	assert_int_equal(frames_used(), used);
}

/* Without a root nothing can be mapped, and no component can have the page table. */
static void test_no_root(void **state)
{
	word used = frames_used(), pt = object_new(LIMPET_PAGE_TABLE, 1), frames = frames_new(1);
	word c = object_new(LIMPET_COMPONENT, 1), table = object_new(LIMPET_TABLE, 1);

	(void)state;
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, RW), ENOMEM);
	assert_ok(call(PT_UNMAP, pt, AT, 1));
	assert_status(call(PT_PROTECT, pt, AT, 1, LIMPET_READ), ENOENT);
	assert_status(call(MEMORY_READ, pt, AT), ENOENT);
	assert_status(call(COMPONENT_ACTIVATE, c, pt, table, STACKS, STACK_SHIFT, 1), ESTATE);
	assert_ok(call(PT_EXTEND, pt, frames));
	assert_ok(call(COMPONENT_ACTIVATE, c, pt, table, STACKS, STACK_SHIFT, 1));
	assert_ok(delete_all(c));
	assert_ok(delete_all(table));
	assert_ok(delete_all(pt));
	assert_int_equal(frames_used(), used);
}

static void test_unmap_errors(void **state)
{
	word pt = page_table_new(7), few = weaker(pt, LIMPET_ALL & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(PT_UNMAP, EMPTY, AT, 1), ESLOT);
	assert_status(call(PT_UNMAP, T, AT, 1), ETYPE);
	assert_status(call(PT_UNMAP, few, AT, 1), ERIGHTS);
	assert_status(call(PT_UNMAP, pt, AT + 8, 1), EALIGN);
	assert_status(call(PT_UNMAP, pt, AT, 0), ERANGE);
	assert_status(call(PT_UNMAP, pt, AT, LIMPET_MAP_MAX + 1), ERANGE);
	assert_status(call(PT_UNMAP, pt, LIMPET_USER_END, 1), ERANGE);
	assert_ok(call(PT_UNMAP, pt, AT, LIMPET_MAP_MAX)); /* nothing is mapped there */
}

static void test_protect_errors(void **state)
{
	word pt = page_table_new(7), frames = frames_new(2), few = weaker(pt, 31 & ~LIMPET_MANAGE);

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 2, RW));
	assert_status(call(PT_PROTECT, EMPTY, AT, 1, LIMPET_READ), ESLOT);
	assert_status(call(PT_PROTECT, T, AT, 1, LIMPET_READ), ETYPE);
	assert_status(call(PT_PROTECT, few, AT, 1, LIMPET_READ), ERIGHTS);
	assert_status(call(PT_PROTECT, pt, AT + 8, 1, LIMPET_READ), EALIGN);
	assert_status(call(PT_PROTECT, pt, AT, 0, LIMPET_READ), ERANGE);
	assert_status(call(PT_PROTECT, pt, AT, LIMPET_MAP_MAX + 1, LIMPET_READ), ERANGE);
	assert_status(call(PT_PROTECT, pt, AT, 1, LIMPET_WRITE), ERANGE);
	assert_status(call(PT_PROTECT, pt, AT, 1, LIMPET_READ | LIMPET_MANAGE), ERANGE);
	assert_status(call(PT_PROTECT, pt, AT, 3, LIMPET_READ), ENOENT);
	assert_status(call(PT_PROTECT, pt, AT + LARGE, 1, LIMPET_READ), ENOENT);
}

static unsigned int rights_at(word pt, word address)
{
	unsigned int rights = 0;

	assert_non_null(fake_lookup(&pt_of(pt)->hal, address, &rights));
	return rights;
}

/* Rights can only be removed, so a page that was writable does not become executable. */
static void test_protect(void **state)
{
	word pt = page_table_new(7), frames = frames_new(2);

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, RW));
	assert_ok(call(PT_MAP, pt, frames, 1, AT + LIMPET_PAGE, 1, RX));
	assert_ok(call(PT_PROTECT, pt, AT, 2, RX));
	assert_int_equal(rights_at(pt, AT), LIMPET_READ);
	assert_int_equal(rights_at(pt, AT + LIMPET_PAGE), RX);
	assert_ok(call(PT_PROTECT, pt, AT, 2, RW));
	assert_int_equal(rights_at(pt, AT), LIMPET_READ);
	assert_int_equal(rights_at(pt, AT + LIMPET_PAGE), LIMPET_READ);
}

/* A frame can be mapped often, but its count never overflows. */
static void test_mapped_too_often(void **state)
{
	word pt = page_table_new(7), frames = frames_new(1), frame = cap_at(frames)->a;

	(void)state;
	machine.partial = true;
	machine.pool->state[frame] = LIMPET_FRAME_MAPS_MAX - 1;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, RW));
	assert_status(call(PT_MAP, pt, frames, 0, AT + LIMPET_PAGE, 1, RW), EBUSY);
	machine.pool->state[frame] = 1;
}

/* A frame that a guest can have mapped can still be mapped by components. It cannot become a kernel object. */
static void test_lent_frames(void **state)
{
	word pt = page_table_new(7), frames = frames_new(1), frame = cap_at(frames)->a,
	     to = slot_new();

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, RW));
	frame_lend(machine.pool, frame);
	assert_ok(call(PT_MAP, pt, frames, 0, AT + LIMPET_PAGE, 1, RW));
	machine.pool->state[frame] = FRAME_LENT | LIMPET_FRAME_MAPS_MAX;
	assert_status(call(PT_MAP, pt, frames, 0, AT + 2 * LIMPET_PAGE, 1, RW), EBUSY);
	machine.pool->state[frame] = FRAME_LENT | 2;
	assert_ok(call(PT_UNMAP, pt, AT, 2));
	assert_status(call(FRAME_RETYPE, frames, LIMPET_ENDPOINT, T, to, 0), EBUSY);
	assert_status(call(PT_EXTEND, pt, frames), EBUSY);
	machine.pool->state[frame] = 0;
	assert_ok(call(PT_EXTEND, pt, frames));
}

/* Pages of the image are shared by all CPUs, and are not counted. */
static void test_shared_frames(void **state)
{
	word pt = page_table_new(7);

	(void)state;
	assert_ok(call(PT_MAP, pt, LIMPET_BOOT_IMAGE, 0, AT, 2, LIMPET_READ));
	assert_status(call(PT_MAP, pt, LIMPET_BOOT_IMAGE, 0, AT, 2, RW), ERIGHTS);
	assert_ok(call(PT_MAP, pt, LIMPET_BOOT_IMAGE, 0, AT + 2 * LIMPET_PAGE, 2, RX));
	assert_ok(call(PT_UNMAP, pt, AT + 2 * LIMPET_PAGE, 2));
	assert_int_equal(machine.pool->state[machine.image], FRAME_SEALED);
	assert_ok(call(PT_UNMAP, pt, AT, 2));
	assert_int_equal(machine.pool->state[machine.image], FRAME_SEALED);
}

/* Each step of a deletion frees the pages of one lowest-level table. */
static void test_delete_in_steps(void **state)
{
	word used = frames_used(), pt = page_table_new(1 + 9), frames = frames_new(8);
	unsigned int steps = 0;

	(void)state;
	for (word i = 0; i < 4; i++)
		assert_ok(call(PT_MAP, pt, frames, i, AT + i * (1ul << 21), 1, RW));
	while (call(CAP_DELETE, T, pt) == LIMPET_EAGAIN)
		steps++;
	assert_int_equal(steps, 4);
	assert_int_equal(frames_used(), used);
}

/*
 * Frames may be free again while translations to them are still cached, so no component may use
 * them.
 */
static void test_deletion_started(void **state)
{
	word pt = page_table_new(1 + 9), frames = frames_new(8);
	word c = object_new(LIMPET_COMPONENT, 1), table = object_new(LIMPET_TABLE, 1);

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 8, RW));
	assert_status(call(CAP_DELETE, T, pt), EAGAIN);
	assert_int_equal(machine.pool->state[cap_at(frames)->a], 0);
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, RW), ESLOT);
	assert_status(call(COMPONENT_ACTIVATE, c, pt, table, STACKS, STACK_SHIFT, 1), ESLOT);
	assert_ok(delete_all(pt));
}

static void test_read_errors(void **state)
{
	word pt = page_table_new(7), frames = frames_new(1),
	     few = weaker(pt, LIMPET_ALL & ~LIMPET_MANAGE);

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, RW));
	assert_status(call(MEMORY_READ, EMPTY, AT), ESLOT);
	assert_status(call(MEMORY_READ, frames, AT), ETYPE);
	assert_status(call(MEMORY_READ, few, AT), ERIGHTS);
	assert_status(call(MEMORY_READ, pt, AT + 4), EALIGN);
	assert_status(call(MEMORY_READ, pt, LIMPET_USER_END), ERANGE);
	assert_status(call(MEMORY_READ, pt, 0), ENOENT);
	assert_status(call(MEMORY_READ, pt, AT - 8), ENOENT);
	assert_status(call(MEMORY_READ, pt, LIMPET_USER_END - 8), ENOENT);
	assert_ok(call(MEMORY_READ, pt, AT));
}

/* Reads words at the end of a page, of the next one, and where no page is mapped. */
static void test_read(void **state)
{
	word pt = page_table_new(7), frames = frames_new(2);
	word *memory = frame_memory(machine.pool, cap_at(frames)->a);

	(void)state;
	ASAN_UNPOISON_MEMORY_REGION(memory, 2 * LIMPET_PAGE);
	memory[510] = 10, memory[511] = 11, memory[512] = 12, memory[1023] = 13;
	ASAN_POISON_MEMORY_REGION(memory, 2 * LIMPET_PAGE);
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 2, RW));
	assert_ok(call(MEMORY_READ, pt, AT + 510 * 8));
	assert_memory_equal(user->words, ((word[]){ 10, 11, 12 }), 24);
	assert_ok(call(MEMORY_READ, pt, AT + 1023 * 8));
	assert_memory_equal(user->words, ((word[]){ 13, 0, 0 }), 24);
}

static void test_write_errors(void **state)
{
	word pt = page_table_new(7), frames = frames_new(1),
	     few = weaker(pt, LIMPET_ALL & ~LIMPET_WRITE);

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, LIMPET_READ));
	assert_status(call(MEMORY_WRITE, EMPTY, AT, 0, 1), ESLOT);
	assert_status(call(MEMORY_WRITE, frames, AT, 0, 1), ETYPE);
	assert_status(call(MEMORY_WRITE, few, AT, 0, 1), ERIGHTS);
	assert_status(call(MEMORY_WRITE, weaker(pt, LIMPET_WRITE), AT, 0, 1), ERIGHTS);
	assert_status(call(MEMORY_WRITE, pt, LIMPET_USER_END, 0, 1), ERANGE);
	assert_status(call(MEMORY_WRITE, pt, AT, 0, 0), ERANGE);
	assert_status(call(MEMORY_WRITE, pt, AT, 0, 9), ERANGE);
	assert_status(call(MEMORY_WRITE, pt, AT + 4, 0, 5), ERANGE);
	assert_status(call(MEMORY_WRITE, pt, AT, 0, ~0ul), ERANGE);
	assert_status(call(MEMORY_WRITE, pt, AT - 1, 0, 1), ENOENT);
	assert_status(call(MEMORY_WRITE, pt, LIMPET_USER_END - 1, 0, 1), ENOENT);
}

/* Writes bytes of a page that is mapped without LIMPET_WRITE. The other bytes do not change. */
static void test_write(void **state)
{
	word pt = page_table_new(7), frames = frames_new(1);
	word *memory = frame_memory(machine.pool, cap_at(frames)->a);

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, LIMPET_READ | LIMPET_EXEC));
	assert_ok(call(MEMORY_WRITE, pt, AT, 0x1122334455667788, 8));
	assert_ok(call(MEMORY_WRITE, pt, AT + 3, 0xaabbcc, 2));
	assert_ok(call(MEMORY_WRITE, pt, AT + LIMPET_PAGE - 1, 0xcc, 1));
	ASAN_UNPOISON_MEMORY_REGION(memory, LIMPET_PAGE);
	assert_int_equal(memory[0], 0x112233bbcc667788);
	assert_int_equal(memory[511], 0xccul << 56);
	ASAN_POISON_MEMORY_REGION(memory, LIMPET_PAGE);
}

/* MEMORY_WRITE refuses the image's tables, because the module has checked them. A debugger can change the contents. */
static void test_write_image(void **state)
{
	const u8 *image = frame_memory(machine.pool, machine.image);
	word header = BOOT_IMAGE_ADDRESS, contents = header + LIMPET_PAGE;

	(void)state;
	assert_status(call(MEMORY_WRITE, LIMPET_BOOT_PAGE_TABLE, header, ~image[0], 1), ENOENT);
	assert_ok(call(MEMORY_WRITE, LIMPET_BOOT_PAGE_TABLE, contents + 8, 0xcc, 1));
	assert_int_equal(image[0], LIMPET_IMAGE_MAGIC & 0xff);
	assert_int_equal(image[LIMPET_PAGE + 8], 0xcc);
}

static void test_hold_errors(void **state)
{
	word pt = page_table_new(7), none = object_new(LIMPET_PAGE_TABLE, 1);

	(void)state;
	assert_status(call(PT_HOLD, EMPTY, 1), ESLOT);
	assert_status(call(PT_HOLD, T, 1), ETYPE);
	assert_status(call(PT_HOLD, weaker(pt, LIMPET_ALL & ~LIMPET_MANAGE), 1), ERIGHTS);
	assert_status(call(PT_HOLD, pt, 2), ERANGE);
	assert_status(call(PT_HOLD, none, 1), ESTATE);
}

/* Only the highest level changes. A page that is mapped later below an existing entry is also held. */
static void test_hold(void **state)
{
	word pt = page_table_new(7), frames = frames_new(2);
	struct hal_page_table *hal = &((struct page_table *)cap_at(pt)->object)->hal;
	unsigned int rights;

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, LIMPET_READ | LIMPET_EXEC));
	assert_ok(call(PT_HOLD, pt, 1));
	assert_ok(call(PT_HOLD, pt, 1));
	assert_true(hal->root[0] >> 63);
	assert_ok(call(PT_MAP, pt, frames, 1, AT + LIMPET_PAGE, 1, RW));
	assert_non_null(fake_lookup(hal, AT, &rights));
	assert_int_equal(rights, LIMPET_READ | LIMPET_EXEC);
	for (unsigned int i = 1; i < 512; i++)
		assert_int_equal(hal->root[i], 0);
	assert_ok(call(PT_HOLD, pt, 0));
	assert_false(hal->root[0] >> 63);
	assert_ok(call(PT_HOLD, pt, 1));
	assert_ok(delete_all(pt));
}

/* Device registers are not read, because a read can have side effects. */
static void test_read_no_device(void **state)
{
	word pt = page_table_new(7), device = slot_new();

	(void)state;
	assert_ok(call(RESOURCE_CREATE, LIMPET_BOOT_CPU, RESOURCE_MEMORY, T, device));
	assert_ok(call(PT_MAP, pt, device, 0, AT, 1, RW));
	assert_status(call(MEMORY_READ, pt, AT), ENOENT);
	assert_status(call(MEMORY_WRITE, pt, AT, 0, 1), ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_map),
		TEST(test_read_errors),
		TEST(test_read),
		TEST(test_read_no_device),
		TEST(test_write_errors),
		TEST(test_write),
		TEST(test_write_image),
		TEST(test_lent_frames),
		TEST(test_hold_errors),
		TEST(test_hold),
		TEST(test_map_errors),
		TEST(test_map_addresses),
		TEST(test_map_full),
		TEST(test_levels_run_out),
		TEST(test_levels_run_out_midway),
		TEST(test_extend_errors),
		TEST(test_extend_often),
		TEST(test_no_root),
		TEST(test_unmap_errors),
		TEST(test_protect_errors),
		TEST(test_protect),
		TEST(test_mapped_too_often),
		TEST(test_shared_frames),
		TEST(test_delete_in_steps),
		TEST(test_deletion_started),
	};

	return RUN("page_table", tests);
}
