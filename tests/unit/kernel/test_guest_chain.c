// SPDX-License-Identifier: GPL-2.0
/* Tests guests with several executives: which executive gets which event, and with which registers. */
#include <kernel/guest_event.h>

#include "guests.h"

#define LEVELS 3
#define NUMBER 39
#define RDI LIMPET_GUEST_RDI

static struct built b[LIMPET_GUEST_CHAIN_MAX + 1];
static word sched, thread[LIMPET_GUEST_CHAIN_MAX + 1];
static struct guest *g;
static const word none[6];

/*
 * Creates executives. Each one passes events to the executive that was created before it. b[0] is the first of a chain.
 */
static void executives(unsigned int count)
{
	sched = guests_start();
	for (unsigned int i = count; i--;) {
		b[i] = component_new(1 + count - i);
		thread[i] = handler_new(&b[i], 1 + count - i, sched);
		guests_records[b[i].index].guest = i + 1 < count ? (u32)b[i + 1].index : 0;
	}
}

static void chain(void)
{
	executives(LEVELS);
	g = guest_begin(2, executive_of(&b[0]));
	assert_true(guest_chain(g, executive_of(&b[0])));
	memset(g->wants, 0xff, sizeof(g->wants));
	hal_regs_all_set(&g->regs, LIMPET_GUEST_RAX, NUMBER);
	hal_regs_all_set(&g->regs, RDI, 5);
	guest_call_first(g);
}

static void at_level(unsigned int level)
{
	assert_int_equal(g->level, level);
	assert_ptr_equal(g->executive, executive_of(&b[level]));
}

static word rdi(void)
{
	return hal_regs_all(&g->regs, RDI);
}

static word number(void)
{
	return hal_regs_all(&g->regs, LIMPET_GUEST_RAX);
}

/* Sends the call to the executive of this level, which changes rdi unless `change` is 0, and answers. */
static unsigned int answer(word operation, word change)
{
	assert_true(guest_event(g, LIMPET_GUEST_CALL, none));
	g->hal.fixed = false;
	if (change)
		assert_int_equal(call_inside(g, GUEST_REGISTERS, RDI, 1, change), CALL_DONE);
	guest_answers(g, operation, 0);
	return guest_call_passed(g);
}

static void test_one(void **state)
{
	(void)state;
	executives(1);
	g = guest_begin(2, executive_of(&b[0]));
	assert_true(guest_chain(g, executive_of(&b[0])));
	assert_false(g->stacked);
	assert_ptr_equal(g->direct, cpu);
	assert_false(guest_level_next(g));
	assert_false(guest_result_next(g));
	g->result_wanted = 1;
	assert_true(guest_result_next(g));
	assert_false(guest_result_next(g));
}

static void test_chain(void **state)
{
	(void)state;
	chain();
	assert_true(g->stacked);
	assert_ptr_equal(g->direct, GUEST_STACKED);
	assert_int_equal(g->levels, LEVELS);
	at_level(0);
	assert_true(guest_level_next(g));
	at_level(1);
	assert_true(guest_level_next(g));
	assert_false(guest_level_next(g));
	at_level(0);
}

/* Refuses an executive that does not serve, and too many executives. */
static void test_refused(void **state)
{
	(void)state;
	executives(LIMPET_GUEST_CHAIN_MAX + 1);
	g = guest_begin(2, executive_of(&b[0]));
	assert_false(guest_chain(g, executive_of(&b[0])));
	assert_true(guest_chain(g, executive_of(&b[1])));
	guests_records[b[LIMPET_GUEST_CHAIN_MAX].index].guest = (u32)b[1].index;
	assert_false(guest_chain(g, executive_of(&b[1])));
	guests_records[b[2].index].guest = LIMPET_COMPONENTS_MAX - 1;
	assert_false(guest_chain(g, executive_of(&b[1])));
}

static void test_filters(void **state)
{
	(void)state;
	chain();
	g->wants[0][0] = 0;
	guest_call_first(g);
	at_level(1);
	assert_int_equal(answer(LIMPET_GUEST_PASS, 0), 2);
	g->wants[2][0] = 0;
	assert_int_equal(guest_call_passed(g), 0);
	g->wants[1][0] = 0; /* no filter selects it any more */
	guest_call_first(g);
	at_level(0);
	hal_regs_all_set(&g->regs, LIMPET_GUEST_RAX, ~0ul);
	g->wants[0][7] = g->wants[1][7] = 0;
	guest_call_first(g);
	at_level(2);
}

static void test_results(void **state)
{
	(void)state;
	chain();
	guest_call_next(g, answer(LIMPET_GUEST_PASS_RESULT, 0));
	hal_regs_all_set(&g->regs, LIMPET_GUEST_RAX, NUMBER + 1);
	guest_call_next(g, answer(LIMPET_GUEST_PASS, 0));
	assert_int_equal(answer(LIMPET_GUEST_PASS_RESULT, 0), 0);
	assert_true(guest_result_next(g));
	at_level(2);
	assert_int_equal(number(), NUMBER + 1);
	assert_true(guest_result_next(g));
	at_level(0);
	assert_int_equal(number(), NUMBER);
	assert_false(guest_result_next(g));
	at_level(0);
}

static void test_result_not_wanted(void **state)
{
	(void)state;
	chain();
	g->executive->kinds = 0;
	guest_call_next(g, answer(LIMPET_GUEST_PASS_RESULT, 0));
	at_level(1);
	assert_false(guest_result_next(g));
}

/* An executive that crashes in its event leaves the registers as it found them. */
static void test_restore(void **state)
{
	(void)state;
	chain();
	guest_call_next(g, answer(LIMPET_GUEST_PASS, 6));
	assert_int_equal(rdi(), 6);
	assert_int_equal(answer(LIMPET_GUEST_PASS, 7), 2);
	assert_int_equal(rdi(), 7);
	guest_level_restore(g);
	assert_int_equal(rdi(), 6);
	assert_true(g->changed);
	guest_own_restore(g);
	assert_int_equal(rdi(), 5);
	assert_false(g->changed);
}

static void test_restore_first_change(void **state)
{
	(void)state;
	chain();
	guest_call_next(g, answer(LIMPET_GUEST_PASS, 0));
	answer(LIMPET_GUEST_PASS, 7);
	guest_level_restore(g);
	assert_int_equal(rdi(), 5);
	assert_false(g->changed);
	guest_level_set(g, 0);
	answer(LIMPET_GUEST_PASS, 8);
	guest_level_restore(g);
	assert_int_equal(rdi(), 5);
}

/* Changes of earlier executives are undone if a later one serves the call. Its own changes stay. */
static void test_served(void **state)
{
	(void)state;
	chain();
	guest_call_next(g, answer(LIMPET_GUEST_PASS, 6));
	guest_call_served(g, 9);
	assert_int_equal(rdi(), 5);
	assert_false(g->changed);
	assert_int_equal(g->result, 9);
	guest_call_first(g);
	guest_call_next(g, answer(LIMPET_GUEST_PASS, 0));
	answer(LIMPET_GUEST_PASS, 7);
	guest_call_served(g, 9);
	assert_int_equal(rdi(), 7);
	assert_false(g->changed);
}

static void test_release(void **state)
{
	struct guest *child;

	(void)state;
	chain();
	memset(g->wants[1], 0x55, sizeof(g->wants[1]));
	g->released = 1;
	assert_int_equal(guest_level_of(g, executive_of(&b[0])), -1);
	assert_int_equal(guest_level_of(g, executive_of(&b[1])), 1);
	assert_true(guest_level_first(g));
	at_level(1);
	child = guest_begin(3, executive_of(&b[1]));
	guest_chain_copy(child, g);
	assert_int_equal(child->levels, 2);
	assert_ptr_equal(child->executive, executive_of(&b[1]));
	assert_memory_equal(child->wants[0], g->wants[1], sizeof(g->wants[1]));
	assert_memory_equal(child->wants[1], g->wants[2], sizeof(g->wants[2]));
	g->released = 5;
	assert_false(guest_level_next(g));
	guest_call_first(g);
	at_level(1);
	assert_int_equal(guest_call_passed(g), 0);
	assert_false(guest_released(g));
	guest_chain_copy(child, g);
	assert_int_equal(child->levels, 1);
	assert_false(child->stacked);
	g->released = 7;
	assert_true(guest_released(g));
	assert_false(guest_level_first(g));
}

/* Each executive of the chain has the guest. It can only end its own wait. */
static void test_rights(void **state)
{
	struct built other = component_new(20);

	(void)state;
	chain();
	for (unsigned int i = 0; i < LEVELS; i++) {
		assert_true(guest_event(g, LIMPET_GUEST_CALL, none));
		guest_moves(g);
		run(thread[i]);
		assert_ok(call(GUEST_INFO, 2, LIMPET_GUEST_NAMES));
		assert_ok(call(GUEST_WAKE, 2));
		for (unsigned int k = 0; k < LEVELS; k++)
			assert_int_equal(g->woken[k], k <= i);
		g->released = (u8)(1u << i);
		assert_status(call(GUEST_INFO, 2), ENOENT);
		assert_status(call(GUEST_WAKE, 2), ENOENT);
		g->released = 0;
		call(GUEST_ANSWER, LIMPET_GUEST_PASS, 0);
		g->answered = false;
		guest_level_next(g);
	}
	handler_new(&other, 21, sched);
	assert_int_equal(guest_level_of(g, executive_of(&other)), -1);
}

/* The first executive that wants BREAK schedules. */
static void test_break(void **state)
{
	(void)state;
	chain();
	assert_int_equal(guest_scheduler(g), 0);
	executive_of(&b[0])->kinds = 0;
	assert_int_equal(guest_scheduler(g), 1);
	for (unsigned int i = 0; i < LEVELS; i++) {
		assert_true(guest_event(g, LIMPET_GUEST_CALL, none));
		assert_int_equal(call_inside(g, GUEST_BREAK, 2, 100, 0),
				 i == 1 ? LIMPET_OK : LIMPET_ESTATE);
		guest_answers(g, LIMPET_GUEST_PASS, 0);
		guest_level_next(g);
	}
	assert_true(guest_event(g, LIMPET_GUEST_CALL, none));
	guest_moves(g);
	run(thread[0]);
	assert_status(call(GUEST_BREAK, 2, 0, 0), ESTATE);
	g->released = 2;
	assert_int_equal(guest_scheduler(g), 2);
	g->released = 6;
	assert_int_equal(guest_scheduler(g), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one),	    TEST(test_chain),
		TEST(test_refused), TEST(test_filters),
		TEST(test_results), TEST(test_result_not_wanted),
		TEST(test_restore), TEST(test_restore_first_change),
		TEST(test_served),  TEST(test_release),
		TEST(test_rights),  TEST(test_break),
	};

	return RUN("guest_chain", tests);
}
