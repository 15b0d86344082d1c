// SPDX-License-Identifier: GPL-2.0
/* Tests endpoints: events, urgency, notices, schedulers. test_timer.c tests time. */
#include "objects.h"

#define EVENT 4 /* bit that tests send */
#define EP 2	/* slot of a component's own endpoint */

/* Makes a component whose thread waits for events. */
struct waiter {
	struct built b;
	word thread, ep;
};

static word scheduler; /* slot of the endpoint at which the booter's thread is a scheduler */

static void scheduler_new(word urgency)
{
	scheduler = object_new(LIMPET_ENDPOINT, 1);
	assert_ok(call(ENDPOINT_BIND, scheduler, LIMPET_BOOT_THREAD));
	assert_ok(call(THREAD_URGENCY, LIMPET_BOOT_THREAD, urgency));
}

static struct waiter waiter_new(word id, word urgency)
{
	struct waiter w = { .b = component_new(id) };

	w.thread = thread_new(&w.b, id, scheduler);
	w.ep = endpoint_new(w.thread);
	assert_ok(call(THREAD_URGENCY, w.thread, urgency));
	assert_ok(call(CAP_COPY, T, w.ep, w.b.table, EP, LIMPET_READ | LIMPET_WRITE));
	return w;
}

/* Runs the waiter until it waits. Its scheduler, the booter's thread, then receives the notice. */
static void waiter_wait(const struct waiter *w, word id)
{
	call(THREAD_DISPATCH, w->thread);
	assert_current(w->thread);
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_WAITING, id));
	assert_int_equal(user->words[2], 0);
}

static void test_bind_errors(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1), other = object_new(LIMPET_ENDPOINT, 1);
	word t = object_new(LIMPET_THREAD, 2), weak_t = weaker(t, 31 & ~LIMPET_MANAGE);
	word weak = weaker(ep, 31 & ~LIMPET_MANAGE), second = object_new(LIMPET_THREAD, 2);

	(void)state;
	assert_status(call(ENDPOINT_BIND, EMPTY, t), ESLOT);
	assert_status(call(ENDPOINT_BIND, t, t), ETYPE);
	assert_status(call(ENDPOINT_BIND, weak, t), ERIGHTS);
	assert_status(call(ENDPOINT_BIND, ep, EMPTY), ESLOT);
	assert_status(call(ENDPOINT_BIND, ep, ep), ETYPE);
	assert_status(call(ENDPOINT_BIND, ep, weak_t), ERIGHTS);
	assert_ok(call(ENDPOINT_BIND, ep, t));
	assert_status(call(ENDPOINT_BIND, ep, second), EFULL);
	assert_status(call(ENDPOINT_BIND, other, t), EFULL);
}

static void test_send_errors(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1), read = weaker(ep, LIMPET_READ);

	(void)state;
	assert_status(call(ENDPOINT_SEND, EMPTY, 1), ESLOT);
	assert_status(call(ENDPOINT_SEND, T, 1), ETYPE);
	assert_status(call(ENDPOINT_SEND, read, 1), ERIGHTS);
	assert_status(call(ENDPOINT_SEND, ep, 0), ERANGE);
	assert_status(call(ENDPOINT_SEND, ep, LIMPET_EVENT_TIMER), ERANGE);
	assert_status(call(ENDPOINT_SEND, ep, LIMPET_EVENT_EARLY | 1), ERANGE);
}

static void test_receive_errors(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1), other = object_new(LIMPET_ENDPOINT, 1);
	word write = weaker(ep, LIMPET_WRITE);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_status(call(ENDPOINT_RECEIVE, EMPTY, 0, 0), ESLOT);
	assert_status(call(ENDPOINT_RECEIVE, T, 0, 0), ETYPE);
	assert_status(call(ENDPOINT_RECEIVE, write, 0, 0), ERIGHTS);
	assert_status(call(ENDPOINT_RECEIVE, other, 0, 0), ESTATE);
	assert_status(call(ENDPOINT_RECEIVE, ep, 0, 2), ERANGE);
	assert_status(call(ENDPOINT_RECEIVE, ep, 0, 1ul << 32), ERANGE);
	assert_status(call(ENDPOINT_RECEIVE, ep, 0, LIMPET_NOWAIT), EEMPTY);
	assert_status(call(ENDPOINT_RECEIVE, ep, 99, LIMPET_NOWAIT), ERIGHTS);
	assert_status(call(ENDPOINT_RECEIVE, ep, LIMPET_NEVER, 0), ERIGHTS);
}

/* Bits are kept until the receive, and are not counted. */
static void test_events_are_kept(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(ENDPOINT_SEND, ep, 1));
	assert_ok(call(ENDPOINT_SEND, ep, 1));
	assert_ok(call(ENDPOINT_SEND, ep, 1ul << 61));
	assert_ok(call(ENDPOINT_RECEIVE, ep, 0, 0));
	assert_int_equal(user->words[0], 1 | 1ul << 61);
	assert_int_equal(user->words[1], 0);
	assert_int_equal(user->words[2], 0);
	assert_status(call(ENDPOINT_RECEIVE, ep, 0, LIMPET_NOWAIT), EEMPTY);
}

/* A waiter of higher urgency runs immediately. Its receive returns the preempted thread. */
static void test_urgent_preempts(void **state)
{
	struct waiter w, low;

	(void)state;
	scheduler_new(3);
	w = waiter_new(1, 9);
	low = waiter_new(2, 2);
	waiter_wait(&w, 1);
	call(THREAD_DISPATCH, low.thread);
	assert_ok(call(ENDPOINT_SEND, EP, EVENT)); /* to itself; it is not waiting */
	assert_current(low.thread);
	source_bind(&cpu->source[INBOX_PORT + 3], endpoint_of(w.ep), 1);
	port_came(3);
	interrupt();
	assert_current(w.thread);
	assert_int_equal(user->status, LIMPET_OK);
	assert_int_equal(user->words[0], 1);
	assert_int_equal(user->words[2], 1 + 2);
	assert_int_equal(thread_of(low.thread)->state, LIMPET_THREAD_READY);
	call(ENDPOINT_RECEIVE, EP, 0, 0); /* returns to the scheduler */
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_WAITING, 1));
}

/* A waiter of equal urgency does not run. Its scheduler is notified once. */
static void test_equal_waits(void **state)
{
	struct waiter w, sender;

	(void)state;
	scheduler_new(1);
	w = waiter_new(1, 1);
	sender = waiter_new(2, 1);
	waiter_wait(&w, 1);
	assert_ok(call(CAP_COPY, T, w.ep, sender.b.table, 5, LIMPET_WRITE));
	endpoint_schedule(thread_of(sender.thread), NULL); /* not a thread of w's scheduler, */
	call(THREAD_DISPATCH, sender.thread);
	assert_ok(call(ENDPOINT_SEND, 5, 1));
	assert_ok(call(ENDPOINT_SEND, 5, 2));
	assert_current(sender.thread); /* which also has no higher urgency */
	endpoint_schedule(thread_of(sender.thread), endpoint_of(scheduler));
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 1));
	assert_ok(call(ENDPOINT_RECEIVE, scheduler, 0, LIMPET_NOWAIT));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_WAITING, 2));
	assert_ok(call(ENDPOINT_SEND, w.ep, 4)); /* the scheduler knows that w is ready */
	assert_status(call(ENDPOINT_RECEIVE, scheduler, 0, LIMPET_NOWAIT), EEMPTY);
	call(THREAD_DISPATCH, w.thread);
	assert_current(w.thread);
	assert_int_equal(user->words[0], 7);
}

/*
 * A notice wakes a scheduler's thread that has dispatched another one, if it has the higher
 * urgency.
 */
static void test_scheduler_wakes(void **state)
{
	struct waiter w, sender;

	(void)state;
	scheduler_new(255);
	w = waiter_new(1, 1);
	sender = waiter_new(2, 1);
	waiter_wait(&w, 1);
	assert_ok(call(CAP_COPY, T, w.ep, sender.b.table, 5, LIMPET_WRITE));
	call(THREAD_DISPATCH, sender.thread);
	call(ENDPOINT_SEND, 5, 1);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->status, LIMPET_OK);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 1));
	assert_int_equal(user->words[2], 1 + 2);
	assert_int_equal(thread_of(sender.thread)->regs.status, LIMPET_OK); /* status of its send */
}

/* A dispatch returns pending notices immediately, without a switch. */
static void test_dispatch_receives(void **state)
{
	struct waiter w;

	(void)state;
	scheduler_new(255);
	w = waiter_new(1, 1);
	assert_ok(call(ENDPOINT_SEND, scheduler, 8));
	assert_ok(call(THREAD_DISPATCH, w.thread));
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[0], 8);
	call(THREAD_DISPATCH, w.thread);
	assert_current(w.thread);
}

/* A newer state replaces an unread one. Threads keep the order of their first unread notice. */
static void test_notices(void **state)
{
	struct waiter w[3];

	(void)state;
	scheduler_new(1);
	for (unsigned int i = 0; i < 3; i++)
		w[i] = waiter_new(1 + i, 0);
	for (unsigned int i = 0; i < 3; i++)
		waiter_wait(&w[i], 1 + i);
	for (unsigned int i = 0; i < 3; i++)
		assert_ok(call(ENDPOINT_SEND, w[2 - i].ep, 1));
	endpoint_notice(cpu, thread_of(w[2].thread), LIMPET_NOTICE_DEAD); /* unread: replaced */
	assert_ok(call(ENDPOINT_RECEIVE, scheduler, 0, 0));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_DEAD, 3));
	assert_ok(call(ENDPOINT_RECEIVE, scheduler, 0, 0));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 2));
	assert_ok(call(ENDPOINT_RECEIVE, scheduler, 0, 0));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 1));
}

/* Threads with unread notices are deleted: the first, the last, and the one in the middle. */
static void test_notices_of_destroyed(void **state)
{
	struct waiter w[5];

	(void)state;
	scheduler_new(1);
	for (unsigned int i = 0; i < 5; i++)
		w[i] = waiter_new(1 + i, 0);
	for (unsigned int i = 0; i < 5; i++)
		waiter_wait(&w[i], 1 + i);
	for (unsigned int i = 0; i < 5; i++)
		assert_ok(call(ENDPOINT_SEND, w[i].ep, 1));
	assert_ok(delete_all(w[0].thread));
	assert_ok(delete_all(w[4].thread));
	assert_ok(delete_all(w[2].thread));
	assert_ok(call(ENDPOINT_RECEIVE, scheduler, 0, 0));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 2));
	assert_ok(call(ENDPOINT_SEND, w[0].ep, 1)); /* no thread waits there */
	assert_ok(call(ENDPOINT_RECEIVE, scheduler, 0, 0));
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 4));
	assert_status(call(ENDPOINT_RECEIVE, scheduler, 0, LIMPET_NOWAIT), EEMPTY);
}

/* With nested schedulers, the notice goes up until it reaches a thread of higher urgency. */
static void test_schedulers_nest(void **state)
{
	struct waiter sub, low, other;

	(void)state;
	scheduler_new(255);
	sub = waiter_new(1, 1);
	other = waiter_new(3, 1);
	low = (struct waiter){ .b = component_new(2) };
	low.thread = thread_new(&low.b, 2, sub.ep); /* sub schedules it */
	low.ep = endpoint_new(low.thread);
	assert_ok(call(CAP_COPY, T, low.ep, low.b.table, EP, LIMPET_READ));
	assert_ok(call(CAP_COPY, T, low.ep, other.b.table, 5, LIMPET_WRITE));
	assert_ok(call(CAP_COPY, T, low.thread, sub.b.table, 6, LIMPET_MANAGE));
	call(THREAD_DISPATCH, sub.thread);
	call(THREAD_DISPATCH, 6);
	assert_current(low.thread);
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(sub.thread);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_WAITING, 2));
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_WAITING, 1));
	call(THREAD_DISPATCH, other.thread);
	call(ENDPOINT_SEND, 5, 1); /* low is ready, so sub is ready, so the booter runs */
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 1));
	call(THREAD_DISPATCH, sub.thread);
	assert_current(sub.thread);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 2));
}

/* Makes a nested scheduler under the booter, with two threads. */
static struct waiter part, first, second, other;

static struct waiter part_thread_new(word id, word slot)
{
	struct waiter w = { .b = component_new(id) };

	w.thread = thread_new(&w.b, id, part.ep);
	w.ep = endpoint_new(w.thread);
	assert_ok(call(CAP_COPY, T, w.ep, w.b.table, EP, LIMPET_READ));
	assert_ok(call(CAP_COPY, T, w.thread, part.b.table, slot, LIMPET_MANAGE));
	return w;
}

static void part_build(void)
{
	scheduler_new(255);
	part = waiter_new(1, 0);
	other = waiter_new(4, 0);
	first = part_thread_new(2, 6);
	second = part_thread_new(3, 7);
}

/* The second thread waits for events, and the first one runs. Both have no urgency. */
static void part_run(void)
{
	call(THREAD_DISPATCH, part.thread);
	call(THREAD_DISPATCH, 7);
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(part.thread);
	call(THREAD_DISPATCH, 6);
	assert_current(first.thread);
}

static void part_new(void)
{
	part_build();
	part_run();
}

/* Sends an event from outside, like a device. */
static void event_for(word ep)
{
	source_bind(&cpu->source[INBOX_PORT + 3], endpoint_of(ep), 1);
	port_came(3);
	interrupt();
}

/* A scheduler decides if one of its threads becomes ready while another one of them runs. */
static void test_part_preempts_itself(void **state)
{
	(void)state;
	part_new();
	event_for(second.ep);
	assert_current(part.thread);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 3));
	assert_int_equal(user->words[2], 1 + 2);
}

/*
 * While a thread of another scheduler runs, it must wait until its own scheduler dispatches it
 * again.
 */
static void test_part_preempts_no_other_thread(void **state)
{
	(void)state;
	part_new();
	event_for(scheduler);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[2], 1 + 1); /* it had dispatched this thread */
	call(THREAD_DISPATCH, other.thread);
	event_for(second.ep);
	assert_current(other.thread);
	assert_ok(call(ENDPOINT_SEND, EP, 1)); /* to itself */
	event_for(scheduler);
	assert_int_equal(user->words[2], 1 + 4);
	call(THREAD_DISPATCH, part.thread);
	assert_current(part.thread);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 3));
	assert_int_equal(user->words[2], 1 + 2); /* first ran when its scheduler lost the CPU */
	call(THREAD_DISPATCH, 6);
	assert_current(first.thread);
}

/* Without urgency, an event does not get an idle CPU either. The scheduler with urgency decides. */
static void test_no_urgency_on_an_idle_cpu(void **state)
{
	(void)state;
	part_new();
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(part.thread);
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	call(ENDPOINT_RECEIVE, scheduler, 0, 0);
	assert_true(cpu->idle);
	source_bind(&cpu->source[INBOX_PORT + 3], endpoint_of(first.ep), 1);
	port_came(3);
	host_serve();
	assert_false(cpu->idle);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 1));
	assert_int_equal(user->words[2], 0);
}

/*
 * A scheduler's component is stopped while it runs others. Its own scheduler is notified. When it
 * gets the CPU, it is dead, and does not receive its events.
 */
static void test_scheduler_stopped(void **state)
{
	struct waiter sub, low;

	(void)state;
	scheduler_new(1);
	sub = waiter_new(1, 1);
	low = (struct waiter){ .b = component_new(2) };
	low.thread = thread_new(&low.b, 2, sub.ep);
	low.ep = endpoint_new(low.thread);
	assert_ok(call(CAP_COPY, T, low.ep, low.b.table, EP, LIMPET_READ));
	assert_ok(call(CAP_COPY, T, sub.ep, low.b.table, 4, LIMPET_WRITE));
	assert_ok(call(CAP_COPY, T, sub.b.component, low.b.table, 3, LIMPET_WRITE));
	assert_ok(call(CAP_COPY, T, low.thread, sub.b.table, 6, LIMPET_MANAGE));
	call(THREAD_DISPATCH, sub.thread);
	call(THREAD_DISPATCH, 6);
	assert_ok(call(COMPONENT_STOP, 3));
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_STOPPED, 1));
	assert_int_equal(user->words[2], 1 + 1);
	call(THREAD_DISPATCH, low.thread);
	assert_ok(call(ENDPOINT_SEND, 4, 16));
	call(ENDPOINT_RECEIVE, EP, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_DEAD, 1));
	assert_int_equal(endpoint_of(sub.ep)->bits, 16);
}

/* Inside an invoked component, a scheduler's thread is like any other thread. No notice is lost. */
static void test_scheduler_dispatches_inside(void **state)
{
	struct built server = component_new(5);

	(void)state;
	part_build();
	assert_ok(call(CAP_COPY, T, gate_new(&server, 1), part.b.table, 9, 31));
	assert_ok(call(CAP_COPY, T, other.thread, server.table, 5, LIMPET_MANAGE));
	part_run();
	event_for(second.ep);
	assert_current(part.thread); /* the notice is received, the next one is not */
	endpoint_of(part.ep)->bits = 8;
	invoke(9);
	assert_ok(call(THREAD_DISPATCH, 5));
	assert_current(other.thread);
	assert_int_equal(endpoint_of(part.ep)->bits, 8);
}

/*
 * A nested scheduler that crashes dies, with its threads. Its own scheduler is notified
 * immediately.
 */
static void test_nested_scheduler_crashes(void **state)
{
	(void)state;
	part_build();
	assert_ok(call(CAP_COPY, T, gate_new(&part.b, 1), first.b.table, 9, 31));
	part_run();
	invoke(9);
	fault(14, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_false(cpu->host.pending & HOST_END);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_STOPPED, 1));
	call(THREAD_DISPATCH, part.thread);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_DEAD, 1));
	assert_int_equal(component_of(&part.b)->root, 0);
}

/* A crash of the scheduler that keeps the time ends the system. */
static void test_root_scheduler_crashes(void **state)
{
	(void)state;
	part_build();
	cpu->timekeeper = component_of(&part.b);
	assert_ok(call(CAP_COPY, T, gate_new(&part.b, 1), first.b.table, 9, 31));
	part_run();
	invoke(9);
	assert_false(cpu->host.pending & HOST_END);
	fault(14, 0, 0);
	assert_true(cpu->host.pending & HOST_END);
}

/* An event ends also if schedulers refer to each other in a cycle. */
static void test_schedulers_in_circle(void **state)
{
	struct waiter a, b;
	word c = object_new(LIMPET_THREAD, 2), own = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	scheduler = 0;
	a = waiter_new(1, 0);
	scheduler = a.ep;
	b = waiter_new(2, 0);
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, a.b.table, 9, LIMPET_MANAGE));
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, b.b.table, 9, LIMPET_MANAGE));
	endpoint_schedule(thread_of(a.thread), endpoint_of(b.ep));
	endpoint_of(b.ep)->schedules = true;
	assert_ok(call(THREAD_URGENCY, LIMPET_BOOT_THREAD, 5));
	call(THREAD_DISPATCH, a.thread);
	call(THREAD_DISPATCH, 9);
	call(THREAD_DISPATCH, b.thread);
	call(THREAD_DISPATCH, 9);
	assert_current(LIMPET_BOOT_THREAD);
	assert_ok(call(ENDPOINT_SEND, a.ep, 1));
	assert_ok(call(ENDPOINT_SEND, b.ep, 1));
	assert_ok(call(ENDPOINT_BIND, own, c)); /* a thread that schedules itself */
	assert_ok(call(THREAD_START, c, a.b.component, ENTRY, 0, 3, own));
	assert_ok(call(CAP_COPY, T, own, a.b.table, 3, LIMPET_READ));
	call(THREAD_DISPATCH, c);
	call(THREAD_DISPATCH, 9);
	assert_ok(call(ENDPOINT_SEND, own, 1));
	assert_current(LIMPET_BOOT_THREAD);
}

/* No thread can run: the CPU idles until an event for any thread. */
static void test_idle(void **state)
{
	struct waiter w;
	word ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	scheduler = 0;
	w = waiter_new(1, 0);
	assert_ok(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep, 0));
	assert_ok(call(PORT_EXPORT, LIMPET_BOOT_CPU, w.ep, 1));
	call(ENDPOINT_RECEIVE, ep, 0, 0); /* the booter has no scheduler */
	assert_true(cpu->idle);
	assert_true(cpu->host.pending & HOST_IDLE);
	host_serve();
	assert_true(cpu->host.pending & HOST_IDLE);
	host_serve();
	assert_int_equal(host->idles, 2);
	port_came(1); /* w is ready, but does not wait: the CPU stays idle */
	host_serve();
	assert_true(cpu->idle);
	port_came(0);
	host_serve();
	assert_false(cpu->idle);
	assert_false(cpu->host.pending & HOST_IDLE);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[0], 1);
	assert_int_equal(user->words[2], 0);
}

/* An endpoint is deleted while its thread waits there, or runs other threads. The result is ECRASH. */
static void test_destroyed_meanwhile(void **state)
{
	struct waiter w;

	(void)state;
	scheduler_new(1);
	w = waiter_new(1, 0);
	waiter_wait(&w, 1);
	assert_ok(delete_all(w.ep));
	assert_int_equal(thread_of(w.thread)->state, LIMPET_THREAD_READY);
	call(ENDPOINT_RECEIVE, scheduler, 0, 0);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 1));
	call(THREAD_DISPATCH, w.thread);
	assert_int_equal((long)user->status, LIMPET_ECRASH);
	assert_null(thread_of(w.thread)->endpoint);
}

static void test_scheduler_endpoint_destroyed(void **state)
{
	struct waiter w;

	(void)state;
	scheduler_new(1);
	w = waiter_new(1, 0);
	assert_ok(call(CAP_COPY, T, T, w.b.table, 1, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, w.b.table, 7, LIMPET_MANAGE));
	assert_ok(call(CPU_TIMER, LIMPET_BOOT_CPU, scheduler));
	assert_ok(call(PORT_EXPORT, LIMPET_BOOT_CPU, scheduler, 9));
	assert_ok(call(CHANNEL_CREATE, LIMPET_BOOT_CPU, frames_new(1), scheduler, 1, T, EMPTY));
	call(THREAD_DISPATCH, w.thread);
	assert_ok(call(CAP_DELETE, 1, scheduler));
	assert_current(w.thread);
	assert_null(cpu->timer);
	assert_null(cpu->source[INBOX_PORT + 9].endpoint);
	assert_null(cpu->source[INBOX_CHANNEL + 1].endpoint);
	assert_null(thread_of(w.thread)->scheduler);
	assert_ok(call(THREAD_DISPATCH, 7));
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal((long)user->status, LIMPET_ECRASH); /* status of its dispatch */
	call(THREAD_DISPATCH, w.thread);
	call(ENDPOINT_RECEIVE, EP, 0, 0); /* no thread is notified */
	assert_true(cpu->idle);
}

/* Does the same with queued notices. */
static void test_scheduler_destroyed_with_notices(void **state)
{
	struct waiter w[2];

	(void)state;
	scheduler_new(1);
	w[0] = waiter_new(1, 0);
	w[1] = waiter_new(2, 0);
	waiter_wait(&w[0], 1);
	waiter_wait(&w[1], 2);
	assert_ok(call(ENDPOINT_SEND, w[0].ep, 1));
	assert_ok(call(ENDPOINT_SEND, w[1].ep, 1));
	assert_ok(delete_all(scheduler));
	assert_int_equal(thread_of(w[0].thread)->notice, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bind_errors),
		TEST(test_send_errors),
		TEST(test_receive_errors),
		TEST(test_events_are_kept),
		TEST(test_urgent_preempts),
		TEST(test_equal_waits),
		TEST(test_scheduler_wakes),
		TEST(test_dispatch_receives),
		TEST(test_notices),
		TEST(test_notices_of_destroyed),
		TEST(test_schedulers_nest),
		TEST(test_part_preempts_itself),
		TEST(test_part_preempts_no_other_thread),
		TEST(test_no_urgency_on_an_idle_cpu),
		TEST(test_scheduler_stopped),
		TEST(test_scheduler_dispatches_inside),
		TEST(test_nested_scheduler_crashes),
		TEST(test_root_scheduler_crashes),
		TEST(test_schedulers_in_circle),
		TEST(test_idle),
		TEST(test_destroyed_meanwhile),
		TEST(test_scheduler_endpoint_destroyed),
		TEST(test_scheduler_destroyed_with_notices),
	};

	return RUN("endpoint", tests);
}
