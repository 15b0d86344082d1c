// SPDX-License-Identifier: GPL-2.0
/* Tests copy, move, delete and revoke: errors, rights, and derived capabilities. */
#include "objects.h"

#define SLOTS 63 /* slots of a table of one frame */

static word type_of(word table, word slot)
{
	return call(CAP_INFO, table, slot) ? LIMPET_NONE : user->words[0];
}

static void test_info(void **state)
{
	word frames = frames_new(7), few = weaker(frames, LIMPET_READ);

	(void)state;
	assert_ok(call(CAP_INFO, T, frames));
	assert_int_equal(user->words[0], LIMPET_FRAMES);
	assert_int_equal(user->words[1], LIMPET_ALL);
	assert_int_equal(user->words[2], 7);
	assert_ok(call(CAP_INFO, T, few));
	assert_int_equal(user->words[1], LIMPET_READ);
	assert_ok(call(CAP_INFO, T, LIMPET_BOOT_CPU));
	assert_int_equal(user->words[2], 0);
}

static word life_of(word slot)
{
	assert_ok(call(CAP_INFO, T, slot));
	assert_int_equal(user->words[0], LIMPET_COMPONENT);
	return user->words[2];
}

/*
 * A capability without rights is enough to read how often a component was stopped, and whether it
 * is closed.
 */
static void test_info_of_components(void **state)
{
	struct built b = component_new(1);
	word look = weaker(b.component, 0);

	(void)state;
	assert_int_equal(life_of(look), 0);
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_int_equal(life_of(look), 1);
	assert_status(call(COMPONENT_STOP, look, LIMPET_STOP_CLOSE), ERIGHTS);
	assert_ok(call(COMPONENT_STOP, b.component, LIMPET_STOP_CLOSE));
	assert_int_equal(life_of(look), LIMPET_CLOSED | 2);
	assert_ok(call(COMPONENT_OPEN, b.component));
	assert_int_equal(life_of(look), 2);
	assert_int_equal(user->words[1], 0);
}

/* Checks the results of CAP_INFO, _COPY, _MOVE, _DELETE and _REVOKE for T and the slot in it. */
static void test_table_errors(void **state)
{
	static const word ops[] = { LIMPET_CALL_CAP_INFO, LIMPET_CALL_CAP_DELETE,
				    LIMPET_CALL_CAP_REVOKE, LIMPET_CALL_CAP_COPY,
				    LIMPET_CALL_CAP_MOVE };
	word few = weaker(T, LIMPET_ALL & ~LIMPET_MANAGE);

	(void)state;
	for (unsigned int i = 0; i < countof(ops); i++) {
		const word bad[][6] = {
			{ EMPTY, T, T, EMPTY, 31 },	  { 0, T, T, EMPTY, 31 },
			{ 1023, T, T, EMPTY, 31 },	  { ~0ul, T, T, EMPTY, 31 },
			{ T, EMPTY, T, EMPTY, 31 },	  { T, 0, T, EMPTY, 31 },
			{ T, 1023, T, EMPTY, 31 },	  { T, ~0ul, T, EMPTY, 31 },
			{ LIMPET_BOOT_CPU, T, T, EMPTY }, { few, T, T, EMPTY, 31 },
		};

		for (unsigned int j = 0; j < 8; j++)
			assert_status(call_words(ops[i], bad[j]), ESLOT);
		assert_status(call_words(ops[i], bad[8]), ETYPE);
		assert_status(call_words(ops[i], bad[9]), ERIGHTS);
	}
}

static void test_destination_errors(void **state)
{
	static const word ops[] = { LIMPET_CALL_CAP_COPY, LIMPET_CALL_CAP_MOVE };
	word few = weaker(T, LIMPET_ALL & ~LIMPET_MANAGE);

	(void)state;
	for (unsigned int i = 0; i < countof(ops); i++) {
		const word bad[][6] = {
			{ T, T, EMPTY, EMPTY, 31 },
			{ T, T, T, 0, 31 },
			{ T, T, T, 1023, 31 },
			{ T, T, T, ~0ul, 31 },
			{ T, T, LIMPET_BOOT_CPU, EMPTY, 31 },
			{ T, T, few, EMPTY, 31 },
			{ T, T, T, T, 31 },
			{ T, T, T, few, 31 },
		};

		for (unsigned int j = 0; j < 4; j++)
			assert_status(call_words(ops[i], bad[j]), ESLOT);
		assert_status(call_words(ops[i], bad[4]), ETYPE);
		assert_status(call_words(ops[i], bad[5]), ERIGHTS);
		assert_status(call_words(ops[i], bad[6]), EFULL);
		assert_status(call_words(ops[i], bad[7]), EFULL);
	}
}

static void test_grant(void **state)
{
	struct built b = component_new(1);
	word frames = frames_new(1), kept = weaker(frames, LIMPET_ALL & ~LIMPET_GRANT);
	word here = slot_new();

	(void)state;
	assert_status(call(CAP_COPY, T, kept, b.table, 1, LIMPET_ALL), ERIGHTS);
	assert_status(call(CAP_MOVE, T, kept, b.table, 1), ERIGHTS);
	assert_ok(call(CAP_COPY, T, kept, T, here, LIMPET_ALL));
	assert_int_equal(cap_at(here)->rights, LIMPET_ALL & ~LIMPET_GRANT); /* never more */
	assert_ok(call(CAP_MOVE, T, here, T, slot_new()));
	assert_ok(call(CAP_COPY, T, frames, b.table, 1, LIMPET_READ | LIMPET_GRANT));
	assert_ok(call(CAP_MOVE, b.table, 1, T, slot_new()));
}

static void test_depth(void **state)
{
	word slot = frames_new(1), next;

	(void)state;
	for (unsigned int depth = 0; depth < LIMPET_DERIVATION_MAX; depth++) {
		next = slot_new();
		assert_ok(call(CAP_COPY, T, slot, T, next, LIMPET_ALL));
		slot = next;
	}
	assert_status(call(CAP_COPY, T, slot, T, EMPTY, LIMPET_ALL), ERANGE);
	assert_ok(call(FRAME_RETYPE, slot, LIMPET_COMPONENT, T, next = slot_new()));
	assert_ok(call(GATE_CREATE, next, ENTRY, 0, T, EMPTY));
	assert_int_equal(cap_at(EMPTY)->depth, LIMPET_DERIVATION_MAX + 2);
	assert_status(call(CAP_COPY, T, EMPTY, T, slot_new(), LIMPET_ALL), ERANGE);
}

/* A moved capability keeps its place in the derivation. */
static void test_move(void **state)
{
	struct built b = component_new(1);
	word frames = frames_new(1), copy = weaker(frames, LIMPET_ALL), leaf = weaker(copy, 1);

	(void)state;
	assert_ok(call(CAP_MOVE, T, copy, b.table, 5));
	assert_int_equal(type_of(T, copy), LIMPET_NONE);
	assert_int_equal(type_of(b.table, 5), LIMPET_FRAMES);
	assert_ok(call(CAP_REVOKE, b.table, 5));
	assert_int_equal(type_of(T, leaf), LIMPET_NONE);
	assert_ok(call(CAP_REVOKE, T, frames));
	assert_int_equal(type_of(b.table, 5), LIMPET_NONE);
}

static void test_delete_takes_derived(void **state)
{
	word frames = frames_new(1), a = weaker(frames, 31), b = weaker(a, 31),
	     c = weaker(frames, 31);

	(void)state;
	assert_ok(call(CAP_DELETE, T, a));
	assert_int_equal(type_of(T, a), LIMPET_NONE);
	assert_int_equal(type_of(T, b), LIMPET_NONE);
	assert_int_equal(type_of(T, c), LIMPET_FRAMES);
	assert_int_equal(type_of(T, frames), LIMPET_FRAMES);
}

static void test_revoke_keeps_itself(void **state)
{
	word frames = frames_new(2), other = frames_new(1), a = weaker(frames, 31),
	     b = weaker(a, 31);

	(void)state;
	assert_ok(call(CAP_REVOKE, T, frames));
	assert_int_equal(type_of(T, frames), LIMPET_FRAMES);
	assert_int_equal(type_of(T, other), LIMPET_FRAMES);
	assert_int_equal(type_of(T, a), LIMPET_NONE);
	assert_int_equal(type_of(T, b), LIMPET_NONE);
	assert_ok(call(CAP_REVOKE, T, frames));
}

static unsigned int filled(const struct table *table)
{
	unsigned int count = 0;

	for (u32 i = 0; i < table->slots; i++)
		count += table->slot[i].type != LIMPET_NONE;
	return count;
}

static void test_revoke_in_steps(void **state)
{
	word frames = frames_new(1);
	unsigned int calls = 0, before = filled(cpu->components[0]->table);
	long status;

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		weaker(frames, LIMPET_READ);
	do {
		unsigned int now = filled(cpu->components[0]->table);

		status = call(CAP_REVOKE, T, frames);
		assert_true(now - filled(cpu->components[0]->table) <= 32);
		assert_true(++calls < 6);
	} while (status == LIMPET_EAGAIN);
	assert_ok(status);
	assert_int_equal(calls, 4);
	assert_int_equal(filled(cpu->components[0]->table), before);
}

/* Fills table `table` with `count` endpoints, whose frames stay in the booter's. */
static void endpoints_give(word table, unsigned int first, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		assert_ok(call(FRAME_RETYPE, frames_new(1), LIMPET_ENDPOINT, table, first + i));
}

/* The bound applies to the whole call, for any nesting of tables. */
static void test_delete_is_bounded(void **state)
{
	word outer_frames = frames_new(1), outer = slot_new();
	long status;

	(void)state;
	assert_ok(call(FRAME_RETYPE, outer_frames, LIMPET_TABLE, T, outer));
	for (unsigned int i = 0; i < 6; i++) {
		word inner = object_new(LIMPET_TABLE, 1);

		endpoints_give(inner, 1, 20);
		assert_ok(call(CAP_MOVE, T, inner, outer, 1 + i));
	}
	machine.checks = 0;
	do {
		unsigned int before = registry_count;

		status = call(CAP_DELETE, T, outer);
		invariants();
		assert_true(before - registry_count <= 33);
	} while (status == LIMPET_EAGAIN);
	assert_ok(status);
}

/* Makes a large table that contains only names. */
static void test_names_are_bounded(void **state)
{
	word table = object_new(LIMPET_TABLE, 8);
	struct table *t = (struct table *)cap_at(table)->object;
	unsigned int calls = 0;
	long status;

	(void)state;
	machine.checks = 0;
	for (unsigned int i = 1; i < 500; i++)
		assert_ok(call(CAP_COPY, T, T, table, i, LIMPET_READ));
	do {
		unsigned int before = filled(t);

		status = call(CAP_DELETE, T, table);
		invariants();
		assert_true(!registry_has(t, 0) || before - filled(t) <= 32);
		calls++;
	} while (status == LIMPET_EAGAIN);
	assert_ok(status);
	assert_true(calls > 499 / 32);
	assert_false(registry_has(t, 0));
}

/* Frames are cleared when they are freed, and this time is also bounded. */
static void test_frames_are_bounded(void **state)
{
	word all = frames_new(20 * 16), used = frames_used(), work = weaker(all, LIMPET_ALL);
	long status;

	(void)state;
	for (unsigned int i = 0; i < 19; i++) {
		word part = slot_new();

		assert_ok(call(FRAME_SPLIT, work, 16, T, part));
		assert_ok(call(FRAME_RETYPE, part, LIMPET_TABLE, T, slot_new()));
	}
	do {
		word before = frames_used();

		status = call(CAP_REVOKE, T, all);
		assert_true(before - frames_used() <= 32 + 16);
	} while (status == LIMPET_EAGAIN);
	assert_ok(status);
	assert_int_equal(frames_used(), used);
}

static void test_table_in_itself(void **state)
{
	word frames = frames_new(1), table = slot_new(), used = frames_used();

	(void)state;
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, table));
	assert_ok(call(CAP_COPY, T, table, table, 7, LIMPET_ALL));
	endpoints_give(table, 8, 3);
	assert_ok(call(CAP_MOVE, T, table, table, 6)); /* both names are in it: unreachable */
	assert_int_equal(frames_used(), used + 4);
	assert_ok(call(CAP_REVOKE, T, frames));
	assert_int_equal(frames_used(), used);
}

/* Makes `depth` tables, each of which is in the previous one. The booter keeps their frames. */
static word tables_nest(unsigned int depth, word frames[])
{
	word first = slot_new(), outer = first, inner;

	assert_ok(call(FRAME_RETYPE, frames[0] = frames_new(1), LIMPET_TABLE, T, first));
	for (unsigned int i = 1; i < depth; i++) {
		inner = slot_new();
		assert_ok(call(FRAME_RETYPE, frames[i] = frames_new(1), LIMPET_TABLE, T, inner));
		assert_ok(call(CAP_COPY, T, inner, outer, 1, LIMPET_ALL));
		if (outer != first)
			assert_ok(call(CAP_MOVE, T, outer, outer, 2));
		outer = inner;
	}
	if (outer != first)
		assert_ok(call(CAP_MOVE, T, outer, outer, 2));
	return first;
}

static void test_nested_tables(void **state)
{
	word frames[8], used = frames_used(), outer;

	(void)state;
	for (unsigned int depth = 1; depth <= 8; depth++) {
		outer = tables_nest(depth, frames);
		assert_ok(delete_all(outer));
		for (unsigned int i = 1; i < depth; i++)
			assert_ok(revoke_all(frames[i]));
		assert_int_equal(frames_used(), used);
	}
}

/* The only name of each table is in the next table. */
static void test_tables_deep(void **state)
{
	word table[12], used = frames_used();

	(void)state;
	for (unsigned int i = 0; i < 12; i++)
		table[i] = object_new(LIMPET_TABLE, 1);
	for (unsigned int i = 11; i; i--)
		assert_ok(call(CAP_MOVE, T, table[i], table[i - 1], 1));
	assert_ok(delete_all(table[0]));
	assert_int_equal(frames_used(), used);
}

/* Two tables contain each other's only name. */
static void test_tables_in_circle(void **state)
{
	word used = frames_used();
	word a = object_new(LIMPET_TABLE, 1), frames_a = a - 1;
	word b = object_new(LIMPET_TABLE, 1), second = weaker(b, LIMPET_ALL);

	(void)state;
	assert_ok(call(CAP_MOVE, T, b, a, 1));
	assert_ok(call(CAP_MOVE, T, a, second, 1));
	assert_ok(call(CAP_DELETE, T, second));
	assert_int_equal(frames_used(), used + 2);
	assert_ok(call(CAP_REVOKE, T, frames_a));
	assert_int_equal(frames_used(), used);
}

/* A table contains its own frames, and either of them is deleted. */
static void test_frames_in_their_table(void **state)
{
	word used = frames_used();

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		word frames = frames_new(1), table = slot_new();

		assert_ok(call(FRAME_RETYPE, frames, LIMPET_TABLE, T, table));
		assert_ok(call(CAP_MOVE, T, frames, table, 1));
		assert_ok(i == 0   ? call(CAP_REVOKE, table, 1)
			  : i == 1 ? call(CAP_DELETE, table, 1)
				   : call(CAP_DELETE, T, table));
		assert_int_equal(type_of(T, table), LIMPET_NONE);
		assert_int_equal(frames_used(), used);
	}
}

/*
 * The split-off part is a sibling of the source, and capabilities derived from the source stay with
 * the source.
 */
static void test_split_keeps_children(void **state)
{
	struct built b = component_new(1);
	word frames = frames_new(8), part = slot_new();

	(void)state;
	assert_ok(call(CAP_COPY, T, frames, b.table, 1, LIMPET_ALL));
	assert_ok(call(FRAME_SPLIT, frames, 3, T, part));
	assert_ok(call(CAP_DELETE, T, part));
	assert_int_equal(type_of(b.table, 1), LIMPET_FRAMES);
	assert_ok(call(CAP_REVOKE, T, frames));
	assert_int_equal(type_of(b.table, 1), LIMPET_NONE);
}

/* After EAGAIN the name is deleted, and the same call continues. Then the slot is empty. */
static void test_deletion_started(void **state)
{
	word table = object_new(LIMPET_TABLE, 1), used = frames_used();

	(void)state;
	endpoints_give(table, 1, 40);
	assert_status(call(CAP_DELETE, T, table), EAGAIN);
	assert_status(call(CAP_COPY, T, T, table, 50, LIMPET_ALL), ESLOT);
	assert_status(call(CAP_INFO, T, table), ESLOT);
	assert_ok(delete_all(table));
	assert_status(call(CAP_DELETE, T, table), ESLOT);
	assert_int_equal(frames_used(), used - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_info),
		TEST(test_info_of_components),
		TEST(test_table_errors),
		TEST(test_destination_errors),
		TEST(test_grant),
		TEST(test_depth),
		TEST(test_move),
		TEST(test_delete_takes_derived),
		TEST(test_revoke_keeps_itself),
		TEST(test_revoke_in_steps),
		TEST(test_delete_is_bounded),
		TEST(test_names_are_bounded),
		TEST(test_frames_are_bounded),
		TEST(test_table_in_itself),
		TEST(test_nested_tables),
		TEST(test_tables_deep),
		TEST(test_tables_in_circle),
		TEST(test_frames_in_their_table),
		TEST(test_split_keeps_children),
		TEST(test_deletion_started),
	};

	return RUN("capability", tests);
}
