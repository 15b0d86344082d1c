// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests sched.fixed-priority on a minimal kernel. In the last tests, timers and events occur at
 * random points of the threads, in the scheduler and in other code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>

#include <export/sched.h>

#include "chance.h"
#include "trace.h"
#include <sched/core.h>
#include <sched/object.h>

#define THREADS_MAX 60

static bool ended[THREADS_MAX + 1];

static void run(void (*thread)(unsigned int), unsigned int threads, const uint8_t *priority)
{
	const struct fake_setup setup = {
		.threads = threads, .priority = priority, .thread = thread, .points = UINT64_MAX
	};

	memset(ended, 0, sizeof(ended));
	run_setup(&setup);
}

/* Threads run in the order of priority, and of their ids within a priority. */
static void order_thread(unsigned int id)
{
	mark("%u ", id);
}

static void test_order(void **state)
{
	(void)state;
	run(order_thread, 6, (const uint8_t[]){ 0, 255, 5, 9, 5, 200, 9 });
	assert_string_equal(trace, "5 3 6 2 4 ");
}

static void yield_thread(unsigned int id)
{
	for (int i = 0; i < 3; i++) {
		mark("%u ", id);
		assert_int_equal(sched_serve_yield(BADGE), LIMPET_OK);
	}
}

static void test_yield(void **state)
{
	(void)state;
	run(yield_thread, 4, (const uint8_t[]){ 0, 255, 5, 5, 7 });
	assert_string_equal(trace, "4 4 4 2 3 2 3 2 3 ");
}

/* 2 has a lower priority than 3. It runs when 3 blocks, and 3 runs as soon as it is woken. */
static void wake_thread(unsigned int id)
{
	if (id == 3) {
		mark("blocks ");
		sched_serve_block(BADGE);
		mark("woken ");
		sched_serve_block(BADGE);
		mark("token ");
		return;
	}
	mark("wakes ");
	sched_serve_wake(BADGE, 3);
	sched_serve_wake(BADGE, 2);
	sched_serve_block(BADGE);
	mark("own-token ");
	assert_int_equal(sched_serve_wake(BADGE, 40), LIMPET_ENOENT);
	assert_int_equal(sched_serve_wake(BADGE, 64), LIMPET_ENOENT);
	sched_serve_wake(BADGE, 3);
	mark("end ");
}

static void test_wake(void **state)
{
	(void)state;
	run(wake_thread, 3, (const uint8_t[]){ 0, 255, 5, 7 });
	assert_string_equal(trace, "blocks wakes woken own-token token end ");
}

static void sleep_thread(unsigned int id)
{
	static const uint64_t until[] = { 0, 0, 5000, 3000, 4000, 3000 };

	assert_int_equal(sched_serve_sleep_until(BADGE, until[id]), LIMPET_OK);
	assert_true(fake_now >= until[id]);
	mark("%u@%lu ", id, fake_now);
}

static void test_sleep(void **state)
{
	(void)state;
	run(sleep_thread, 5, (const uint8_t[]){ 0, 255, 5, 5, 5, 5 });
	assert_string_equal(trace, "3@3000 5@3000 4@4000 2@5000 ");
}

static void block_until_thread(unsigned int id)
{
	static const uint64_t until[] = { 2000, 9000, 1 };

	if (id == 2) {
		sched_serve_sleep_until(BADGE, 3000);
		sched_serve_wake(BADGE, 3);
		return;
	}
	for (int i = 0; i < 3; i++) {
		long status = sched_serve_block_until(BADGE, until[i]);

		mark("%ld@%lu ", status, fake_now);
	}
}

static void test_block_until(void **state)
{
	(void)state;
	run(block_until_thread, 3, (const uint8_t[]){ 0, 255, 5, 5 });
	assert_string_equal(trace, "-15@2000 0@3000 -15@3000 ");
}

/* Two periods are in time, one is 2.5 periods late, and the rest are in time with the old phase. */
static void periodic_thread(unsigned int id)
{
	struct sched_periodic_wait_results out = { 0 };
	long missed;

	(void)id;
	assert_int_equal(sched_serve_periodic_wait(BADGE, &out), LIMPET_ESTATE);
	assert_int_equal(sched_serve_periodic(BADGE, 10, 0), LIMPET_ERANGE);
	assert_int_equal(sched_serve_periodic(BADGE, 10000, LIMPET_NEVER), LIMPET_ERANGE);
	assert_int_equal(sched_serve_periodic(BADGE, 10000, 20000), LIMPET_OK);
	for (int i = 0; i < 5; i++) {
		missed = sched_serve_periodic_wait(BADGE, &out);
		mark("%ld:%lu@%lu ", missed, out.due, fake_now);
		fake_time_pass(i == 1 ? 25000 : 100);
	}
}

static void test_periodic(void **state)
{
	(void)state;
	run(periodic_thread, 2, (const uint8_t[]){ 0, 255, 5 });
	assert_string_equal(
		trace, "0:20000@20000 0:30000@30000 2:50000@55000 0:60000@60000 0:70000@70000 ");
}

/* The scheduler does not run the booter's thread or a dead thread. */
static void stranger_thread(unsigned int id)
{
	if (id == 3) {
		sched_serve_exit(BADGE, 0);
		mark("never ");
	}
	assert_int_equal(sched_serve_wake(BADGE, 3), LIMPET_OK);
	mark("%ld ", sched_serve_thread_id(BADGE));
}

static void test_exit(void **state)
{
	(void)state;
	run(stranger_thread, 3, (const uint8_t[]){ 0, 255, 5, 7 });
	assert_string_equal(trace, "2 ");
}

/* A hog is preempted by the timer, and continues before the others of its priority. */
static void preempt_thread(unsigned int id)
{
	if (id == 2) {
		sched_serve_sleep_until(BADGE, 5000);
		mark("2@%lu ", fake_now);
		return;
	}
	mark("%u ", id);
	fake_time_pass(1000);
	fake_time_pass(5000);
	mark("%u ", id);
}

static void test_preempt(void **state)
{
	(void)state;
	run(preempt_thread, 4, (const uint8_t[]){ 0, 255, 9, 5, 5 });
	assert_string_equal(trace, "3 2@7000 3 4 4 ");
}

static void receive_thread(unsigned int id)
{
	struct limpet_out out;

	if (id == 2) {
		for (int i = 0; i < 2; i++) {
			limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
			mark("event ");
		}
		return;
	}
	mark("sends ");
	fake_event(2);
	mark("sent ");
	fake_event(2);
	mark("sent ");
}

static void test_receive(void **state)
{
	(void)state;
	run(receive_thread, 3, (const uint8_t[]){ 0, 255, 9, 5 });
	assert_string_equal(trace, "sends event sent event sent ");
	run(receive_thread, 3, (const uint8_t[]){ 0, 255, 5, 9 });
	assert_string_equal(trace, "sends sent sent event "); /* two simultaneous events are one */
	assert_int_equal(sched.thread[2].state, STATE_WAITING);
}

/*
 * Thread 3 has ended, and was joined, but is suspended in its call. Then its component is stopped. The thread continues,
 * so that it is dead for the kernel, too.
 */
static void stopped_thread(unsigned int id)
{
	struct sched_join_results out;

	if (id == 3) {
		FAKE_CHECK(sched_serve_exit(BADGE, 0) == LIMPET_OK);
		mark("continued ");
		return;
	}
	FAKE_CHECK(sched_serve_join(BADGE, 3, LIMPET_NEVER, &out) == LIMPET_OK);
	FAKE_CHECK(sched.thread[3].state == STATE_DEAD);
	mark("joined ");
	fake_stop(3);
	FAKE_CHECK(sched.thread[3].state == STATE_DEAD);
	mark("end ");
}

static void test_stopped(void **state)
{
	(void)state;
	run(stopped_thread, 3, (const uint8_t[]){ 0, 255, 5, 9 });
	assert_string_equal(trace, "joined continued end ");
}

/* From here: preemption at random points. */

static unsigned int often; /* one of this number of accesses is followed by a preemption */
static unsigned int crowd;

static void preempt_randomly(void)
{
	if (random_below(often))
		return;
	if (random_below(2))
		fake_time_pass(1 + random_below(400));
	else
		fake_event(2 + random_below(crowd - 1));
}

/* An event for a waiting thread resumes it without the scheduler. */
static bool idle_randomly(void)
{
	unsigned int id = 2 + random_below(crowd - 1);

	if (random_below(3) || sched.thread[id].state != STATE_WAITING)
		return false;
	fake_event(id);
	return true;
}

/* Returns the first thread that waits for the same object as `id`: that of the smallest key. */
static unsigned int first_of_object(unsigned int id)
{
	unsigned int found = NONE;

	for (unsigned int i = 2; i <= crowd; i++)
		if (sched.thread[i].waits && sched.thread[i].object == sched.thread[id].object &&
		    (!found || sched.thread[i].key < sched.thread[found].key))
			found = i;
	return found;
}

/* Checks that each thread has the smallest key of itself and of all that lend to it, by a search of all threads. */
static void check_keys(void)
{
	for (unsigned int id = 2; id <= crowd; id++) {
		const struct thread *thread = &sched.thread[id];
		unsigned int owner = lender_owner(&sched, id);

		if (thread->waits) {
			unsigned int first = first_of_object(id);

			FAKE_CHECK(sched.thread[waiter_first(&sched, thread->object)].key ==
				   sched.thread[first].key);
			FAKE_CHECK(!thread->owner || thread->key == sched.thread[first].key);
		}
		FAKE_CHECK(!owner || sched.thread[owner].key <= thread->key);
	}
	for (unsigned int id = 2; id <= crowd; id++) {
		uint64_t key = sched.thread[id].own;
		unsigned int lenders = 0, listed = 0;

		for (unsigned int i = 2; i <= crowd; i++)
			if (lender_owner(&sched, i) == id) {
				key = sched.thread[i].key < key ? sched.thread[i].key : key;
				lenders++;
			}
		for (unsigned int i = sched.thread[id].lender; i; i = lender_after(&sched, i)) {
			FAKE_CHECK(lender_owner(&sched, i) == id);
			if (++listed > crowd)
				break;
		}
		FAKE_CHECK(lenders == listed);
		FAKE_CHECK(sched.thread[id].key == key);
	}
}

/* Checks that the running thread is the expected one. */
static void check_running(unsigned int id)
{
	fake_hold(true);
	FAKE_CHECK(fake_current() == id);
	FAKE_CHECK(!sched.data_lock);
	FAKE_CHECK(!sched.late && !sched.latecomers.words);
	FAKE_CHECK(policy_deadline(&sched, id) > fake_now);
	if (sched.thread[id].state != STATE_WAITING) { /* an event to an idle CPU */
		FAKE_CHECK(sched.thread[id].state == STATE_READY);
		FAKE_CHECK(policy_top(&sched) == id);
	}
	check_keys();
	fake_hold(false);
}

static uint32_t wakes[THREADS_MAX + 1], blocks[THREADS_MAX + 1];

static void wake_counted(unsigned int id)
{
	wakes[id]++;
	FAKE_CHECK(sched_serve_wake(BADGE, id) == LIMPET_OK);
}

static void op_sleep(unsigned int id)
{
	uint64_t until = fake_now + random_below(3000);

	(void)id;
	FAKE_CHECK(sched_serve_sleep_until(BADGE, until) == LIMPET_OK);
	FAKE_CHECK(fake_now >= until);
}

static void op_block_until(unsigned int id)
{
	uint64_t until = fake_now + random_below(3000);
	long status = sched_serve_block_until(BADGE, until);

	FAKE_CHECK(status == LIMPET_OK || status == LIMPET_ETIME);
	FAKE_CHECK(status == LIMPET_OK || fake_now >= until);
	blocks[id] += status == LIMPET_OK;
	FAKE_CHECK(blocks[id] <= wakes[id]);
}

static void op_block(unsigned int id)
{
	FAKE_CHECK(sched_serve_block(BADGE) == LIMPET_OK);
	FAKE_CHECK(++blocks[id] <= wakes[id]);
}

static void op_periodic(unsigned int id)
{
	struct sched_periodic_wait_results out = { 0 };

	(void)id;
	FAKE_CHECK(sched_serve_periodic_wait(BADGE, &out) >= 0);
	FAKE_CHECK(fake_now >= out.due);
}

static void op_receive(unsigned int id)
{
	struct limpet_out out;

	(void)id;
	FAKE_CHECK(limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out) == LIMPET_OK);
	FAKE_CHECK(out.w0);
}

static void op_wake(unsigned int id)
{
	(void)id;
	wake_counted(2 + random_below(crowd - 1));
}

static void op_yield(unsigned int id)
{
	(void)id;
	FAKE_CHECK(sched_serve_yield(BADGE) == LIMPET_OK);
}

/* Includes all threads to which it lends, also in cycles. */
static void op_suspend_for(unsigned int id)
{
	uint64_t until = fake_now + random_below(3000);
	long status = sched_serve_suspend_for(BADGE, 2 + random_below(crowd - 1), until);

	FAKE_CHECK(status == LIMPET_OK || status == LIMPET_ETIME);
	FAKE_CHECK(status == LIMPET_OK || fake_now >= until);
	FAKE_CHECK(!sched.thread[id].owner);
}

static void op_resume_best(unsigned int id)
{
	uint64_t threads = random_below(1u << (crowd + 1)) & ~3u;
	long status = sched_serve_resume_best(BADGE, threads, 0);

	threads &= ~(1ul << id);
	FAKE_CHECK(threads ? status > 1 && threads >> status & 1 : status == LIMPET_ENOENT);
}

/* Several threads wait for one of the first objects. Of all 100 objects, some have the same hash. */
static word object_random(void)
{
	return random_below(random_below(2) ? 3 : 100);
}

static void op_suspend_on(unsigned int id)
{
	uint64_t until = fake_now + random_below(3000);
	word owner = random_below(3) ? 0 : 2 + random_below(crowd - 1);
	long status = sched_serve_suspend_on(BADGE, object_random(), fake_now, owner, until);

	FAKE_CHECK(status == LIMPET_OK || status == LIMPET_ETIME);
	FAKE_CHECK(status == LIMPET_OK || fake_now >= until);
	FAKE_CHECK(!sched.thread[id].bound);
}

static void op_resume_on(unsigned int id)
{
	word object = object_random();
	long status = random_below(4) ? sched_serve_resume_on(BADGE, object)
				      : sched_serve_resume_all(BADGE, object);

	FAKE_CHECK(status == LIMPET_OK || status == LIMPET_ENOENT);
	FAKE_CHECK(!sched.thread[id].bound);
}

static void op_priority(unsigned int id)
{
	FAKE_CHECK(sched_serve_priority(BADGE, 0, 3 + random_below(200)) > 0);
	FAKE_CHECK(sched.thread[id].key <= sched.thread[id].own);
}

#define OPS 200

/* The last thread, with the lowest priority, resumes threads that wait for another thread. */
static void nanny(unsigned int self)
{
	bool all = false;

	while (!all) {
		all = true;
		for (unsigned int id = 2; id < self; id++) {
			all &= ended[id];
			if (ended[id])
				continue;
			wake_counted(id);
			fake_event(id);
			FAKE_CHECK(sched_serve_resume(BADGE, id) == LIMPET_OK);
			check_running(self);
		}
		op_sleep(self);
	}
}

static void crowd_thread(unsigned int id)
{
	static void (*const op[])(unsigned int) = {
		op_sleep,    op_block_until, op_block,	   op_wake,	   op_periodic,
		op_receive,  op_yield,	     op_wake,	   op_suspend_for, op_resume_best,
		op_priority, op_suspend_on,  op_resume_on, op_resume_on,
	};

	sched_serve_periodic(BADGE, 1000 + 100 * id, 0);
	if (id == crowd)
		nanny(id);
	else
		for (int i = 0; i < OPS; i++) {
			op[random_below(array_size(op))](id);
			check_running(id);
		}
	ended[id] = true;
}

static void run_stepped(void (*thread)(unsigned int), unsigned int threads, const uint8_t *priority)
{
	const struct fake_setup setup = { .threads = threads,
					  .priority = priority,
					  .thread = thread,
					  .preempt = preempt_randomly,
					  .idle = idle_randomly,
					  .points = 3000000 };

	crowd = threads;
	memset(ended, 0, sizeof(ended));
	memset(wakes, 0, sizeof(wakes));
	memset(blocks, 0, sizeof(blocks));
	fake_run(&setup);
	for (unsigned int id = 2; id <= threads && !fake_failure; id++) {
		if (!ended[id])
			fake_failure = "a thread waits for ever";
		else if (sched.thread[id].key != sched.thread[id].own || sched.thread[id].lender)
			fake_failure = "a thread has a priority that no thread lends it";
	}
	if (fake_failure)
		fail_msg("%s", fake_failure);
}

static void test_crowd(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 600; i++) {
		seed = 1000 + i;
		often = 2u << i % 6;
		run_stepped(crowd_thread, 8, (const uint8_t[]){ 0, 255, 5, 5, 90, 7, 7, 200, 2 });
	}
}

/* An event switches an idle CPU directly to a thread, which then waits for a time. */
static bool idle_once(void)
{
	static bool done;

	if (done)
		return false;
	done = true;
	fake_event(2);
	return true;
}

static void never(void)
{
}

static void idle_event_thread(unsigned int id)
{
	op_receive(id);
	op_sleep(id);
	ended[id] = true;
}

static void test_idle_event(void **state)
{
	static const uint8_t priority[] = { 0, 255, 5 };
	const struct fake_setup setup = { .threads = 2,
					  .priority = priority,
					  .thread = idle_event_thread,
					  .preempt = never,
					  .idle = idle_once,
					  .points = 100000 };

	(void)state;
	seed = 1;
	fake_run(&setup);
	assert_null(fake_failure);
	assert_true(ended[2]);
}

/* Two threads wake each other. No wake-up is lost, wherever the timer fires. */
static void pair_thread(unsigned int id)
{
	if (id == 4) { /* sleeps, to set timers */
		for (int i = 0; i < 100; i++)
			op_sleep(id);
	} else {
		for (int i = 0; i < 100; i++) {
			wake_counted(5 - id);
			op_block(id);
			check_running(id);
		}
		wake_counted(5 - id);
	}
	ended[id] = true;
}

static void test_pair(void **state)
{
	static const uint8_t priorities[][5] = { { 0, 255, 5, 5, 9 },
						 { 0, 255, 5, 6, 9 },
						 { 0, 255, 6, 5, 2 } };

	(void)state;
	for (unsigned int i = 0; i < 600; i++) {
		seed = 77 + i;
		often = 3 + i % 20;
		run_stepped(pair_thread, 4, priorities[i % 3]);
	}
}

/* Each access takes a tick. A thread of high priority sleeps while one of low priority resumes many waiters. */
static uint64_t latest; /* maximum lateness of the sleeping thread */

static void tick(void)
{
	fake_time_pass(1);
}

static void broadcast_thread(unsigned int id)
{
	if (id == 2) {
		sched_serve_sleep_until(BADGE, 100000); /* until all others wait */
		for (unsigned int other = 4; other <= crowd; other++)
			FAKE_CHECK(sched.thread[other].state == STATE_SUSPENDED);
		FAKE_CHECK(sched_serve_resume_all(BADGE, 7) == LIMPET_OK);
		for (unsigned int other = 4; other <= crowd; other++)
			FAKE_CHECK(sched.thread[other].state == STATE_READY);
		FAKE_CHECK(sched_serve_resume_all(BADGE, 7) == LIMPET_ENOENT);
	} else if (id == 3) {
		for (uint64_t due = 100000; !ended[2]; due = fake_now + 500) {
			sched_serve_sleep_until(BADGE, due);
			latest = fake_now - due > latest ? fake_now - due : latest;
		}
	} else {
		FAKE_CHECK(sched_serve_suspend_on(BADGE, 7, fake_now, 0, LIMPET_NEVER) ==
			   LIMPET_OK);
	}
	ended[id] = true;
}

static uint64_t broadcast_run(unsigned int threads)
{
	uint8_t priority[THREADS_MAX + 1] = { 0, 255, 10, 20 };
	const struct fake_setup setup = { .threads = threads,
					  .priority = priority,
					  .thread = broadcast_thread,
					  .preempt = tick,
					  .points = 10000000 };

	memset(priority + 4, 5, sizeof(priority) - 4);
	memset(ended, 0, sizeof(ended));
	crowd = threads;
	latest = 0;
	fake_run(&setup);
	if (fake_failure)
		fail_msg("%s", fake_failure);
	return latest;
}

/* The limit is the time for about three of the 57 waiters. */
static void test_broadcast(void **state)
{
	(void)state;
	assert_in_range(broadcast_run(THREADS_MAX), 1, 300);
}

/* A scheduler that started at another time has other hashes. */
static void test_hashes(void **state)
{
	unsigned int queue[2][64], same = 0;

	(void)state;
	for (unsigned int run = 0; run < 2; run++) {
		fake_now = 1000 * (run + 1);
		objects_init(&sched);
		for (unsigned int i = 0; i < 64; i++)
			queue[run][i] = object_queue(&sched, object_of(BADGE, 4096 + 8 * i));
	}
	for (unsigned int i = 0; i < 64; i++)
		same += queue[0][i] == queue[1][i];
	assert_in_range(same, 0, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	    cmocka_unit_test(test_yield),
		cmocka_unit_test(test_wake),	    cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_block_until), cmocka_unit_test(test_periodic),
		cmocka_unit_test(test_exit),	    cmocka_unit_test(test_preempt),
		cmocka_unit_test(test_receive),	    cmocka_unit_test(test_crowd),
		cmocka_unit_test(test_idle_event),  cmocka_unit_test(test_pair),
		cmocka_unit_test(test_broadcast),   cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
