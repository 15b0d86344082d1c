// SPDX-License-Identifier: GPL-2.0
/* Tests executives and their handler threads: their creation, and the thread that gets an event. */
#include "guests.h"

static void test_without_guests(void **state)
{
	(void)state;
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ENOENT);
	assert_status(call(GUEST_ANSWER, LIMPET_GUEST_PASS, 0), ESTATE);
	assert_status(call(GUEST_REGISTERS, 0, 0), ESTATE);
	assert_status(call(GUEST_COPY, 0, ENTRY, ENTRY, 8), ESTATE);
	assert_status(call(GUEST_WAIT, LIMPET_NEVER, 0), ESTATE);
	assert_status(call(GUEST_FILTER, 0), ESTATE);
	assert_status(call(GUEST_MAP, ENTRY, LIMPET_PAGE, 0), ESTATE);
	assert_status(call(GUEST_REVOKE, ENTRY, LIMPET_PAGE), ESTATE);
	assert_status(call(GUEST_WAKE, 0), ENOENT);
	assert_status(call(GUEST_INFO, 0), ENOENT);
	assert_null(executive_find(cpu, LIMPET_GUEST_ANY, NULL));
}

static void test_serve_errors(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 1);

	(void)state;
	guests_enable();
	assert_status(call(GUEST_SERVE, LIMPET_USER_END, 0), ERANGE);
	assert_status(call(GUEST_SERVE, ~0ul, 0), ERANGE);
	invoke(gate);
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ESTATE);
	give_back(0);
	assert_null(executive_find(cpu, LIMPET_GUEST_ANY, NULL));
}

/* Only components that the image marks as executives can have handler threads. */
static void test_serve_unmarked(void **state)
{
	struct built b = component_new(1);
	word sched = guests_start(), thread = thread_new(&b, 1, sched);

	(void)state;
	guests_records[b.index].flags = (u32)~LIMPET_COMPONENT_EXECUTIVE;
	run(thread);
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ERIGHTS);
	guests_records[b.index].flags = LIMPET_COMPONENT_EXECUTIVE;
	/* It only has the index of another CPU's executive. */
	guests_records[b.index].cpu = cpu->number + 1;
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ERIGHTS);
	guests_records[b.index].cpu = cpu->number;
	cpu->records = (u32)b.index;
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ERIGHTS);
	assert_null(executive_of(&b));
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_READY);
	cpu->records = (u32)b.index + 1;
	call(GUEST_SERVE, EVENT_ENTRY, 0);
	assert_non_null(executive_of(&b));
}

/* If the handler of a fault is the faulting component, the thread is in its own component again. */
static void test_serve_in_fault(void **state)
{
	struct built b = component_new(1);
	word sched = guests_start(), thread = thread_new(&b, 1, sched);

	(void)state;
	assert_ok(call(COMPONENT_HANDLER, b.component, gate_new(&b, 1)));
	run(thread);
	fault(14, 0x10, 0);
	assert_int_equal(cpu->thread->faults, 1);
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ESTATE);
	assert_null(executive_of(&b));
}

static void test_serve(void **state)
{
	struct built b = component_new(1), other = component_new(2);
	word sched = guests_start(), thread = handler_new(&b, 7, sched);
	struct executive *x = executive_of(&b);

	(void)state;
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_WAITING, 7));
	assert_current(LIMPET_BOOT_THREAD);
	assert_true(cpu->host.pending & HOST_GUEST);
	assert_non_null(x);
	assert_ptr_equal(x->component, component_of(&b));
	assert_ptr_equal(thread_of(thread)->executive, x);
	assert_int_equal(x->entry, EVENT_ENTRY);
	assert_int_equal(x->kinds, ~0ul);
	assert_true(executive_first(x));
	assert_ptr_equal(executive_find(cpu, LIMPET_GUEST_ANY, NULL), x);
	assert_null(executive_find(cpu, LIMPET_GUEST_ANY, x));
	assert_null(executive_of(&other));
	assert_null(executive_find(cpu, LIMPET_COMPONENTS_MAX, NULL));
}

/* Entry and kinds of events are those of the last call. */
static void test_serve_twice(void **state)
{
	struct built b = component_new(1);
	word sched = guests_start(), first = handler_new(&b, 1, sched);
	word second = thread_new(&b, 2, sched);
	struct executive *x = executive_of(&b);

	(void)state;
	run(second);
	call(GUEST_SERVE, EVENT_ENTRY + 16, LIMPET_GUEST_WANTS(LIMPET_GUEST_END));
	assert_ptr_equal(executive_of(&b), x);
	assert_ptr_equal(thread_of(first)->executive, thread_of(second)->executive);
	assert_int_equal(x->entry, EVENT_ENTRY + 16);
	assert_int_equal(x->kinds, LIMPET_GUEST_WANTS(LIMPET_GUEST_END));
	assert_null(cpu->executive[1].component);
}

static void test_full(void **state)
{
	struct built b[LIMPET_EXECUTIVES_MAX + 1];
	word sched = guests_start(), thread[LIMPET_EXECUTIVES_MAX + 1];

	(void)state;
	for (unsigned int i = 0; i < LIMPET_EXECUTIVES_MAX; i++) {
		b[i] = component_new(1 + i);
		thread[i] = handler_new(&b[i], 1 + i, sched);
		assert_ptr_equal(executive_of(&b[i]), &cpu->executive[i]);
	}
	b[LIMPET_EXECUTIVES_MAX] = component_new(20);
	thread[LIMPET_EXECUTIVES_MAX] = thread_new(&b[LIMPET_EXECUTIVES_MAX], 20, sched);
	run(thread[LIMPET_EXECUTIVES_MAX]);
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), EFULL);
	give_back(0);
	handler_new(&b[0], 21, sched); /* a component that is an executive already */
	assert_ok(delete_all(thread[3]));
	assert_ok(delete_all(b[3].component));
	assert_null(cpu->executive[3].component);
	b[3] = component_new(
		30); /* guests can refer to the record, so only the same component can use it */
	thread[3] = thread_new(&b[3], 30, sched);
	run(thread[3]);
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), EFULL);
	give_back(0);
	b[3] = component_new(1 + 3);
	handler_new(&b[3], 31, sched);
	assert_ptr_equal(executive_of(&b[3]), &cpu->executive[3]);
}

/* An event restarts the thread at the top of its stack, with the words. */
static void test_event(void **state)
{
	static const word words[6] = { 1, 2, 3, 4, 5, 6 };
	struct built b = component_new(1);
	word sched = guests_start();
	const struct thread *t = thread_of(handler_new(&b, 3, sched));
	struct guest *g = guest_begin(2, executive_of(&b));

	(void)state;
	assert_true(guest_event(g, LIMPET_GUEST_CALL, words));
	invariants();
	assert_ptr_equal(g->thread, t);
	assert_ptr_equal(t->guest, g);
	assert_int_equal(t->regs.status, LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, 2));
	assert_int_equal(LIMPET_GUEST_KIND(t->regs.status), LIMPET_GUEST_CALL);
	assert_int_equal(LIMPET_GUEST_ID(t->regs.status), 2);
	assert_int_equal(t->regs.ip, EVENT_ENTRY);
	assert_int_equal(t->regs.sp, STACKS + (4ul << STACK_SHIFT));
	assert_memory_equal(t->regs.words, words, sizeof(words));
	assert_false(executive_first(g->executive));
	guest_answers(g, LIMPET_GUEST_SERVE, 5);
	assert_null(g->thread);
	assert_true(executive_first(g->executive));
	assert_true(guest_event(g, LIMPET_GUEST_END, words));
	assert_int_equal(g->calls, 1);
	assert_int_equal(g->others, 1);
	guest_answers(g, 0, 0);
}

/* The thread that became idle last gets the next event. */
static void test_order(void **state)
{
	static const word words[6];
	struct built b = component_new(1);
	word sched = guests_start(), first = handler_new(&b, 1, sched);
	word second = handler_new(&b, 2, sched);
	struct guest *g[3];

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		g[i] = guest_begin(i, executive_of(&b));
	assert_true(guest_event(g[0], LIMPET_GUEST_CALL, words));
	assert_ptr_equal(g[0]->thread, thread_of(second));
	assert_true(guest_event(g[1], LIMPET_GUEST_CALL, words));
	assert_ptr_equal(g[1]->thread, thread_of(first));
	assert_false(guest_event(g[2], LIMPET_GUEST_CALL, words));
	guest_answers(g[1], LIMPET_GUEST_PASS, 0);
	guest_answers(g[0], LIMPET_GUEST_PASS, 0);
	assert_true(guest_event(g[2], LIMPET_GUEST_CALL, words));
	assert_ptr_equal(g[2]->thread, thread_of(second));
}

/* A thread of a stopped component gets no event, although it was not notified yet. */
static void test_not_notified(void **state)
{
	static const word words[6];
	struct built b = component_new(1);
	word sched = guests_start();
	struct guest *g;

	(void)state;
	handler_new(&b, 1, sched);
	g = guest_begin(0, executive_of(&b));
	component_of(&b)->epoch++;
	assert_false(executive_first(g->executive));
	assert_false(guest_event(g, LIMPET_GUEST_CALL, words));
	component_of(&b)->epoch--;
	assert_true(guest_event(g, LIMPET_GUEST_CALL, words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_without_guests), TEST(test_serve_errors), TEST(test_serve_unmarked),
		TEST(test_serve_in_fault), TEST(test_serve),	    TEST(test_serve_twice),
		TEST(test_full),	   TEST(test_event),	    TEST(test_order),
		TEST(test_not_notified),
	};

	return RUN("guest", tests);
}
