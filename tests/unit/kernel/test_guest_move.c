// SPDX-License-Identifier: GPL-2.0
/* Tests handler threads that have moved to the host thread: calls, answers, and guests that do not wait. */
#include "guests.h"

#define CALL LIMPET_GUEST_CALL

static const word words[6] = { 39, 1, 2, 3, 4, 5 };
static struct built b;
static word sched, thread;
static struct guest *g;

/* Makes a guest whose event a thread of component `b` handles. */
static void event_begin(void)
{
	b = component_new(1);
	sched = guests_start();
	thread = handler_new(&b, 1, sched);
	g = guest_begin(4, executive_of(&b));
	assert_true(guest_event(g, CALL, words));
}

/* Makes the same guest, moved and current. */
static void moved_begin(void)
{
	event_begin();
	guest_moves(g);
	run(thread);
}

/* Does what the entry code does with each call of a thread in an event. */
static void test_calls_inside(void **state)
{
	(void)state;
	event_begin();
	assert_ok(call_inside(g, NOP));
	assert_int_equal(call_inside(g, GUEST_REGISTERS, 0, 0), CALL_DONE);
	for (word op = 0; op <= LIMPET_CALL_COUNT; op++) {
		const bool task = (op >= LIMPET_CALL_GUEST_COPY && op < LIMPET_CALL_GUEST_INFO);

		if (op == LIMPET_CALL_NOP || op == LIMPET_CALL_GUEST_REGISTERS ||
		    op == LIMPET_CALL_GUEST_INFO || op == LIMPET_CALL_GUEST_BREAK)
			continue;
		g->request = 0;
		assert_int_equal(guest_inside(g, op, words), task ? GUEST_TASK : GUEST_MOVE);
		assert_int_equal(g->request, task ? op : 0);
	}
	assert_false(g->wanted);
}

/* Makes calls about other guests of the executive, which stay inside as long as Linux is not needed. */
static void test_others_inside(void **state)
{
	struct built other;

	(void)state;
	event_begin();
	guest_begin(3, executive_of(&b));
	other = component_new(2);
	handler_new(&other, 2, sched);
	guest_begin(5, executive_of(&other));
	for (word id = 0; id < 8; id++) {
		const bool known = id == 3 || id == 4;

		assert_int_equal(call_inside(g, GUEST_INFO, id, LIMPET_GUEST_NAMES),
				 known ? CALL_DONE : LIMPET_ENOENT);
		assert_int_equal(call_inside(g, GUEST_BREAK, id, 7, 0),
				 known ? LIMPET_OK : LIMPET_ENOENT);
		assert_int_equal(call_inside(g, GUEST_BREAK, 4, 8, id + 1),
				 known ? LIMPET_OK : LIMPET_ENOENT);
	}
	assert_int_equal(g->break_time, 8);
	assert_int_equal(g->heir, 5);
	assert_int_equal(call_inside(g, GUEST_INFO, 4, LIMPET_GUEST_CLOCKS + 1), LIMPET_ERANGE);
	assert_int_equal(g->request, 0);
	assert_int_equal(call_inside(g, GUEST_INFO, 4, LIMPET_GUEST_CLOCKS), GUEST_TASK);
	assert_int_equal(g->request, LIMPET_CALL_GUEST_INFO);
	g->since = 1;
	assert_int_equal(call_inside(g, GUEST_BREAK, 4, 9, 0), GUEST_TASK);
	assert_int_equal(g->request, LIMPET_CALL_GUEST_BREAK);
	assert_int_equal(g->break_time, 9);
	assert_int_equal(g->heir, 0);
}

/* The host executes a call of a thread that is inside. */
static void test_carried_out_inside(void **state)
{
	(void)state;
	event_begin();
	guest_carried_out(g, LIMPET_EFAULT);
	assert_status((long)thread_of(thread)->regs.status, EFAULT);
	assert_false(thread_of(thread)->moved);
	assert_false(cpu->inbox.requests & INBOX_GUEST);
}

static void test_move(void **state)
{
	(void)state;
	event_begin();
	guest_move(g);
	invariants();
	assert_int_equal(g->moved, 1);
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_WAITING);
	interrupt();
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_READY);
	run(thread);
	assert_int_equal(user->status, LIMPET_GUEST_EVENT(CALL, 4));
	assert_int_equal(user->ip, EVENT_ENTRY);
	assert_memory_equal(user->words, words, sizeof(words));
	assert_ptr_equal(g->thread, thread_of(thread));
	assert_ok(call(NOP));
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ESTATE);
}

static void test_answer(void **state)
{
	(void)state;
	moved_begin();
	call(GUEST_ANSWER, LIMPET_GUEST_KILL, 9);
	assert_current(LIMPET_BOOT_THREAD);
	assert_null(g->thread);
	assert_true(g->answered);
	assert_int_equal(g->operation, LIMPET_GUEST_KILL);
	assert_int_equal(g->value, 9);
	assert_true(executive_first(g->executive));
	host_serve();
	assert_int_equal(guests_notified[4], 1);
	assert_true(guest_event(g, CALL, words)); /* the same thread as before */
	assert_ptr_equal(g->thread, thread_of(thread));
	assert_false(g->thread->moved);
	guest_moves(g);
	assert_false(g->answered); /* that answer was to the earlier event */
}

/* One thread becomes ready in each turn, because its scheduler can switch to it. */
static void test_many(void **state)
{
	struct guest *all[4];
	word threads[4];

	(void)state;
	b = component_new(1);
	sched = guests_start();
	for (unsigned int i = 0; i < 4; i++)
		threads[i] = handler_new(&b, 1 + i, sched);
	for (unsigned int i = 0; i < 4; i++) {
		all[i] = guest_begin(i, executive_of(&b));
		assert_true(guest_event(all[i], CALL, words));
	}
	for (unsigned int i = 0; i < 4; i++)
		guest_move(all[i]);
	for (unsigned int i = 0; i < 4; i++) {
		assert_true(cpu->inbox.requests & INBOX_GUEST);
		kernel_pause(cpu);
		kernel_resume(cpu);
		assert_int_equal(all[i]->thread->state, LIMPET_THREAD_READY);
		if (i < 3)
			assert_int_equal(all[i + 1]->thread->state, LIMPET_THREAD_WAITING);
	}
	assert_false(cpu->inbox.requests & INBOX_GUEST);
	run(threads[2]);
}

/* --- calls that the host executes */

static void task_call(word op, long status)
{
	const u64 notified = guests_notified[4];

	call_words(op, words);
	assert_current(LIMPET_BOOT_THREAD);
	assert_true(g->wanted);
	assert_int_equal(g->request, op);
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_WAITING);
	host_serve();
	assert_int_equal(guests_notified[4], notified + 1);
	guest_carried_out(g, status);
	assert_false(g->wanted);
	interrupt();
	run(thread);
	assert_int_equal(user->status, status);
}

/* Makes each call with each status that <limpet/guest.h> lists for it. */
static void test_calls(void **state)
{
	static const struct {
		word op;
		long status[8];
	} calls[] = {
		{ LIMPET_CALL_GUEST_COPY,
		  { LIMPET_ERANGE, LIMPET_EFAULT, LIMPET_ENOMEM, LIMPET_ESTATE } },
		{ LIMPET_CALL_GUEST_WAIT,
		  { LIMPET_ERANGE, LIMPET_ENOENT, LIMPET_ETIME, LIMPET_EINTR, LIMPET_ESTATE } },
		{ LIMPET_CALL_GUEST_FILTER, { LIMPET_ERANGE, LIMPET_ESTATE } },
		{ LIMPET_CALL_GUEST_MAP,
		  { LIMPET_ERANGE, LIMPET_EFULL, LIMPET_ENOMEM, LIMPET_ESTATE } },
		{ LIMPET_CALL_GUEST_REVOKE, { LIMPET_ERANGE, LIMPET_ENOENT, LIMPET_ESTATE } },
	};

	(void)state;
	moved_begin();
	for (unsigned int i = 0; i < countof(calls); i++) {
		for (unsigned int j = 0; calls[i].status[j]; j++)
			task_call(calls[i].op, calls[i].status[j]);
		task_call(calls[i].op, LIMPET_OK);
	}
	call(GUEST_ANSWER, LIMPET_GUEST_PASS, 0);
	assert_true(g->answered);
}

static void test_wake(void **state)
{
	struct built other = component_new(2);
	struct guest *foreign;

	(void)state;
	moved_begin();
	assert_ok(call(GUEST_WAKE, 4));
	assert_true(g->woken[0]);
	host_serve();
	assert_int_equal(guests_notified[4], 1);
	assert_status(call(GUEST_WAKE, 5), ENOENT);
	assert_status(call(GUEST_WAKE, LIMPET_GUESTS_MAX), ENOENT);
	assert_status(call(GUEST_WAKE, ~0ul), ENOENT);
	call(GUEST_ANSWER, 0, 0);
	g->answered = false;
	handler_new(&other, 2, sched);
	foreign = guest_begin(5, executive_of(&other));
	assert_true(guest_event(g, CALL, words));
	guest_moves(g);
	run(thread);
	assert_status(call(GUEST_WAKE, 5), ENOENT);
	assert_status(call(GUEST_INFO, 5), ENOENT);
	assert_false(foreign->woken[0]);
}

static void test_info(void **state)
{
	(void)state;
	moved_begin();
	assert_ok(call(GUEST_INFO, 4));
	assert_int_equal(user->words[0], 2004);
	assert_int_equal(user->words[1], 1004);
	assert_int_equal(user->words[2], 0);
	assert_status(call(GUEST_INFO, 3), ENOENT);
	assert_status(call(GUEST_INFO, ~0ul), ENOENT);
	assert_status(call(GUEST_INFO, 4, 3), ERANGE);
	g->ran = 1000;
	g->asleep = true;
	assert_ok(call(GUEST_INFO, 4, LIMPET_GUEST_USE));
	assert_int_equal(user->words[0], 1000);
	assert_int_equal(user->words[1], 1);
	g->since = hal_time();
	assert_ok(call(GUEST_INFO, 4, LIMPET_GUEST_USE));
	assert_true(user->words[0] >= 1000);
	call(GUEST_INFO, 4, LIMPET_GUEST_CLOCKS); /* the host has the clocks */
	assert_true(g->wanted);
	assert_int_equal(g->request, LIMPET_CALL_GUEST_INFO);
}

static void test_break(void **state)
{
	(void)state;
	moved_begin();
	assert_ok(call(GUEST_BREAK, 4, 1234, 5));
	assert_int_equal(g->break_time, 1234);
	assert_int_equal(g->heir, 5);
	assert_status(call(GUEST_BREAK, 5, 0, 0), ENOENT);
	assert_status(call(GUEST_BREAK, 4, 0, 6), ENOENT);
	assert_status(call(GUEST_BREAK, 4, 0, ~0ul), ENOENT);
	assert_int_equal(g->break_time, 1234);
	g->since = 1;
	assert_ok(call(GUEST_BREAK, 4, LIMPET_NEVER, 0));
	assert_int_equal(g->heir, 0);
}

/* Ids belong to the whole system, but a CPU's kernel knows only its own guests. */
static void test_other_cpu(void **state)
{
	(void)state;
	moved_begin();
	guest_orphan(g);
	g->cpu = machine.all[1];
	assert_status(call(GUEST_WAKE, 4), ENOENT);
	assert_status(call(GUEST_INFO, 4), ENOENT);
	assert_status(call(GUEST_BREAK, 4, 0, 0), ENOENT);
}

/* --- guests that do not wait */

static void orphan_ends(void)
{
	assert_null(g->thread);
	assert_status(call(GUEST_REGISTERS, 0, 0), ESTATE);
	assert_status(call(GUEST_COPY, 0, ENTRY, ENTRY, 8), ESTATE);
	assert_status(call(GUEST_WAIT, LIMPET_NEVER, 0), ESTATE);
	assert_ok(call(GUEST_INFO, 4));
	assert_status(call(GUEST_INFO, 4, LIMPET_GUEST_CLOCKS), ESTATE);
	call(GUEST_ANSWER, LIMPET_GUEST_KILL, 9);
	assert_false(g->answered);
	assert_int_equal(g->operation, 0);
	assert_false(thread_of(thread)->moved);
	assert_true(guest_event(g, CALL, words));
	assert_ptr_equal(g->thread, thread_of(thread));
}

static void test_orphan_inside(void **state)
{
	(void)state;
	event_begin();
	guest_orphan(g);
	invariants();
	interrupt();
	run(thread);
	assert_int_equal(user->ip, EVENT_ENTRY);
	orphan_ends();
}

static void test_orphan_moved(void **state)
{
	(void)state;
	event_begin();
	guest_move(g);
	guest_orphan(g); /* before the thread is ready */
	invariants();
	interrupt();
	run(thread);
	orphan_ends();
	guest_moves(g);
	run(thread);
	guest_orphan(g);
	orphan_ends();
}

/* The host no longer executes its call. */
static void test_orphan_in_call(void **state)
{
	static const word calls[] = { LIMPET_CALL_GUEST_COPY, LIMPET_CALL_GUEST_WAIT,
				      LIMPET_CALL_GUEST_FILTER, LIMPET_CALL_GUEST_MAP,
				      LIMPET_CALL_GUEST_REVOKE };

	(void)state;
	moved_begin();
	for (unsigned int i = 0; i < countof(calls); i++) {
		call_words(calls[i], words);
		assert_true(g->wanted);
		guest_orphan(g);
		assert_false(g->wanted);
		assert_null(g->update.next);
		interrupt();
		run(thread);
		assert_status((long)user->status, EINTR);
		orphan_ends();
		guest_moves(g);
		run(thread);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_others_inside), TEST(test_break),
		TEST(test_calls_inside),  TEST(test_carried_out_inside),
		TEST(test_move),	  TEST(test_answer),
		TEST(test_many),	  TEST(test_calls),
		TEST(test_wake),	  TEST(test_info),
		TEST_TWO(test_other_cpu), TEST(test_orphan_inside),
		TEST(test_orphan_moved),  TEST(test_orphan_in_call),
	};

	return RUN("guest_move", tests);
}
