// SPDX-License-Identifier: GPL-2.0
/* Frames: split, retype; never both mapped and a kernel object; nothing leaks. */
#include "objects.h"

#define AT 0x10000000ul

static void test_split_errors(void **state)
{
	word frames = frames_new(4), few = weaker(frames, LIMPET_ALL & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(FRAME_SPLIT, EMPTY, 1, T, EMPTY), ESLOT);
	assert_status(call(FRAME_SPLIT, T, 1, T, EMPTY), ETYPE);
	assert_status(call(FRAME_SPLIT, few, 1, T, EMPTY), ERIGHTS);
	assert_status(call(FRAME_SPLIT, frames, 1, EMPTY, EMPTY), ESLOT);
	assert_status(call(FRAME_SPLIT, frames, 1, frames, EMPTY), ETYPE);
	assert_status(call(FRAME_SPLIT, frames, 1, T, 0), ESLOT);
	assert_status(call(FRAME_SPLIT, frames, 1, T, 5000), ESLOT);
	assert_status(call(FRAME_SPLIT, frames, 1, T, frames), EFULL);
	assert_status(call(FRAME_SPLIT, frames, 0, T, EMPTY), ERANGE);
	assert_status(call(FRAME_SPLIT, frames, 4, T, EMPTY), ERANGE);
	assert_status(call(FRAME_SPLIT, frames, ~0ul, T, EMPTY), ERANGE);
}

static void test_split(void **state)
{
	word frames = frames_new(10), first = cap_at(frames)->a;

	(void)state;
	assert_ok(call(FRAME_SPLIT, frames, 4, T, EMPTY));
	assert_int_equal(cap_at(EMPTY)->a, first);
	assert_int_equal(cap_at(EMPTY)->b, 4);
	assert_int_equal(cap_at(frames)->a, first + 4);
	assert_int_equal(cap_at(frames)->b, 6);
	assert_int_equal(cap_at(EMPTY)->depth, cap_at(frames)->depth);
}

/* To split frames off into another table is to give them. */
static void test_split_needs_grant(void **state)
{
	struct built b = component_new(1);
	word kept = weaker(frames_new(4), LIMPET_ALL & ~LIMPET_GRANT);

	(void)state;
	assert_status(call(FRAME_SPLIT, kept, 1, b.table, 1), ERIGHTS);
	assert_ok(call(FRAME_SPLIT, kept, 1, T, EMPTY));
	assert_int_equal(cap_at(EMPTY)->rights, LIMPET_ALL & ~LIMPET_GRANT);
}

static void test_retype_errors(void **state)
{
	word frames = frames_new(1), few = weaker(frames, LIMPET_ALL & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(FRAME_RETYPE, EMPTY, LIMPET_TABLE, T, EMPTY), ESLOT);
	assert_status(call(FRAME_RETYPE, T, LIMPET_TABLE, T, EMPTY), ETYPE);
	assert_status(call(FRAME_RETYPE, few, LIMPET_TABLE, T, EMPTY), ERIGHTS);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TABLE, EMPTY, EMPTY), ESLOT);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TABLE, frames, EMPTY), ETYPE);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, 0), ESLOT);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, T), EFULL);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TYPES, T, EMPTY), ERANGE);
	assert_status(call(FRAME_RETYPE, frames, ~0ul, T, EMPTY), ERANGE);
}

/* Each type takes its number of frames, and no other. */
static void test_retype_sizes(void **state)
{
	static const struct {
		word least, most;
	} sizes[LIMPET_TYPES] = {
		[LIMPET_TABLE] = { 1, 72 },    [LIMPET_PAGE_TABLE] = { 2, 64 },
		[LIMPET_COMPONENT] = { 1, 1 }, [LIMPET_THREAD] = { 1, 4 },
		[LIMPET_ENDPOINT] = { 1, 1 },
	};
	word used = frames_used();

	(void)state;
	for (word count = 1; count <= 73; count++) {
		word frames = frames_new(count);

		for (word type = 0; type < LIMPET_TYPES; type++) {
			bool fits = count >= sizes[type].least && count <= sizes[type].most;

			assert_int_equal(call(FRAME_RETYPE, frames, type, T, EMPTY),
					 fits ? LIMPET_OK : LIMPET_ERANGE);
			if (!fits)
				continue;
			assert_int_equal(frames_used(), used + count);
			assert_status(call(FRAME_RETYPE, frames, type, T, EMPTY - 1), EBUSY);
			assert_ok(delete_all(EMPTY));
			assert_int_equal(frames_used(), used);
		}
		assert_ok(call(CAP_DELETE, T, frames));
		if (count % 16 == 0)
			assert_true(machine_boot(1, 1024));
	}
}

/* All frames of an object come clean; a table's size follows. */
static void test_retype_table(void **state)
{
	word table = object_new(LIMPET_TABLE, 72);

	(void)state;
	assert_ok(call(CAP_COPY, T, T, table, LIMPET_SLOTS_MAX - 1, LIMPET_ALL));
	assert_status(call(CAP_COPY, T, T, table, LIMPET_SLOTS_MAX, LIMPET_ALL), ESLOT);
}

/* A frame is mapped or an object's, whatever capabilities there are. */
static void test_mapped_or_object(void **state)
{
	word frames = frames_new(1), copy = weaker(frames, LIMPET_ALL);
	const word pt = LIMPET_BOOT_PAGE_TABLE, rights = LIMPET_READ | LIMPET_WRITE;

	(void)state;
	assert_ok(call(PT_MAP, pt, frames, 0, AT, 1, rights));
	assert_ok(call(PT_MAP, pt, copy, 0, AT + LIMPET_PAGE, 1, LIMPET_READ));
	assert_status(call(FRAME_RETYPE, copy, LIMPET_ENDPOINT, T, EMPTY), EBUSY);
	assert_ok(call(PT_UNMAP, pt, AT, 1));
	assert_status(call(FRAME_RETYPE, frames, LIMPET_ENDPOINT, T, EMPTY), EBUSY);
	assert_status(call(PT_EXTEND, pt, frames), EBUSY);
	assert_ok(call(PT_UNMAP, pt, AT + LIMPET_PAGE, 1));
	assert_ok(call(FRAME_RETYPE, copy, LIMPET_ENDPOINT, T, EMPTY));
	machine.partial = true; /* lower levels stay */
	assert_status(call(PT_MAP, pt, frames, 0, AT, 1, rights), EBUSY);
	assert_status(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames, 0, 0, T, EMPTY - 1), EBUSY);
}

/* One frame of many is in use: none is taken. */
static void test_retype_all_or_none(void **state)
{
	word frames = frames_new(4), copy = weaker(frames, LIMPET_ALL), part = slot_new();

	(void)state;
	assert_ok(call(FRAME_SPLIT, copy, 3, T, part)); /* copy: the last one alone */
	assert_ok(call(FRAME_RETYPE, copy, LIMPET_ENDPOINT, T, EMPTY));
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, EMPTY - 1), EBUSY);
}

static void test_spaces_run_out(void **state)
{
	word frames = frames_new(2);
	u8 *memory = frame_memory(machine.pool, cap_at(frames)->a);
	u64 spaces[countof(cpu->spaces)];

	(void)state;
	memcpy(spaces, cpu->spaces, sizeof(spaces));
	memset(cpu->spaces, 0xff, sizeof(spaces));
	machine.checks = 0;
	assert_status(call(FRAME_RETYPE, frames, LIMPET_PAGE_TABLE, T, EMPTY), ENOMEM);
	assert_int_equal(machine.pool->state[cap_at(frames)->a], 0);
	cpu->spaces[7] = ~(1ul << 63);
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_PAGE_TABLE, T, EMPTY));
	assert_int_equal(((struct page_table *)memory)->space, 511);
	memcpy(cpu->spaces, spaces, sizeof(spaces));
	cpu->spaces[7] |= 1ul << 63;
	machine.checks = 1;
	assert_ok(delete_all(EMPTY));
}

/* Whatever was made of them, the same frames can be used again, and come back clean. */
static void test_cycles_leak_nothing(void **state)
{
	static const word types[] = { LIMPET_TABLE, LIMPET_PAGE_TABLE, LIMPET_THREAD };
	word frames = frames_new(2), used = frames_used();

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		assert_ok(call(FRAME_RETYPE, frames, types[i % 3], T, EMPTY));
		assert_ok(i % 2 ? delete_all(EMPTY) : revoke_all(frames));
		assert_int_equal(frames_used(), used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_split_errors),      TEST(test_split),
		TEST(test_split_needs_grant), TEST(test_retype_errors),
		TEST(test_retype_sizes),      TEST(test_retype_table),
		TEST(test_mapped_or_object),  TEST(test_retype_all_or_none),
		TEST(test_spaces_run_out),    TEST(test_cycles_leak_nothing),
	};

	return RUN("frame", tests);
}
