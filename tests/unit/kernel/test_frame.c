// SPDX-License-Identifier: GPL-2.0
/* Tests frames: split and retype. A frame is never both mapped and a kernel object, and no frame is lost. */
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

/* A split into another table needs the right to grant. */
static void test_split_needs_grant(void **state)
{
	struct built b = component_new(1);
	word kept = weaker(frames_new(4), LIMPET_ALL & ~LIMPET_GRANT);

	(void)state;
	assert_status(call(FRAME_SPLIT, kept, 1, b.table, 1), ERIGHTS);
	assert_ok(call(FRAME_SPLIT, kept, 1, T, EMPTY));
	assert_int_equal(cap_at(EMPTY)->rights, LIMPET_ALL & ~LIMPET_GRANT);
}

/* An object does not get rights that its frames do not have. */
static void test_retype_rights(void **state)
{
	struct built b = component_new(1);
	word kept = weaker(frames_new(1), LIMPET_ALL & ~LIMPET_GRANT);
	word few = weaker(frames_new(1), LIMPET_READ | LIMPET_MANAGE);

	(void)state;
	assert_status(call(FRAME_RETYPE, kept, LIMPET_ENDPOINT, b.table, 1), ERIGHTS);
	assert_ok(call(FRAME_RETYPE, kept, LIMPET_ENDPOINT, T, EMPTY));
	assert_int_equal(cap_at(EMPTY)->rights, LIMPET_ALL & ~LIMPET_GRANT);
	assert_status(call(CAP_COPY, T, EMPTY, b.table, 1, LIMPET_ALL), ERIGHTS);
	assert_ok(call(FRAME_RETYPE, few, LIMPET_ENDPOINT, T, EMPTY - 1));
	assert_int_equal(cap_at(EMPTY - 1)->rights, LIMPET_READ | LIMPET_MANAGE);
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

/* Refuses a wrong number of frames for each type. A single frame can hold more objects until it is full. */
static void test_retype_sizes(void **state)
{
	static const word max[LIMPET_TYPES] = {
		[LIMPET_TABLE] = 72, [LIMPET_PAGE_TABLE] = 1, [LIMPET_COMPONENT] = 1,
		[LIMPET_THREAD] = 4, [LIMPET_ENDPOINT] = 1,
	};
	static const bool part[LIMPET_TYPES] = {
		[LIMPET_PAGE_TABLE] = true, [LIMPET_COMPONENT] = true, [LIMPET_ENDPOINT] = true
	};
	word used = frames_used();

	(void)state;
	for (word count = 1; count <= 73; count++) {
		word frames = frames_new(count);

		for (word type = 0; type < LIMPET_TYPES; type++) {
			bool fits = count <= max[type];

			assert_int_equal(call(FRAME_RETYPE, frames, type, T, EMPTY),
					 fits ? LIMPET_OK : LIMPET_ERANGE);
			if (!fits)
				continue;
			assert_int_equal(frames_used(), used + count);
			assert_int_equal(call(FRAME_RETYPE, frames, type, T, EMPTY - 1),
					 part[type] ? LIMPET_OK : LIMPET_EBUSY);
			assert_int_equal(frames_used(), used + count);
			assert_ok(part[type] ? delete_all(EMPTY - 1) : LIMPET_OK);
			assert_ok(delete_all(EMPTY));
			assert_int_equal(frames_used(), used);
		}
		assert_ok(call(CAP_DELETE, T, frames));
		if (count % 16 == 0)
			assert_true(machine_boot(1, 1024));
	}
}

/* A size of a table or thread must need all of the frames. */
static void test_retype_size(void **state)
{
	const word depth = LIMPET_DEPTH_MIN;
	word one = frames_new(1), two = frames_new(2);

	(void)state;
	assert_status(call(FRAME_RETYPE, one, LIMPET_TABLE, T, EMPTY, LIMPET_SLOTS_MAX + 1),
		      ERANGE);
	assert_status(call(FRAME_RETYPE, one, LIMPET_TABLE, T, EMPTY, ~0ul), ERANGE);
	assert_status(call(FRAME_RETYPE, one, LIMPET_TABLE, T, EMPTY, 64), ERANGE);
	assert_status(call(FRAME_RETYPE, two, LIMPET_TABLE, T, EMPTY, 63), ERANGE);
	assert_status(call(FRAME_RETYPE, one, LIMPET_THREAD, T, EMPTY, depth - 1), ENOMEM);
	assert_status(call(FRAME_RETYPE, one, LIMPET_THREAD, T, EMPTY, 1000), ERANGE);
	assert_status(call(FRAME_RETYPE, two, LIMPET_THREAD, T, EMPTY, depth), ERANGE);
	assert_ok(call(FRAME_RETYPE, two, LIMPET_TABLE, T, EMPTY, 64));
	assert_int_equal(((struct table *)cap_at(EMPTY)->object)->slots, 64);
	assert_ok(delete_all(EMPTY));
	assert_ok(call(FRAME_RETYPE, one, LIMPET_TABLE, T, EMPTY, 1));
	assert_int_equal(((struct table *)cap_at(EMPTY)->object)->slots, 1);
	assert_ok(call(FRAME_RETYPE, one, LIMPET_THREAD, T, EMPTY - 1, depth));
	assert_ptr_equal(thread_of(EMPTY - 1)->last, thread_of(EMPTY - 1)->frame + depth);
	assert_ok(delete_all(EMPTY));
	assert_ok(delete_all(EMPTY - 1));
}

/* A frame holds as many objects as fit. The deletion of one does not change the others. */
static void test_packed(void **state)
{
	word used = frames_used(), frames = frames_new(1), first, count = 0, slots[33];
	long status;

	(void)state;
	while (!(status =
			 call(FRAME_RETYPE, frames, LIMPET_ENDPOINT, T, slots[count] = slot_new())))
		assert_true(++count < countof(slots));
	first = cap_at(frames)->a;
	assert_int_equal(status, LIMPET_EBUSY);
	assert_int_equal(count, LIMPET_PAGE / LIMPET_ENDPOINT_SIZE);
	assert_int_equal(frames_used(), used + 1);
	for (word i = 0; i < count; i++)
		assert_ptr_equal(endpoint_of(slots[i]), (u8 *)frame_memory(machine.pool, first) +
								i * LIMPET_ENDPOINT_SIZE);
	for (word i = 1; i < count; i++) {
		assert_ok(delete_all(slots[i]));
		assert_status(call(PT_MAP, LIMPET_BOOT_PAGE_TABLE, frames, 0, AT, 1, LIMPET_READ),
			      EBUSY);
		assert_status(call(FRAME_RETYPE, frames, LIMPET_ENDPOINT, T, EMPTY), EBUSY);
		assert_int_equal(endpoint_of(slots[0])->object.type, LIMPET_ENDPOINT);
	}
	assert_ok(delete_all(slots[0]));
	assert_int_equal(frames_used(), used);
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_ENDPOINT, T, EMPTY));
	assert_ok(revoke_all(frames));
	assert_int_equal(frames_used(), used);
}

/* A frame with too little free space only accepts a small object. */
static void test_packed_space(void **state)
{
	word frames = frames_new(1), copy = weaker(frames, LIMPET_ALL), more = frames_new(2);

	(void)state;
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, EMPTY, 62 - 1));
	assert_status(call(FRAME_RETYPE, copy, LIMPET_TABLE, T, EMPTY - 1, 2), EBUSY);
	assert_status(call(FRAME_RETYPE, copy, LIMPET_TABLE, T, EMPTY - 1), EBUSY);
	assert_status(call(PT_EXTEND, LIMPET_BOOT_PAGE_TABLE, copy), EBUSY);
	assert_status(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, copy, 0, 0, T, EMPTY - 1), EBUSY);
	assert_ok(call(FRAME_RETYPE, copy, LIMPET_TABLE, T, EMPTY - 1, 1));
	assert_status(call(FRAME_RETYPE, copy, LIMPET_PAGE_TABLE, T, EMPTY - 2), EBUSY);
	assert_ok(call(FRAME_SPLIT, copy = weaker(more, LIMPET_ALL), 1, T, EMPTY - 2));
	assert_ok(call(FRAME_RETYPE, EMPTY - 2, LIMPET_ENDPOINT, T, EMPTY - 3));
	assert_status(call(FRAME_RETYPE, more, LIMPET_TABLE, T, EMPTY - 4), EBUSY);
}

/* All frames of a new object are cleared. A table's size depends on their number. */
static void test_retype_table(void **state)
{
	word table = object_new(LIMPET_TABLE, 72);

	(void)state;
	assert_ok(call(CAP_COPY, T, T, table, LIMPET_SLOTS_MAX - 1, LIMPET_ALL));
	assert_status(call(CAP_COPY, T, T, table, LIMPET_SLOTS_MAX, LIMPET_ALL), ESLOT);
}

/* A frame is either mapped or part of an object, for any capabilities to it. */
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

/* If one of several frames is in use, the call takes no frame. */
static void test_retype_all_or_none(void **state)
{
	word frames = frames_new(4), copy = weaker(frames, LIMPET_ALL), part = slot_new();

	(void)state;
	assert_ok(call(FRAME_SPLIT, copy, 3, T, part)); /* copy then only has the last frame */
	assert_ok(call(FRAME_RETYPE, copy, LIMPET_ENDPOINT, T, EMPTY));
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, EMPTY - 1), EBUSY);
}

/* Other objects share the last frame of a large object, and stay after its deletion. */
static void test_packed_behind(void **state)
{
	word used = frames_used(), frames = frames_new(2), last = weaker(frames, LIMPET_ALL),
	     part = slot_new();

	(void)state;
	assert_ok(call(FRAME_SPLIT, last, 1, T, part));
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, EMPTY, 64));
	assert_status(call(FRAME_RETYPE, part, LIMPET_ENDPOINT, T, EMPTY - 1), EBUSY);
	assert_status(call(FRAME_RETYPE, last, LIMPET_TABLE, T, EMPTY - 1, 63), EBUSY);
	assert_ok(call(FRAME_RETYPE, last, LIMPET_TABLE, T, EMPTY - 1, 62));
	assert_ptr_equal(cap_at(EMPTY - 1)->object,
			 (u8 *)cap_at(EMPTY)->object + LIMPET_PAGE + LIMPET_OBJECT_ALIGN);
	assert_int_equal(frames_used(), used + 2);
	assert_ok(delete_all(EMPTY));
	assert_int_equal(frames_used(), used + 1);
	assert_status(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, EMPTY, 64), EBUSY);
	assert_ok(call(FRAME_RETYPE, part, LIMPET_ENDPOINT, T, EMPTY));
	assert_ok(delete_all(EMPTY - 1));
	assert_ok(delete_all(EMPTY));
	assert_int_equal(frames_used(), used);
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, EMPTY, 64));
	assert_ok(delete_all(EMPTY));
}

static void test_spaces_run_out(void **state)
{
	word frames = frames_new(1);
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
	assert_int_equal(((struct page_table *)memory)->hal.space, 511);
	memcpy(cpu->spaces, spaces, sizeof(spaces));
	cpu->spaces[7] |= 1ul << 63;
	machine.checks = 1;
	assert_ok(delete_all(EMPTY));
}

/* Frames of objects of all types can be used again, and are then zeroed. */
static void test_cycles_leak_nothing(void **state)
{
	static const word types[] = { LIMPET_TABLE, LIMPET_PAGE_TABLE, LIMPET_THREAD };
	word all[] = { frames_new(2), frames_new(1), frames_new(2) }, used = frames_used();

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		word frames = all[i % 3];

		assert_ok(call(FRAME_RETYPE, frames, types[i % 3], T, EMPTY));
		assert_ok(i % 2 ? delete_all(EMPTY) : revoke_all(frames));
		assert_int_equal(frames_used(), used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_split_errors),
		TEST(test_split),
		TEST(test_split_needs_grant),
		TEST(test_retype_rights),
		TEST(test_retype_errors),
		TEST(test_retype_sizes),
		TEST(test_retype_table),
		TEST(test_retype_size),
		TEST(test_packed),
		TEST(test_packed_space),
		TEST(test_packed_behind),
		TEST(test_mapped_or_object),
		TEST(test_retype_all_or_none),
		TEST(test_spaces_run_out),
		TEST(test_cycles_leak_nothing),
	};

	return RUN("frame", tests);
}
