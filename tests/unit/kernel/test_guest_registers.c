// SPDX-License-Identifier: GPL-2.0
/*
 * Tests GUEST_REGISTERS: reads, changes, refusals and restored values. tests/unit/hal tests each register of a
 * processor.
 */
#include "guests.h"

#define ALL 7

static const word words[6] = { 39 };
static struct built b;
static word thread;
static struct guest *g;

static void event_begin(unsigned int kind)
{
	word sched;

	b = component_new(1);
	sched = guests_start();
	thread = handler_new(&b, 1, sched);
	g = guest_begin(4, executive_of(&b));
	for (unsigned int n = 0; n < HAL_REGS; n++)
		hal_regs_all_set(&g->regs, n, 100 + n);
	assert_true(guest_event(g, kind, words));
}

static word register_of(const struct hal_regs *r, unsigned int n)
{
	return hal_regs_all(r, n);
}

/* Reads three registers at a time. After the last register the words are zero. */
static void test_read(void **state)
{
	(void)state;
	event_begin(LIMPET_GUEST_CALL);
	for (word first = 0; first < HAL_REGS; first++) {
		assert_int_equal(call_inside(g, GUEST_REGISTERS, first, 0), CALL_DONE);
		assert_int_equal(g->thread->regs.status, LIMPET_OK);
		for (word i = 0; i < 3; i++)
			assert_int_equal(g->thread->regs.words[i],
					 first + i < HAL_REGS
						 ? register_of(&g->regs, (unsigned int)(first + i))
						 : 0);
	}
	assert_false(g->changed);
}

/* Only registers whose bits are set change. The results are the previous values. */
static void test_change(void **state)
{
	const word first = 12; /* to 14 */

	(void)state;
	event_begin(LIMPET_GUEST_CALL);
	for (word change = 0; change <= ALL; change++) {
		const struct hal_regs before = g->regs;

		assert_int_equal(call_inside(g, GUEST_REGISTERS, first, change, 7 + change, 8, 9),
				 CALL_DONE);
		for (unsigned int i = 0; i < 3; i++) {
			word old = register_of(&before, 12 + i), now = i ? 7 + i : 7 + change;

			assert_int_equal(g->thread->regs.words[i], old);
			assert_int_equal(register_of(&g->regs, 12 + i),
					 change >> i & 1 ? now : old);
		}
		assert_int_equal(g->changed, change != 0);
	}
}

static void refused(word first, word change, word v0, word v1, word v2, long status)
{
	const struct guest before = *g;

	assert_int_equal(call_inside(g, GUEST_REGISTERS, first, change, v0, v1, v2), status);
	assert_memory_equal(&before, g, sizeof(before));
}

static void test_refused(void **state)
{
	(void)state;
	event_begin(LIMPET_GUEST_CALL);
	refused(HAL_REGS, 0, 0, 0, 0, LIMPET_ERANGE);
	refused(~0ul, 0, 0, 0, 0, LIMPET_ERANGE);
	refused(1ul << 32, 0, 0, 0, 0, LIMPET_ERANGE);
	refused(0, 16, 0, 0, 0, LIMPET_ERANGE);
	refused(0, 32 | LIMPET_GUEST_COMMIT, 0, 0, 0, LIMPET_ERANGE);
	refused(0, ~0ul, 0, 0, 0, LIMPET_ERANGE);
	refused(17, 1, 0, 0, 0, LIMPET_ERANGE); /* rflags */
	refused(16, 2, ENTRY, 0, 0, LIMPET_ERANGE);
	refused(15, 7, 1, ENTRY, 2, LIMPET_ERANGE);
	refused(16, 4, ENTRY, 0, 0, LIMPET_ERANGE); /* the register does not exist */
	refused(16, 1, LIMPET_USER_END, 0, 0, LIMPET_ERANGE);
	refused(14, 7, 1, 2, ~0ul, LIMPET_ERANGE); /* the first two do not change either */
	refused(7, 1, LIMPET_USER_END, 0, 0, LIMPET_ERANGE);
	refused(5, 7, 1, 2, 1ul << 47, LIMPET_ERANGE);
	assert_int_equal(call_inside(g, GUEST_REGISTERS, 16, 1, LIMPET_USER_END - 1), CALL_DONE);
	assert_int_equal(call_inside(g, GUEST_REGISTERS, 7, 1, LIMPET_USER_END - 1), CALL_DONE);
}

/* An executive commits to the answer of one event, with or without a change of a register. */
static void test_committed(void **state)
{
	(void)state;
	for (unsigned int kind = LIMPET_GUEST_CALL; kind < LIMPET_GUEST_EVENTS; kind++) {
		assert_true(machine_boot(1, 1024));
		event_begin(kind);
		assert_int_not_equal(g->committed, g->calls + g->others);
		assert_int_equal(call_inside(g, GUEST_REGISTERS, 0, LIMPET_GUEST_COMMIT),
				 CALL_DONE);
		assert_int_equal(g->committed, g->calls + g->others);
		assert_false(g->changed);
	}
	assert_true(machine_boot(1, 1024));
	event_begin(LIMPET_GUEST_CALL);
	refused(17, 1 | LIMPET_GUEST_COMMIT, 0, 0, 0, LIMPET_ERANGE); /* no change, no commit */
	assert_int_equal(call_inside(g, GUEST_REGISTERS, 12, 1 | LIMPET_GUEST_COMMIT, 5),
			 CALL_DONE);
	assert_int_equal(g->committed, g->calls + g->others);
	assert_int_equal(register_of(&g->regs, 12), 5);
}

/*
 * All events can read registers. The host also allows changes in BEGIN, EXEC and RESULT, where nothing else reads
 * them.
 */
static void test_other_events(void **state)
{
	(void)state;
	for (unsigned int kind = LIMPET_GUEST_RESULT; kind < LIMPET_GUEST_EVENTS; kind++) {
		assert_true(machine_boot(1, 1024));
		event_begin(kind);
		refused(0, 1, 5, 0, 0, LIMPET_ESTATE);
		assert_int_equal(call_inside(g, GUEST_REGISTERS, 0, 0), CALL_DONE);
		assert_int_equal(g->thread->regs.words[0], register_of(&g->regs, 0));
	}
}

/* After further calls at the result, the guest's own registers are also restored to those before the first change. */
static void test_resulting(void **state)
{
	struct hal_regs own;

	(void)state;
	event_begin(LIMPET_GUEST_CALL);
	own = g->regs;
	for (word call = 0; call < 3; call++) {
		g->hal.fixed = false; /* like the entry code */
		g->resulting = call > 0;
		assert_int_equal(call_inside(g, GUEST_REGISTERS, LIMPET_GUEST_RAX, 1, 50 + call),
				 CALL_DONE);
		assert_int_equal(call_inside(g, GUEST_REGISTERS, LIMPET_GUEST_RDI, 1, 60 + call),
				 CALL_DONE);
		assert_int_equal(register_of(&g->regs, LIMPET_GUEST_RAX), 50 + call);
		guest_own_arguments(g); /* the host has executed it */
		assert_false(g->changed);
		assert_memory_equal(&own, &g->regs, sizeof(own));
	}
}

/* The event ends without its changes. All of them are undone. */
static void test_restore(void **state)
{
	struct hal_regs own;

	(void)state;
	event_begin(LIMPET_GUEST_CALL);
	own = g->regs;
	guest_own_restore(g);
	assert_memory_equal(&own, &g->regs, sizeof(own));
	for (word first = 0; first < 15; first += 3)
		for (unsigned int i = 0; i < 2; i++)
			call_inside(g, GUEST_REGISTERS, first, ALL, 11 + i, 12, 13);
	call_inside(g, GUEST_REGISTERS, 16, 1, ENTRY);
	assert_true(g->changed);
	assert_int_equal(register_of(&g->regs, 16), ENTRY);
	guest_own_restore(g);
	assert_false(g->changed);
	assert_memory_equal(&own, &g->regs, sizeof(own));
}

/* A call is executed with other arguments. The arguments are restored, and other changes stay. */
static void test_arguments(void **state)
{
	(void)state;
	event_begin(LIMPET_GUEST_CALL);
	call_inside(g, GUEST_REGISTERS, LIMPET_GUEST_RAX, 3, 110, 1000);
	call_inside(g, GUEST_REGISTERS, LIMPET_GUEST_RIP, 1, ENTRY);
	guest_own_arguments(g);
	assert_false(g->changed);
	assert_int_equal(register_of(&g->regs, LIMPET_GUEST_RAX), 100 + LIMPET_GUEST_RAX);
	assert_int_equal(register_of(&g->regs, 1), 1000);
	assert_int_equal(register_of(&g->regs, LIMPET_GUEST_RIP), ENTRY);
	guest_own_restore(g);
	assert_int_equal(register_of(&g->regs, 1), 1000);
}

/* A moved thread uses it as a kernel call. */
static void test_moved(void **state)
{
	(void)state;
	event_begin(LIMPET_GUEST_CALL);
	guest_moves(g);
	run(thread);
	assert_ok(call(GUEST_REGISTERS, 12, 1, 5));
	assert_int_equal(user->words[0], 112);
	assert_int_equal(user->words[1], 113);
	assert_int_equal(register_of(&g->regs, 12), 5);
	assert_status(call(GUEST_REGISTERS, 17, 1, 5), ERANGE);
	assert_status(call(GUEST_REGISTERS, 18, 0), ERANGE);
	guest_orphan(g);
	assert_status(call(GUEST_REGISTERS, 12, 0), ESTATE);
	assert_status(call(GUEST_REGISTERS, 12, LIMPET_GUEST_COMMIT), ESTATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_read),	 TEST(test_change),    TEST(test_refused),
		TEST(test_other_events), TEST(test_resulting), TEST(test_restore),
		TEST(test_arguments),	 TEST(test_moved),     TEST(test_committed),
	};

	return RUN("guest_registers", tests);
}
