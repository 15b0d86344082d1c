// SPDX-License-Identifier: GPL-2.0
/* Tests time: the CPU's one deadline, with a host that programs one timer, sometimes early. */
#include "objects.h"

#define NOW fake_processor->time

static word ep;

/* Makes the booter's thread the receiver of the timer. Returns a busy thread. */
static word timer_setup_busy(void)
{
	struct built b = component_new(1);
	word busy;

	ep = object_new(LIMPET_ENDPOINT, 1);
	busy = thread_new(&b, 1, ep);
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(CPU_TIMER, LIMPET_BOOT_CPU, ep));
	assert_ok(call(THREAD_URGENCY, LIMPET_BOOT_THREAD, 255));
	return busy;
}

static void test_timer_errors(void **state)
{
	word few = weaker(LIMPET_BOOT_CPU, 31 & ~LIMPET_MANAGE), e = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_status(call(CPU_TIMER, EMPTY, e), ESLOT);
	assert_status(call(CPU_TIMER, e, e), ETYPE);
	assert_status(call(CPU_TIMER, few, e), ERIGHTS);
	assert_status(call(CPU_TIMER, LIMPET_BOOT_CPU, EMPTY), ESLOT);
	assert_status(call(CPU_TIMER, LIMPET_BOOT_CPU, T), ETYPE);
	assert_status(call(CPU_TIMER, LIMPET_BOOT_CPU, weaker(e, LIMPET_READ)), ERIGHTS);
}

/* A busy thread is preempted when the deadline passes, and not before. */
static void test_preempts_busy(void **state)
{
	word busy = timer_setup_busy();
	u64 timers;

	(void)state;
	call(THREAD_DISPATCH, busy, NOW + 1000);
	assert_true(cpu->host.pending & HOST_TIMER);
	host_serve();
	timers = cpu->timers;
	time_pass(999);
	assert_current(busy);
	time_pass(1);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[0], LIMPET_EVENT_TIMER);
	assert_int_equal(user->words[2], 1 + 1);
	assert_int_equal(cpu->timers, timers + 1);
	assert_int_equal(cpu->deadline, LIMPET_NEVER);
	call(THREAD_DISPATCH, busy);
	time_pass(100000);
	assert_current(busy);
}

/* Each of several consecutive deadlines is later than the one that has just passed. */
static void test_ticks_in_a_row(void **state)
{
	word busy = timer_setup_busy();

	(void)state;
	for (unsigned int i = 0; i < 10; i++) {
		call(THREAD_DISPATCH, busy, NOW + 100);
		assert_current(busy);
		time_pass(0);
		time_pass(100);
		assert_current(LIMPET_BOOT_THREAD);
	}
}

/* The host's timer fires at a deadline that was replaced by a later one. The later one is not lost. */
static void test_moved_later(void **state)
{
	word busy = timer_setup_busy();

	(void)state;
	call(THREAD_DISPATCH, LIMPET_BOOT_THREAD, NOW + 100);
	host_serve();
	call(THREAD_DISPATCH, busy, NOW + 1000);
	assert_false(cpu->host.pending & HOST_TIMER); /* the earlier one is sufficient */
	time_pass(100);
	assert_current(busy);
	assert_true(cpu->host.pending & HOST_TIMER); /* now it must be programmed */
	time_pass(899);
	assert_current(busy);
	time_pass(1);
	assert_current(LIMPET_BOOT_THREAD);
}

static void test_moved_earlier(void **state)
{
	word busy = timer_setup_busy();

	(void)state;
	call(THREAD_DISPATCH, LIMPET_BOOT_THREAD, NOW + 1000);
	host_serve();
	call(THREAD_DISPATCH, busy, NOW + 10);
	assert_true(cpu->host.pending & HOST_TIMER);
	time_pass(10);
	assert_current(LIMPET_BOOT_THREAD);
}

static void test_given_up(void **state)
{
	word busy = timer_setup_busy();

	(void)state;
	call(THREAD_DISPATCH, LIMPET_BOOT_THREAD, NOW + 1000);
	host_serve();
	call(THREAD_DISPATCH, busy, LIMPET_NEVER);
	time_pass(5000);
	assert_current(busy);
	assert_int_equal(cpu->timers, 0);
}

/* A deadline in the past fires immediately. */
static void test_in_the_past(void **state)
{
	word busy = timer_setup_busy();

	(void)state;
	call(THREAD_DISPATCH, busy, 1);
	assert_true(cpu->host.pending & HOST_TIMER);
	time_pass(0);
	assert_current(LIMPET_BOOT_THREAD);
}

/* Idles the CPU until a deadline, and wakes it `ticks` before the deadline. Returns the deadline. */
static u64 wake_early(u64 ticks)
{
	u64 due = NOW + 1000;

	call(ENDPOINT_RECEIVE, ep, due, 0);
	assert_true(cpu->idle);
	host_serve();
	NOW = due - ticks;
	cpu->host.programmed = LIMPET_NEVER; /* the host's timer has expired */
	interrupt();
	return due;
}

/* The scheduler's thread decides when an idle CPU is woken early, but not if it is woken too early. */
static void test_idle_wakes_early(void **state)
{
	u64 due;

	(void)state;
	timer_setup_busy();
	due = wake_early(cpu->early + 1);
	assert_true(cpu->idle);
	assert_int_equal(NOW, due - cpu->early - 1);
	NOW = due - cpu->early;
	interrupt();
	assert_int_equal(NOW, due - cpu->early);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[0], LIMPET_EVENT_TIMER | LIMPET_EVENT_EARLY);
	call(ENDPOINT_RECEIVE, ep, 0, 0); /* idle again, with nothing to wake up for */
	assert_int_equal(cpu->host.deadline, LIMPET_NEVER);
	assert_int_equal(cpu->hold, 0);
}

/* The dispatched thread continues at the deadline. The wait is not counted as its time. */
static void test_dispatch_waits_for_the_deadline(void **state)
{
	word busy = timer_setup_busy();
	u64 due, ran;

	(void)state;
	due = wake_early(cpu->early);
	NOW += 2;
	ran = thread_of(busy)->ticks;
	call(THREAD_DISPATCH, busy, LIMPET_NEVER);
	assert_int_equal(NOW, due);
	assert_int_equal(cpu->decided, due - cpu->early + 2);
	assert_current(busy);
	NOW += 7;
	kernel_pause(cpu);
	assert_int_equal(thread_of(busy)->ticks - ran, 7);
}

/* If the host has a request, the kernel serves it first and waits afterwards. */
static void test_host_comes_before_the_wait(void **state)
{
	word busy = timer_setup_busy();
	u64 due;

	(void)state;
	due = wake_early(cpu->early);
	call(THREAD_DISPATCH, busy, due + 500); /* the host must program the timer */
	assert_true(cpu->host.pending & HOST_TIMER);
	assert_int_equal(NOW, due - cpu->early);
	host_serve();
	interrupt();
	assert_int_equal(NOW, due);
	assert_current(busy);
}

/* A dispatch after the deadline does not wait. */
static void test_late_dispatch_does_not_wait(void **state)
{
	word busy = timer_setup_busy();
	u64 due;

	(void)state;
	due = wake_early(cpu->early);
	NOW = due + 3;
	call(THREAD_DISPATCH, busy, LIMPET_NEVER);
	assert_int_equal(NOW, due + 3);
	assert_int_equal(cpu->hold, 0);
	assert_current(busy);
}

/* A dispatch on a busy CPU does not wait. */
static void test_busy_is_not_held_up(void **state)
{
	word busy = timer_setup_busy();
	u64 now;

	(void)state;
	call(THREAD_DISPATCH, busy, NOW + 5);
	now = NOW;
	interrupt();
	assert_int_equal(NOW, now);
	assert_current(busy);
}

/* Without a receiver, the timer's event is dropped. */
static void test_no_listener(void **state)
{
	struct built b = component_new(1);
	word busy = thread_new(&b, 1, 0);

	(void)state;
	call(THREAD_DISPATCH, busy, NOW + 10);
	time_pass(10);
	assert_current(busy);
	assert_int_equal(cpu->timers, 1);
}

/* For all sequences of deadlines, a host that obeys meets the last one in time. */
static void test_no_deadline_is_lost(void **state)
{
	word busy = timer_setup_busy();
	unsigned long seed = 1;

	(void)state;
	machine.checks = 0;
	for (unsigned int i = 0; i < 20000; i++) {
		u64 due;

		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		due = NOW + 1 + (seed >> 33) % 300;
		call(THREAD_DISPATCH, busy, due);
		if (cpu->thread != thread_of(busy))
			continue;
		time_pass((seed >> 50) % 150);
		if (cpu->thread == thread_of(busy) && seed >> 62) {
			interrupt(); /* an interrupt of another component */
			if (cpu->thread == thread_of(busy))
				cpu_deadline(cpu, due = due + (seed >> 40) % 100);
		}
		while (cpu->thread == thread_of(busy)) {
			assert_true(NOW < due);
			time_pass(1);
		}
		assert_true(NOW >= due);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_timer_errors),
		TEST(test_preempts_busy),
		TEST(test_ticks_in_a_row),
		TEST(test_moved_later),
		TEST(test_moved_earlier),
		TEST(test_given_up),
		TEST(test_in_the_past),
		TEST(test_idle_wakes_early),
		TEST(test_dispatch_waits_for_the_deadline),
		TEST(test_host_comes_before_the_wait),
		TEST(test_late_dispatch_does_not_wait),
		TEST(test_busy_is_not_held_up),
		TEST(test_no_listener),
		TEST(test_no_deadline_is_lost),
	};

	return RUN("timer", tests);
}
