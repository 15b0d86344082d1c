// SPDX-License-Identifier: GPL-2.0
/* Tests components: activate, stop with threads inside, destroy. */
#include "objects.h"

static void test_activate_errors(void **state)
{
	struct built b = component_new(1);
	word c = object_new(LIMPET_COMPONENT, 1), pt = page_table_new(1);
	word table = object_new(LIMPET_TABLE, 1);
	word weak_c = weaker(c, 31 & ~LIMPET_MANAGE), weak_pt = weaker(pt, 31 & ~LIMPET_MANAGE);
	word weak_table = weaker(table, 31 & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(COMPONENT_ACTIVATE, EMPTY, pt, table, STACKS, 14, 2), ESLOT);
	assert_status(call(COMPONENT_ACTIVATE, pt, pt, table, STACKS, 14, 2), ETYPE);
	assert_status(call(COMPONENT_ACTIVATE, weak_c, pt, table, STACKS, 14, 2), ERIGHTS);
	assert_status(call(COMPONENT_ACTIVATE, c, EMPTY, table, STACKS, 14, 2), ESLOT);
	assert_status(call(COMPONENT_ACTIVATE, c, c, table, STACKS, 14, 2), ETYPE);
	assert_status(call(COMPONENT_ACTIVATE, c, weak_pt, table, STACKS, 14, 2), ERIGHTS);
	assert_status(call(COMPONENT_ACTIVATE, c, pt, EMPTY, STACKS, 14, 2), ESLOT);
	assert_status(call(COMPONENT_ACTIVATE, c, pt, pt, STACKS, 14, 2), ETYPE);
	assert_status(call(COMPONENT_ACTIVATE, c, pt, weak_table, STACKS, 14, 2), ERIGHTS);
	assert_status(call(COMPONENT_ACTIVATE, b.component, pt, table, STACKS, 14, 2), ESTATE);
	assert_status(call(COMPONENT_ACTIVATE, c, pt, table, STACKS, 14, 1), EFULL);
	assert_ok(call(COMPONENT_ACTIVATE, c, pt, table, STACKS, 14, 127));
}

static void test_activate_ranges(void **state)
{
	word c = object_new(LIMPET_COMPONENT, 1), pt = page_table_new(1);
	word table = object_new(LIMPET_TABLE, 1);
	static const word bad[][3] = {
		{ STACKS, 8, 2 },
		{ STACKS, 21, 2 },
		{ STACKS, 64 + 14, 2 },
		{ STACKS, ~0ul, 2 },
		{ STACKS + 16, 14, 2 },
		{ LIMPET_USER_END, 14, 2 },
		{ LIMPET_USER_END - LIMPET_PAGE, 14, 2 },
		{ LIMPET_USER_END - ((word)LIMPET_THREADS_MAX << 14) + LIMPET_PAGE, 14, 2 },
		{ 1ul << 63, 14, 2 },
		{ STACKS, 14, LIMPET_COMPONENTS_MAX },
		{ STACKS, 14, ~0ul },
	};

	(void)state;
	for (unsigned int i = 0; i < countof(bad); i++)
		assert_status(
			call(COMPONENT_ACTIVATE, c, pt, table, bad[i][0], bad[i][1], bad[i][2]),
			ERANGE);
	assert_ok(call(COMPONENT_ACTIVATE, c, pt, table,
		       LIMPET_USER_END - ((word)LIMPET_THREADS_MAX << 20), 20, 2));
}

static void test_handler_errors(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 1), weak = weaker(b.component, 31 & ~LIMPET_MANAGE);
	word idle = object_new(LIMPET_COMPONENT, 1);

	(void)state;
	assert_status(call(COMPONENT_HANDLER, EMPTY, gate), ESLOT);
	assert_status(call(COMPONENT_HANDLER, gate, gate), ETYPE);
	assert_status(call(COMPONENT_HANDLER, weak, gate), ERIGHTS);
	assert_status(call(COMPONENT_HANDLER, b.component, EMPTY), ESLOT);
	assert_status(call(COMPONENT_HANDLER, b.component, b.component), ETYPE);
	assert_status(call(COMPONENT_HANDLER, idle, gate), ESTATE);
	assert_ok(call(COMPONENT_HANDLER, b.component, gate));
}

static void test_stop_errors(void **state)
{
	struct built b = component_new(1);

	(void)state;
	assert_status(call(COMPONENT_STOP, EMPTY), ESLOT);
	assert_status(call(COMPONENT_STOP, b.table), ETYPE);
	assert_status(call(COMPONENT_STOP, weaker(b.component, 31 & ~LIMPET_WRITE)), ERIGHTS);
	assert_status(call(COMPONENT_STOP, b.component, 2), ERANGE);
	assert_ok(call(COMPONENT_STOP, b.component));
}

static void test_open_errors(void **state)
{
	struct built b = component_new(1);

	(void)state;
	assert_status(call(COMPONENT_OPEN, EMPTY), ESLOT);
	assert_status(call(COMPONENT_OPEN, b.table), ETYPE);
	assert_status(call(COMPONENT_OPEN, weaker(b.component, 31 & ~LIMPET_WRITE)), ERIGHTS);
	assert_status(call(COMPONENT_OPEN, object_new(LIMPET_COMPONENT, 1)), ESTATE);
	assert_ok(call(COMPONENT_OPEN, b.component));
}

/* Stopping a component, running code in it and changing it need separate rights. */
static void test_rights_apart(void **state)
{
	struct built b = component_new(1);
	word stop = weaker(b.component, LIMPET_WRITE), exec = weaker(b.component, LIMPET_EXEC);
	word manage = weaker(b.component, LIMPET_MANAGE), gate = gate_new(&b, 1);
	word thread = object_new(LIMPET_THREAD, 2);

	(void)state;
	assert_status(call(THREAD_START, thread, stop, ENTRY, 0, 5, 0), ERIGHTS);
	assert_status(call(THREAD_START, thread, manage, ENTRY, 0, 5, 0), ERIGHTS);
	assert_status(call(GATE_CREATE, stop, ENTRY, 0, T, EMPTY), ERIGHTS);
	assert_status(call(GATE_CREATE, manage, ENTRY, 0, T, EMPTY), ERIGHTS);
	assert_status(call(COMPONENT_HANDLER, stop, gate), ERIGHTS);
	assert_status(call(COMPONENT_HANDLER, exec, gate), ERIGHTS);
	assert_status(call(COMPONENT_STOP, exec, LIMPET_STOP_CLOSE), ERIGHTS);
	assert_status(call(COMPONENT_STOP, manage, LIMPET_STOP_CLOSE), ERIGHTS);
	assert_ok(call(COMPONENT_STOP, stop, LIMPET_STOP_CLOSE));
	assert_status(call(COMPONENT_OPEN, exec), ERIGHTS);
	assert_status(call(COMPONENT_OPEN, manage), ERIGHTS);
	assert_ok(call(COMPONENT_OPEN, stop));
	assert_ok(call(COMPONENT_HANDLER, manage, gate));
	assert_ok(call(THREAD_START, thread, exec, ENTRY, 0, 5, 0));
	assert_ok(call(GATE_CREATE, exec, ENTRY, 0, T, EMPTY));
}

/*
 * A closed component cannot be entered, and threads inside leave. When it opens, it can be a
 * handler again.
 */
static void test_close(void **state)
{
	struct built b = component_new(1), helper = component_new(2);
	word gate = gate_new(&b, 3), thread = thread_new(&b, 1, 0);
	word later = object_new(LIMPET_THREAD, 2);

	(void)state;
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, b.table, 10, LIMPET_ALL));
	gate_give(&helper, 5, b.table, 1);
	assert_ok(call(COMPONENT_HANDLER, b.component, gate_new(&helper, 5)));
	assert_ok(call(THREAD_DISPATCH, thread));
	assert_ok(call(THREAD_DISPATCH, 10));
	assert_int_equal(invoke(gate), 3);
	assert_int_equal(invoke(1), 5);
	give_back(0);
	give_back(0);
	assert_ok(call(COMPONENT_STOP, b.component, LIMPET_STOP_CLOSE));
	assert_status(invoke(gate), ECRASH);
	assert_status(call(THREAD_START, later, b.component, ENTRY, 0, 5, 0), ESTATE);
	assert_ok(call(COMPONENT_STOP, b.component)); /* it stays closed */
	assert_status(invoke(gate), ECRASH);
	call(THREAD_DISPATCH, thread); /* it has no caller */
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_DEAD);
	assert_int_equal(component_of(&b)->entered, component_of(&b)->left);
}

static void test_open(void **state)
{
	struct built b = component_new(1), outer = component_new(2);

	(void)state;
	assert_ok(call(CAP_COPY, T, b.component, outer.table, 1, LIMPET_WRITE));
	gate_give(&b, 4, outer.table, 2);
	assert_int_equal(invoke(gate_new(&outer, 6)), 6);
	assert_ok(call(COMPONENT_STOP, 1, LIMPET_STOP_CLOSE));
	assert_status(invoke(2), ECRASH);
	assert_ok(call(COMPONENT_OPEN, 1));
	assert_int_equal(invoke(2), 4);
	give_back(0);
	assert_int_equal(user->status, 0);
}

/* A component that closes itself is left immediately. */
static void test_close_itself(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 3);

	(void)state;
	assert_ok(call(CAP_COPY, T, b.component, b.table, 10, LIMPET_ALL));
	assert_int_equal(invoke(gate), 3);
	call(COMPONENT_STOP, 10, LIMPET_STOP_CLOSE);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_status(invoke(gate), ECRASH);
}

/* A handler does not keep a component alive, also if it is the component itself or two handle each other. */
static void test_handlers_go(void **state)
{
	word used = frames_used();
	struct built a = component_new(1), b = component_new(2);

	(void)state;
	assert_ok(call(COMPONENT_HANDLER, a.component, gate_new(&a, 1)));
	assert_ok(call(COMPONENT_HANDLER, b.component, gate_new(&a, 1)));
	assert_ok(call(COMPONENT_HANDLER, a.component, gate_new(&b, 1)));
	assert_ok(delete_all(a.component));
	assert_null(component_of(&b)->handler.component);
	assert_ok(delete_all(b.component));
	assert_ok(delete_all(a.page_table));
	assert_ok(delete_all(a.table));
	assert_ok(delete_all(b.page_table));
	assert_ok(delete_all(b.table));
	assert_int_equal(frames_used(), used);
}

/*
 * Makes a chain of components, each of which can invoke the next by slot 1 of its table. The last
 * one has the right to stop all, in slots 10 and up.
 */
static void chain(struct built *b, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		b[i] = component_new(1 + i);
	for (unsigned int i = 0; i < count; i++)
		assert_ok(
			call(CAP_COPY, T, b[i].component, b[count - 1].table, 10 + i, LIMPET_ALL));
	for (unsigned int i = 0; i + 1 < count; i++)
		gate_give(&b[i + 1], 1, b[i].table, 1);
	assert_int_equal(invoke(gate_new(&b[0], 1)), 1);
	for (unsigned int i = 0; i + 1 < count; i++)
		assert_int_equal(invoke(1), 1);
}

/* The running component stops itself: its caller gets ECRASH immediately. */
static void test_stop_current(void **state)
{
	struct built b[3];

	(void)state;
	chain(b, 3);
	call(COMPONENT_STOP, 12);
	assert_ptr_equal(cpu->component, component_of(&b[1]));
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	give_back(5);
	assert_ptr_equal(cpu->component, component_of(&b[0]));
	assert_int_equal(user->status, 5);
}

/* A component in the middle is stopped: the thread continues, and skips it on its way back. */
static void test_stop_in_the_middle(void **state)
{
	struct built b[4];

	(void)state;
	chain(b, 4);
	assert_ok(call(COMPONENT_STOP, 11));
	assert_ok(call(COMPONENT_STOP, 12));
	assert_ptr_equal(cpu->component, component_of(&b[3]));
	give_back(5);
	assert_ptr_equal(cpu->component, component_of(&b[0]));
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

/* All components are stopped, including the caller, and the booter continues. */
static void test_stop_all(void **state)
{
	struct built b[4];

	(void)state;
	chain(b, 4);
	for (unsigned int i = 0; i < 4; i++)
		call(COMPONENT_STOP, 10 + i);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(component_of(&b[i])->left, component_of(&b[i])->entered);
}

/* Makes a chain of two with a thread in both, and revokes everything of which they are made. */
static struct built outer, inner;
static word in_both, watcher;

static void thread_in_both(void)
{
	watcher = object_new(LIMPET_ENDPOINT, 1);
	assert_ok(call(ENDPOINT_BIND, watcher, LIMPET_BOOT_THREAD));
	outer = component_new(1);
	inner = component_new(2);
	gate_give(&inner, 1, outer.table, 1);
	in_both = thread_new(&outer, 1, watcher);
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, inner.table, 10, LIMPET_MANAGE));
	call(THREAD_DISPATCH, in_both);
	assert_int_equal(invoke(1), 1);
	call(THREAD_DISPATCH, 10);
	assert_current(LIMPET_BOOT_THREAD);
}

static void watcher_notified(enum limpet_notice notice)
{
	assert_ok(call(ENDPOINT_RECEIVE, watcher, 0, LIMPET_NOWAIT));
	assert_int_equal(user->words[1], LIMPET_NOTICE(notice, 1));
}

/* A scheduler is notified only of threads that could run in the component, or in one that it invoked. */
static void test_stop_is_notified(void **state)
{
	(void)state;
	thread_in_both();
	assert_ok(call(COMPONENT_STOP, inner.component));
	watcher_notified(LIMPET_NOTICE_STOPPED);
	assert_ok(call(COMPONENT_STOP, outer.component));
	watcher_notified(LIMPET_NOTICE_STOPPED);
	assert_status(call(ENDPOINT_RECEIVE, watcher, 0, LIMPET_NOWAIT), EEMPTY);
	call(THREAD_DISPATCH, in_both);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_DEAD, 1));
	assert_ok(call(COMPONENT_STOP, outer.component));
	assert_status(call(ENDPOINT_RECEIVE, watcher, 0, LIMPET_NOWAIT), EEMPTY);
}

/*
 * The first 64 threads are notified immediately, and the others at later entries of the kernel. A thread that starts in
 * the component meanwhile is not stopped. Another stop meanwhile reaches all threads, too.
 */
static void test_stop_of_many(void **state)
{
	struct built b = component_new(1), other = component_new(2);
	word late = object_new(LIMPET_THREAD, THREAD_FRAMES);

	(void)state;
	watcher = object_new(LIMPET_ENDPOINT, 1);
	assert_ok(call(ENDPOINT_BIND, watcher, LIMPET_BOOT_THREAD));
	thread_new(&b, 1, watcher);
	thread_new(&b, 200, watcher);
	thread_new(&other, 2, watcher);
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_int_equal(cpu->notify_left, 201 - 64);
	watcher_notified(LIMPET_NOTICE_STOPPED);
	assert_status(call(ENDPOINT_RECEIVE, watcher, 0, LIMPET_NOWAIT), EEMPTY);
	assert_ok(call(THREAD_START, late, b.component, ENTRY, 1, 190, watcher));
	interrupt();
	assert_ok(call(COMPONENT_STOP, other.component));
	for (unsigned int i = 0; i < 4; i++)
		interrupt();
	assert_int_equal(cpu->notify_left, 0);
	assert_ok(call(ENDPOINT_RECEIVE, watcher, 0, LIMPET_NOWAIT));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_STOPPED, 200));
	watcher_notified(LIMPET_NOTICE_STOPPED); /* a second notice, because it has not run since */
	assert_ok(call(ENDPOINT_RECEIVE, watcher, 0, LIMPET_NOWAIT));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_STOPPED, 2));
	assert_status(call(ENDPOINT_RECEIVE, watcher, 0, LIMPET_NOWAIT), EEMPTY);
}

/* A stopped component can be invoked again immediately. */
static void test_stop_and_invoke(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 3);

	(void)state;
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_int_equal(invoke(gate), 3);
	give_back(0);
	assert_int_equal(user->status, 0);
}

/*
 * A component is stopped twice and entered in between. For a thread that entered after the first
 * stop, only the second one counts.
 */
static void test_stop_between(void **state)
{
	struct built b = component_new(1);

	(void)state;
	assert_ok(call(CAP_COPY, T, b.component, b.table, 10, LIMPET_ALL));
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_int_equal(invoke(gate_new(&b, 1)), 1);
	call(COMPONENT_STOP, 10);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

/* A waiting thread whose component is stopped becomes ready, so that it can leave. */
static void test_stop_with_waiting_thread(void **state)
{
	struct built b = component_new(1);
	word sched = object_new(LIMPET_ENDPOINT, 1), thread = thread_new(&b, 1, sched);
	word ep = endpoint_new(thread);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, sched, LIMPET_BOOT_THREAD));
	assert_ok(call(CAP_COPY, T, ep, b.table, 2, LIMPET_READ));
	assert_ok(call(THREAD_DISPATCH, thread));
	call(ENDPOINT_RECEIVE, 2, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_WAITING, 1));
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_READY);
	assert_ok(call(ENDPOINT_RECEIVE, sched, 0, LIMPET_NOWAIT));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 1));
	assert_ok(call(THREAD_DISPATCH, thread)); /* runs, has no caller, and dies */
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_DEAD, 1));
	assert_int_equal(thread_of(thread)->state, LIMPET_THREAD_DEAD);
}

/* Threads at each depth return to their live caller, at their next step. */
static void test_stop_at_depths(void **state)
{
	struct built outer = component_new(1), middle = component_new(2), inner = component_new(3);
	word thread[3];

	(void)state;
	gate_give(&middle, 1, outer.table, 1);
	gate_give(&inner, 1, middle.table, 1);
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, outer.table, 10, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, middle.table, 10, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, inner.table, 10, LIMPET_ALL));
	for (unsigned int i = 0; i < 3; i++) {
		thread[i] = thread_new(&outer, 1 + i, 0);
		assert_ok(call(THREAD_DISPATCH, thread[i]));
		for (unsigned int depth = 0; depth < i; depth++)
			assert_int_equal(invoke(1), 1);
		assert_ok(call(THREAD_DISPATCH, 10));
	}
	assert_ok(call(COMPONENT_STOP, middle.component));
	assert_ok(call(THREAD_DISPATCH, thread[0])); /* it was not in the stopped component */
	assert_ptr_equal(cpu->component, component_of(&outer));
	assert_int_equal(user->status, LIMPET_OK);
	assert_ok(call(THREAD_DISPATCH, 10));
	assert_ok(call(THREAD_DISPATCH, thread[1])); /* it was in it, so it returns to its caller */
	assert_ptr_equal(cpu->component, component_of(&outer));
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_ok(call(THREAD_DISPATCH, 10));
	assert_ok(call(THREAD_DISPATCH, thread[2])); /* it had invoked another component */
	assert_ptr_equal(cpu->component, component_of(&inner));
	give_back(0);
	assert_ptr_equal(cpu->component, component_of(&outer));
	assert_int_equal((long)user->status, LIMPET_ECRASH);
}

static void test_destroy_with_thread_inside(void **state)
{
	struct built b = component_new(1);

	(void)state;
	assert_ok(call(CAP_COPY, T, T, b.table, 1, LIMPET_ALL));
	assert_int_equal(invoke(gate_new(&b, 1)), 1);
	machine.partial = true; /* gates derived from it are deleted first */
	assert_ok(call(CAP_COPY, 1, b.component, 1, EMPTY, LIMPET_ALL));
	assert_ok(call(CAP_DELETE, 1, EMPTY)); /* not the last name */
	assert_status(call(CAP_DELETE, 1, b.component), EBUSY);
	assert_int_equal(component_of(&b)->root,
			 hal_page_table_root(&component_of(&b)->page_table->hal));
	give_back(0);
	assert_ok(delete_all(b.component));
}

/* A thread that was stopped but did not run yet is still inside. */
static void test_destroy_stopped(void **state)
{
	struct built b = component_new(1);
	word thread = thread_new(&b, 1, 0);

	(void)state;
	assert_ok(call(COMPONENT_STOP, b.component));
	assert_status(call(CAP_DELETE, T, b.component), EBUSY);
	assert_ok(delete_all(thread));
	assert_ok(delete_all(b.component));
}

/* With its last name, a component also frees its table and page table, unless they have other names. */
static void test_destroy_takes_parts(void **state)
{
	word used = frames_used();
	struct built b = component_new(1), other = component_new(2);

	(void)state;
	assert_ok(delete_all(b.page_table));
	assert_ok(delete_all(b.table));
	assert_non_null(component_of(&b)->table);
	assert_ok(call(COMPONENT_HANDLER, other.component, gate_new(&b, 1)));
	assert_ok(delete_all(b.component));
	assert_null(component_of(&other)->handler.component);
	assert_ok(delete_all(other.component));
	assert_ok(delete_all(other.page_table));
	assert_ok(delete_all(other.table));
	assert_int_equal(frames_used(), used);
}

/* During a destruction in steps, the component can neither be entered nor activated again. */
static void test_destruction_started(void **state)
{
	struct built b = component_new(1);
	word frames = frames_new(4), gate = gate_new(&b, 1);
	word pt = page_table_new(1), table = object_new(LIMPET_TABLE, 1);

	(void)state;
	assert_ok(call(PT_MAP, b.page_table, frames, 0, 0x10000000, 4, LIMPET_READ));
	assert_ok(delete_all(b.page_table));
	assert_status(call(CAP_DELETE, T, b.component), EAGAIN);
	assert_status(call(COMPONENT_ACTIVATE, b.component, pt, table, STACKS, 14, 2), ESLOT);
	assert_int_equal(invoke(gate), LIMPET_ESLOT);
	assert_ok(delete_all(b.component));
	assert_null(cpu->components[1]);
}

/* The last name of the component is in its own table. */
static void test_destroy_with_itself_in_its_table(void **state)
{
	word used = frames_used();
	struct built b = component_new(1);
	word frames = b.component - 1;

	(void)state;
	assert_ok(call(CAP_COPY, T, b.table, b.table, 2, LIMPET_ALL));
	assert_ok(call(CAP_MOVE, T, b.component, b.table, 1));
	assert_ok(delete_all(b.table));
	assert_ok(delete_all(b.page_table));
	assert_ok(revoke_all(frames));
	assert_int_equal(frames_used(), used);
}

/* The thread inside returns to its caller with ECRASH. Then the component is destroyed. */
static void test_revoke_with_thread_inside(void **state)
{
	word frames, used;

	(void)state;
	thread_in_both();
	frames = inner.component - 1;
	used = frames_used();
	assert_ok(revoke_all(frames));
	assert_int_equal(frames_used(), used); /* not yet */
	watcher_notified(LIMPET_NOTICE_STOPPED);
	call(THREAD_DISPATCH, in_both);
	assert_ptr_equal(cpu->component, component_of(&outer));
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	give_back(0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_ok(revoke_all(frames));
	assert_int_equal(frames_used(), used - 1);
	assert_ok(call(FRAME_RETYPE, frames, LIMPET_ENDPOINT, T, inner.component));
}

/* The thread had already invoked another component, and skips the stopped one when it returns. */
static void test_revoke_with_thread_beyond(void **state)
{
	word frames, used;

	(void)state;
	thread_in_both();
	frames = outer.component - 1;
	used = frames_used();
	assert_ok(revoke_all(frames));
	watcher_notified(LIMPET_NOTICE_STOPPED);
	call(THREAD_DISPATCH, in_both);
	assert_ptr_equal(cpu->component, component_of(&inner));
	give_back(0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_DEAD, 1));
	assert_ok(revoke_all(frames));
	assert_int_equal(frames_used(), used - 1);
}

/* The deletion of the thread, the last one inside, destroys the components. */
static void test_revoke_then_thread_goes(void **state)
{
	word used = frames_used();

	(void)state;
	thread_in_both();
	assert_ok(delete_all(inner.page_table));
	assert_ok(delete_all(inner.table));
	assert_ok(delete_all(outer.page_table));
	assert_ok(delete_all(outer.table));
	assert_ok(revoke_all(inner.component - 1));
	assert_ok(revoke_all(outer.component - 1));
	assert_ok(delete_all(in_both));
	assert_ok(delete_all(watcher));
	assert_int_equal(frames_used(), used);
}

/* With two threads inside, the component is destroyed with the last one, also if one call deletes both. */
static void test_revoke_with_two_inside(void **state)
{
	word used = frames_used();

	(void)state;
	for (unsigned int at_once = 0; at_once < 2; at_once++) {
		struct built b = component_new(1);
		word one = thread_new(&b, 1, 0), two = thread_new(&b, 2, 0), table = slot_new();

		assert_ok(call(FRAME_RETYPE, frames_new(1), LIMPET_TABLE, T, table));
		assert_ok(call(CAP_MOVE, T, one, table, 1));
		assert_ok(call(CAP_MOVE, T, two, table, 2));
		assert_ok(revoke_all(b.component - 1));
		if (!at_once)
			assert_ok(call(CAP_DELETE, table, 1));
		assert_int_equal(registry_has(cpu->components[1], LIMPET_COMPONENT), 1);
		assert_ok(delete_all(table));
		assert_null(cpu->components[1]);
		assert_ok(delete_all(b.page_table));
		assert_ok(delete_all(b.table));
		assert_int_equal(frames_used(), used);
	}
}

/* A component revokes its own objects while it runs. The thread returns to its caller immediately. */
static void test_revoke_itself(void **state)
{
	struct built b = component_new(1);
	word frames = b.component - 1, gate = gate_new(&b, 1), used;

	(void)state;
	assert_ok(call(CAP_COPY, T, T, b.table, 1, LIMPET_ALL));
	used = frames_used();
	assert_int_equal(invoke(gate), 1);
	call(CAP_REVOKE, 1, frames);
	assert_ptr_equal(cpu->component, cpu->components[0]);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_ok(revoke_all(frames));
	assert_int_equal(frames_used(), used - 1);
}

/* A component that is being destroyed handles no faults. */
static void test_closing_handler(void **state)
{
	(void)state;
	thread_in_both();
	assert_ok(call(COMPONENT_HANDLER, outer.component, gate_new(&inner, 5)));
	assert_ok(revoke_all(inner.component - 1));
	assert_int_equal(component_of(&outer)->handler.component->root, 0); /* no thread enters */
	assert_non_null(cpu->components[2]); /* its index is still in use */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_activate_errors),
		TEST(test_activate_ranges),
		TEST(test_handler_errors),
		TEST(test_stop_errors),
		TEST(test_open_errors),
		TEST(test_rights_apart),
		TEST(test_close),
		TEST(test_open),
		TEST(test_close_itself),
		TEST(test_handlers_go),
		TEST(test_stop_current),
		TEST(test_stop_in_the_middle),
		TEST(test_stop_all),
		TEST(test_stop_is_notified),
		TEST(test_stop_of_many),
		TEST(test_stop_and_invoke),
		TEST(test_stop_between),
		TEST(test_stop_with_waiting_thread),
		TEST(test_stop_at_depths),
		TEST(test_destroy_with_thread_inside),
		TEST(test_destroy_stopped),
		TEST(test_destroy_takes_parts),
		TEST(test_destruction_started),
		TEST(test_destroy_with_itself_in_its_table),
		TEST(test_revoke_with_thread_inside),
		TEST(test_revoke_with_thread_beyond),
		TEST(test_revoke_then_thread_goes),
		TEST(test_revoke_with_two_inside),
		TEST(test_revoke_itself),
		TEST(test_closing_handler),
	};

	return RUN("component", tests);
}
