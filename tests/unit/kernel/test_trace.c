// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the trace: the recorded events, the end of the ring, and a slow reader, also during writes.
 */
#include <pthread.h>

#include "guests.h"

#define SLOTS 16u /* of the ring, here */

static struct limpet_trace_event ring[SLOTS + 1];
static u64 position;

/* The host switches it on or off. The kernel is notified when it is resumed. */
static void trace(word kinds)
{
	cpu->inbox.trace = kinds;
	hal_or(&cpu->inbox.requests, INBOX_TRACE);
	interrupt();
}

static int setup(void **state)
{
	if (machine_setup(state))
		return -1;
	memset(ring, 0x5a, sizeof(ring));
	trace_init(cpu, ring, SLOTS * sizeof(*ring));
	position = 0;
	return 0;
}

struct seen {
	u32 kind, thread, component, argument;
	u64 time;
};

/* Returns the next unread event. */
static struct seen next(void)
{
	struct limpet_trace_event event;
	u64 lost;

	assert_int_equal(trace_read(cpu, &position, &event, 1, &lost), 1);
	assert_int_equal(lost, 0);
	return (struct seen){ event.what >> 16, event.what & 0xffff, event.where & 0xffff,
			      event.where >> 16, event.time };
}

static void assert_next(u32 kind, u32 thread, u32 component, u32 argument)
{
	struct seen seen = next();

	assert_int_equal(seen.kind, kind);
	assert_int_equal(seen.thread, thread);
	assert_int_equal(seen.component, component);
	assert_int_equal(seen.argument, argument);
	assert_int_equal(seen.time, fake_processor->time);
}

static void assert_no_more(void)
{
	assert_int_equal(position, trace_position(cpu));
}

static void test_off(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 7);

	(void)state;
	invoke(gate);
	give_back(0);
	interrupt();
	assert_int_equal(trace_position(cpu), 0);
	assert_int_equal(ring[0].time, 0x5a5a5a5a5a5a5a5aul);
	trace(LIMPET_TRACE_ALL);
	trace(0);
	position = trace_position(cpu);
	invoke(gate);
	give_back(0);
	interrupt();
	assert_no_more();
}

static void test_invocation(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 7);
	u32 index = component_of(&b)->index;

	(void)state;
	trace(LIMPET_TRACE_USUAL);
	assert_next(LIMPET_TRACE_START, 0, 0, 0);
	fake_processor->time += 1000;
	assert_int_equal(invoke(gate), 7);
	assert_next(LIMPET_TRACE_INVOKE, 0, index, 0);
	give_back(0);
	assert_next(LIMPET_TRACE_RETURN, 0, 0, 0);
	assert_int_equal(invoke(EMPTY), LIMPET_ESLOT);
	call(NOP);
	assert_no_more();
}

/* Tests the slow return over a stopped component, and that only requested kinds are recorded. */
static void test_stopped(void **state)
{
	struct built a = component_new(1), b = component_new(2);
	word gate = gate_new(&a, 0), further;

	(void)state;
	further = gate_new(&b, 0);
	trace(1 << LIMPET_TRACE_RETURN);
	position = trace_position(cpu);
	invoke(gate);
	component_of(&a)->epoch++;
	cpu->component = component_of(&a);
	give_back(0);
	assert_next(LIMPET_TRACE_INVOKE, 0, component_of(&a)->index, 0);
	assert_next(LIMPET_TRACE_RETURN, 0, 0, 0);
	(void)further;
	assert_no_more();
}

static void test_calls(void **state)
{
	(void)state;
	trace(1 << LIMPET_TRACE_CALL);
	assert_int_equal(cpu->path, TRACE_PATH_PLAIN);
	assert_next(LIMPET_TRACE_START, 0, 0, 0);
	call(NOP);
	assert_next(LIMPET_TRACE_CALL, 0, 0, LIMPET_CALL_NOP);
	interrupt();
	assert_no_more();
}

static void test_host(void **state)
{
	(void)state;
	trace(LIMPET_TRACE_USUAL);
	assert_next(LIMPET_TRACE_START, 0, 0, 0);
	interrupt();
	assert_next(LIMPET_TRACE_PAUSE, 0, 0, 0);
	assert_next(LIMPET_TRACE_RESUME, 0, 0, 0);
	call(CPU_PRINT, LIMPET_BOOT_CPU, 'x');
	host_serve();
	assert_next(LIMPET_TRACE_PAUSE, 0, 0, HOST_PRINT);
	assert_next(LIMPET_TRACE_RESUME, 0, 0, 0);
	assert_no_more();
}

static void test_fault(void **state)
{
	struct built b = component_new(1);
	word gate = gate_new(&b, 0);
	u32 index = component_of(&b)->index;

	(void)state;
	trace(LIMPET_TRACE_USUAL);
	invoke(gate);
	position = trace_position(cpu);
	interrupt();
	assert_next(LIMPET_TRACE_PAUSE, 0, index, 0);
	assert_next(LIMPET_TRACE_RESUME, 0, index, 1);
	fault(14, 0x1000, 6);
	assert_next(LIMPET_TRACE_FAULT, 0, index, 14);
	assert_next(LIMPET_TRACE_RETURN, 0, 0, 0);
	assert_no_more();
}

/* Records a deadline, its event, a switch to the thread that waits for it, and an idle CPU. */
static void test_switch(void **state)
{
	struct built b = component_new(1);
	word ep = object_new(LIMPET_ENDPOINT, 1), other = thread_new(&b, 5, 0);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(CPU_TIMER, LIMPET_BOOT_CPU, ep));
	assert_ok(call(THREAD_URGENCY, LIMPET_BOOT_THREAD, 255));
	trace(LIMPET_TRACE_USUAL);
	position = trace_position(cpu);
	call(THREAD_DISPATCH, other);
	assert_next(LIMPET_TRACE_DISPATCH, 5, component_of(&b)->index, 0);
	assert_no_more();
}

/* A component without an index, and an endpoint without a receiver. */
static void test_idle(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(CPU_TIMER, LIMPET_BOOT_CPU, ep));
	trace(LIMPET_TRACE_USUAL);
	position = trace_position(cpu);
	call(ENDPOINT_RECEIVE, ep, fake_processor->time + 1000);
	host_serve();
	assert_next(LIMPET_TRACE_PAUSE, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE,
		    HOST_IDLE | HOST_TIMER);
	assert_next(LIMPET_TRACE_RESUME, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE, 0);
	time_pass(1000);
	assert_next(LIMPET_TRACE_PAUSE, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE, HOST_IDLE);
	assert_next(LIMPET_TRACE_RESUME, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE, 0);
	assert_next(LIMPET_TRACE_TIMER, LIMPET_TRACE_NONE, LIMPET_TRACE_NONE, 0);
	assert_next(LIMPET_TRACE_EVENT, 0, 0, __builtin_ctzl(LIMPET_EVENT_TIMER));
	assert_next(LIMPET_TRACE_DISPATCH, 0, 0, 0);
	assert_no_more();
}

static void put(u32 count)
{
	while (count--) {
		fake_processor->time++;
		trace_put(&cpu->trace, LIMPET_TRACE_TIMER, 1, 2, 3);
	}
}

/*
 * After any number of events the reader gets the newest ones and the number of lost ones, and no
 * other memory is changed.
 */
static void test_wrap(void **state)
{
	struct limpet_trace_event got[2 * SLOTS];
	u64 lost, first = fake_processor->time + 1;

	(void)state;
	for (u32 written = 0; written <= 5 * SLOTS; written++) {
		u64 from = 0;
		u32 have = written < SLOTS ? written : SLOTS - 1;

		assert_int_equal(trace_read(cpu, &from, got, countof(got), &lost), have);
		assert_int_equal(lost, written - have);
		assert_int_equal(from, written);
		for (u32 i = 0; i < have; i++)
			assert_int_equal(got[i].time, first + lost + i);
		put(1);
	}
	assert_int_equal(ring[SLOTS].time, 0x5a5a5a5a5a5a5a5aul);
}

/* Reads in parts, and from invalid positions. */
static void test_positions(void **state)
{
	struct limpet_trace_event got[SLOTS];
	u64 from = 0, lost;

	(void)state;
	put(10);
	assert_int_equal(trace_read(cpu, &from, got, 4, &lost), 4);
	assert_int_equal(from, 4);
	assert_int_equal(trace_read(cpu, &from, got, 0, &lost), 0);
	assert_int_equal(trace_read(cpu, &from, got, SLOTS, &lost), 6);
	assert_int_equal(trace_read(cpu, &from, got, SLOTS, &lost), 0);
	assert_int_equal(from, 10);
	put(2 * SLOTS);
	from = ~0ul; /* not reached yet */
	assert_int_equal(trace_read(cpu, &from, got, SLOTS, &lost), 0);
	assert_int_equal(lost, 0);
	assert_int_equal(from, 10 + 2 * SLOTS);
	from = 11;
	assert_int_equal(trace_read(cpu, &from, got, 1, &lost), 1);
	assert_int_equal(lost, 10 + SLOTS + 1 - 11);
	assert_int_equal(from, 10 + SLOTS + 2);
}

#define EVENTS 300000u

/* Writes events with consecutive numbers as times. */
static void *write_many(void *on)
{
	(void)on;
	for (u32 i = 0; i < EVENTS; i++) {
		fake_processor->time = i;
		trace_put(&cpu->trace, i % 7, i % 5, i % 3, i % 1000);
	}
	return NULL;
}

static bool as_written(const struct limpet_trace_event *event, u32 number)
{
	return event->time == number && event->where == (number % 3 | number % 1000 << 16) &&
	       event->what == (number % 5 | number % 7 << 16);
}

/* Reads next to a writer that never waits. Each event is complete, or is counted as lost. */
static void test_beside(void **state)
{
	struct limpet_trace_event got[SLOTS];
	pthread_t writer;
	u64 from = 0, lost, read = 0, all_lost = 0;

	(void)state;
	assert_int_equal(pthread_create(&writer, NULL, write_many, NULL), 0);
	while (from < EVENTS) {
		u64 before = from;
		u32 count = trace_read(cpu, &from, got, 1 + (u32)(from % SLOTS), &lost);

		assert_int_equal(from, before + lost + count);
		for (u32 i = 0; i < count; i++)
			assert_true(as_written(&got[i], (u32)(from - count + i)));
		read += count;
		all_lost += lost;
	}
	pthread_join(writer, NULL);
	assert_int_equal(read + all_lost, EVENTS);
	assert_true(read > 0);
}

/* A system without a ring records nothing, and reads return nothing. */
static void test_none(void **state)
{
	struct limpet_trace_event got;
	u64 from = 0, lost = 1;

	(void)state;
	trace_init(cpu, ring, 0);
	trace(LIMPET_TRACE_ALL);
	interrupt();
	assert_int_equal(cpu->trace.kinds, 0);
	assert_int_equal(cpu->path, TRACE_PATH_PLAIN);
	assert_int_equal(trace_read(cpu, &from, &got, 1, &lost), 0);
	assert_int_equal(lost, 0);
}

/* A call and its result have the call's number, the handler thread and the executive. Other events are not recorded. */
static void test_guest(void **state)
{
	struct built b = component_new(1);
	word scheduler = guests_start();
	struct guest *g;
	u32 index = component_of(&b)->index;

	(void)state;
	handler_new(&b, 7, scheduler);
	g = guest_begin(3, executive_of(&b));
	trace(1 << LIMPET_TRACE_GUEST_CALL | 1 << LIMPET_TRACE_GUEST_RESULT);
	position = trace_position(cpu);
	assert_true(guest_event(g, LIMPET_GUEST_CALL, (word[6]){ 257 }));
	assert_next(LIMPET_TRACE_GUEST_CALL, 7, index, 257);
	guest_answers(g, LIMPET_GUEST_PASS_RESULT, 0);
	assert_true(guest_event(g, LIMPET_GUEST_RESULT, (word[6]){ 257, 4711 }));
	assert_next(LIMPET_TRACE_GUEST_RESULT, 7, index, 257);
	guest_answers(g, LIMPET_GUEST_PASS, 0);
	for (unsigned int kind = LIMPET_GUEST_RESULT + 1; kind < 32; kind++) {
		assert_true(guest_event(g, kind, (word[6]){ 1 }));
		guest_answers(g, LIMPET_GUEST_PASS, 0);
	}
	assert_no_more();
	assert_int_equal(g->calls, 1);
	assert_int_equal(g->others, 30);
	assert_true(guest_event(g, LIMPET_GUEST_CALL, (word[6]){ 510 }));
	assert_next(LIMPET_TRACE_GUEST_CALL, 7, index, 510);
	guest_answers(g, LIMPET_GUEST_PASS, 0);
	assert_true(guest_event(g, LIMPET_GUEST_CALL, (word[6]){ 0x40000001 }));
	assert_next(LIMPET_TRACE_GUEST_CALL, 7, index, LIMPET_GUEST_FILTER_REST);
	guest_answers(g, LIMPET_GUEST_PASS, 0);
	trace(1 << LIMPET_TRACE_GUEST_RESULT);
	assert_true(guest_event(g, LIMPET_GUEST_CALL, (word[6]){ 257 }));
	guest_answers(g, LIMPET_GUEST_PASS, 0);
	trace(0);
	assert_true(guest_event(g, LIMPET_GUEST_RESULT, (word[6]){ 257 }));
	assert_no_more();
	guest_remove(g);
}

/* Bits that are not kinds are ignored. */
static void test_kinds(void **state)
{
	(void)state;
	trace(~0ul);
	assert_int_equal(cpu->trace.kinds, LIMPET_TRACE_ALL);
	trace(1ul << LIMPET_TRACE_KINDS | 1);
	assert_int_equal(cpu->trace.kinds, 0);
	assert_int_equal(cpu->path, TRACE_PATH_PLAIN);
}

#define TRACE(name) cmocka_unit_test_setup_teardown(name, setup, machine_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRACE(test_off),    TRACE(test_invocation), TRACE(test_stopped), TRACE(test_calls),
		TRACE(test_host),   TRACE(test_fault),	    TRACE(test_switch),	 TRACE(test_idle),
		TRACE(test_wrap),   TRACE(test_positions),  TRACE(test_none),	 TRACE(test_kinds),
		TRACE(test_beside), TRACE(test_guest),
	};

	return RUN("trace", tests);
}
