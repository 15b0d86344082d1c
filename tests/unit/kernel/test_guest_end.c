// SPDX-License-Identifier: GPL-2.0
/* Tests handler threads and their guests after a component is stopped, and after either is destroyed. */
#include "guests.h"

#define SPARES 3

static const word words[6] = { 39 };
static struct built b, other;
static word sched, thread;
static struct guest *g;

/* The states of a handler thread, see <kernel/guest.h>. */
enum handling {
	IDLE,
	INSIDE,
	MOVED, /* not ready yet */
	READY,
	CALLS,	 /* waits for the host */
	OUTSIDE, /* moved, and in a component that it has invoked */
	ORPHAN,	 /* not ready yet */
	HANDLERS
};

static void dispatched(void)
{
	interrupt();
	run(thread);
}

/* Makes the booter's thread current again, without a notice of the handler thread. */
static void preempted(void)
{
	thread_switch(cpu, thread_of(LIMPET_BOOT_THREAD));
	interrupt();
}

static void handler_begin(enum handling state)
{
	b = component_new(1);
	other = component_new(2);
	sched = guests_start();
	thread = handler_new(&b, 1, sched);
	gate_give(&other, 1, b.table, 5);
	g = guest_begin(4, executive_of(&b));
	if (state >= INSIDE)
		assert_true(guest_event(g, LIMPET_GUEST_CALL, words));
	if (state >= MOVED && state < ORPHAN)
		guest_move(g);
	if (state >= READY && state < ORPHAN)
		dispatched();
	if (state == CALLS)
		call(GUEST_COPY, 0, ENTRY, ENTRY, 8);
	if (state == OUTSIDE)
		assert_int_equal(invoke(5), 1);
	if (state == READY || state == OUTSIDE)
		preempted();
	if (state == ORPHAN)
		guest_orphan(g);
	invariants();
	assert_current(LIMPET_BOOT_THREAD);
}

/* Runs the thread until it is dead. The guest has no thread then. */
static void thread_ends(enum handling state)
{
	struct thread *t = thread_of(thread);

	for (unsigned int i = 0; i < 8 && t->state != LIMPET_THREAD_DEAD; i++) {
		interrupt();
		if (cpu->thread == t) /* in the invoked component */
			give_back(0);
		else if (t->state == LIMPET_THREAD_READY)
			call(THREAD_DISPATCH, thread);
	}
	assert_int_equal(t->state, LIMPET_THREAD_DEAD);
	assert_null(t->executive);
	assert_null(g->thread);
	assert_false(g->wanted);
	assert_false(executive_first(g->executive));
	assert_int_equal(g->executive->orphans, 0);
	interrupt();
	assert_true(guests_notified[4] >= (state > IDLE && state < ORPHAN));
}

static void starts_again(void)
{
	assert_ok(call(COMPONENT_OPEN, b.component));
	assert_ok(call(THREAD_START, thread, b.component, ENTRY, 0, 1, sched));
	run(thread);
	call(GUEST_SERVE, EVENT_ENTRY, ~0ul);
	assert_true(guest_event(g, LIMPET_GUEST_CALL, words));
	assert_ptr_equal(g->thread, thread_of(thread));
}

static void test_stop(void **state)
{
	(void)state;
	for (enum handling s = IDLE; s < HANDLERS; s++) {
		assert_true(machine_boot(1, 1024));
		handler_begin(s);
		assert_ok(call(COMPONENT_STOP, b.component, s % 2));
		if (s == IDLE ||
		    s == INSIDE) /* immediate: the thread gets no event, and does not continue */
			assert_null(thread_of(thread)->executive);
		if (s == INSIDE)
			assert_null(g->thread);
		thread_ends(s);
		starts_again();
	}
}

/* The host does not know yet that the thread was stopped, and executes its call. */
static void test_stop_in_call(void **state)
{
	(void)state;
	handler_begin(CALLS);
	assert_ok(call(COMPONENT_STOP, b.component, 0));
	assert_ptr_equal(g->thread, thread_of(thread));
	guest_carried_out(g, LIMPET_OK);
	invariants();
	thread_ends(CALLS);
	starts_again();
}

/* If the component that it has invoked is stopped, the executive gets an error, and continues with its event. */
static void test_stop_outside(void **state)
{
	(void)state;
	handler_begin(OUTSIDE);
	assert_ok(call(COMPONENT_STOP, other.component, 0));
	dispatched();
	assert_ptr_equal(cpu->component, component_of(&b));
	assert_status((long)user->status, ECRASH);
	assert_ptr_equal(g->thread, thread_of(thread));
	call(GUEST_ANSWER, LIMPET_GUEST_PASS, 0);
	assert_true(g->answered);
}

static void test_thread_destroyed(void **state)
{
	(void)state;
	for (enum handling s = IDLE; s < HANDLERS; s++) {
		assert_true(machine_boot(1, 1024));
		handler_begin(s);
		assert_ok(delete_all(thread));
		assert_null(cpu->threads[1]);
		assert_null(g->thread);
		assert_false(g->wanted);
		assert_false(executive_first(g->executive));
		assert_false(guest_event(g, LIMPET_GUEST_CALL, words));
		interrupt();
		assert_int_equal(guests_notified[4], s > IDLE && s < ORPHAN ? 1 + (s == CALLS) : 0);
		handler_new(&b, 2, sched);
		assert_true(guest_event(g, LIMPET_GUEST_CALL, words));
	}
}

static void test_component_destroyed(void **state)
{
	(void)state;
	for (enum handling s = IDLE; s < HANDLERS; s++) {
		assert_true(machine_boot(1, 1024));
		handler_begin(s);
		assert_ok(revoke_all(b.component));
		assert_ok(call(COMPONENT_STOP, b.component, LIMPET_STOP_CLOSE));
		thread_ends(s);
		assert_ok(delete_all(b.component));
		assert_null(g->executive->component);
		assert_null(executive_find(cpu, LIMPET_GUEST_ANY, NULL));
		assert_false(guest_event(g, LIMPET_GUEST_CALL, words));
		assert_status(call(GUEST_WAKE, 4), ENOENT);
	}
}

/* A handler that faults, and whose fault is not repaired, leaves its executive. */
static void test_crash(void **state)
{
	(void)state;
	handler_begin(READY);
	run(thread);
	fault(14, 0x10, 2);
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_DEAD);
	assert_null(g->thread);
	host_serve();
	assert_int_equal(guests_notified[4], 1);
	assert_int_equal(component_of(&b)->faults, 1);
}

/* A component that the executive has invoked, or the handler of its fault, cannot act for the executive. */
static void nothing_allowed(void)
{
	assert_status(call(GUEST_ANSWER, LIMPET_GUEST_KILL, 9), ESTATE);
	assert_status(call(GUEST_REGISTERS, 0, 0), ESTATE);
	assert_status(call(GUEST_COPY, 0, ENTRY, ENTRY, 8), ESTATE);
	assert_status(call(GUEST_SERVE, EVENT_ENTRY, 0), ESTATE);
	assert_false(g->answered);
	assert_ptr_equal(g->thread, thread_of(thread));
}

static void test_outside(void **state)
{
	(void)state;
	handler_begin(OUTSIDE);
	run(thread);
	assert_ptr_equal(cpu->component, component_of(&other));
	nothing_allowed();
	give_back(0);
	call(GUEST_ANSWER, LIMPET_GUEST_PASS, 0);
	assert_true(g->answered);
}

static void test_in_fault(void **state)
{
	(void)state;
	handler_begin(READY);
	assert_ok(call(COMPONENT_HANDLER, b.component, gate_new(&other, 2)));
	run(thread);
	fault(14, 0x10, 2);
	assert_ptr_equal(cpu->component, component_of(&other));
	nothing_allowed();
	give_back(0);
	assert_ptr_equal(cpu->component, component_of(&b));
	call(GUEST_ANSWER, LIMPET_GUEST_PASS, 0);
	assert_true(g->answered);
}

/* A stop notifies threads in portions. Threads that were not notified yet do not get events. */
static void test_stop_of_many(void **state)
{
	struct guest *guests[SPARES];

	(void)state;
	handler_begin(IDLE);
	for (unsigned int i = 0; i < SPARES; i++)
		handler_new(&b, 200 + 64 * i, sched);
	for (unsigned int i = 0; i < SPARES; i++) {
		guests[i] = i == 1 ? g : guest_begin(i, g->executive);
		assert_true(guest_event(guests[i], LIMPET_GUEST_CALL, words));
	}
	guest_answers(guests[0], 0, 0);
	assert_ok(call(COMPONENT_STOP, b.component, 0));
	assert_true(cpu->notify_left);
	assert_false(executive_first(g->executive));
	for (unsigned int i = 0; i < 8; i++)
		interrupt();
	assert_false(cpu->notify_left);
	for (unsigned int i = 0; i < SPARES; i++)
		assert_null(guests[i]->thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stop),
		TEST(test_stop_in_call),
		TEST(test_stop_outside),
		TEST(test_thread_destroyed),
		TEST(test_component_destroyed),
		TEST(test_crash),
		TEST(test_outside),
		TEST(test_in_fault),
		TEST(test_stop_of_many),
	};

	return RUN("guest_end", tests);
}
