// SPDX-License-Identifier: GPL-2.0
/* Tests threads: start, dispatch, urgency, information, end. */
#include "objects.h"

static void test_start_errors(void **state)
{
	struct built b = component_new(1);
	word t = object_new(LIMPET_THREAD, 2), idle = object_new(LIMPET_COMPONENT, 1);
	word ep = object_new(LIMPET_ENDPOINT, 1), weak_t = weaker(t, 31 & ~LIMPET_MANAGE);
	word weak_c = weaker(b.component, 31 & ~LIMPET_EXEC);
	word weak_ep = weaker(ep, 31 & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(THREAD_START, EMPTY, b.component, ENTRY, 0, 1, ep), ESLOT);
	assert_status(call(THREAD_START, ep, b.component, ENTRY, 0, 1, ep), ETYPE);
	assert_status(call(THREAD_START, weak_t, b.component, ENTRY, 0, 1, ep), ERIGHTS);
	assert_status(call(THREAD_START, t, EMPTY, ENTRY, 0, 1, ep), ESLOT);
	assert_status(call(THREAD_START, t, t, ENTRY, 0, 1, ep), ETYPE);
	assert_status(call(THREAD_START, t, weak_c, ENTRY, 0, 1, ep), ERIGHTS);
	assert_status(call(THREAD_START, t, b.component, ENTRY, 0, 1, EMPTY), ESLOT);
	assert_status(call(THREAD_START, t, b.component, ENTRY, 0, 1, t), ETYPE);
	assert_status(call(THREAD_START, t, b.component, ENTRY, 0, 1, weak_ep), ERIGHTS);
	assert_status(call(THREAD_START, t, b.component, LIMPET_USER_END, 0, 1, ep), ERANGE);
	assert_status(call(THREAD_START, t, b.component, ENTRY, 0, LIMPET_THREADS_MAX, ep), ERANGE);
	assert_status(call(THREAD_START, t, b.component, ENTRY, 0, ~0ul, ep), ERANGE);
	assert_status(call(THREAD_START, t, idle, ENTRY, 0, 1, ep), ESTATE);
	assert_status(call(THREAD_START, t, b.component, ENTRY, 0, 0, ep), EFULL);
	assert_ok(call(THREAD_START, t, b.component, ENTRY, 0, 63, ep));
	assert_status(call(THREAD_START, t, b.component, ENTRY, 0, 63, ep), ESTATE);
	assert_status(call(THREAD_START, LIMPET_BOOT_THREAD, b.component, ENTRY, 0, 1, 0), ESTATE);
}

static void test_start(void **state)
{
	struct built b = component_new(1);
	word t = object_new(LIMPET_THREAD, 2);

	(void)state;
	assert_ok(call(THREAD_START, t, b.component, ENTRY + 4, 77, 9, 0));
	assert_ok(call(THREAD_DISPATCH, t));
	assert_current(t);
	assert_ptr_equal(cpu->component, component_of(&b));
	assert_int_equal(user->ip, ENTRY + 4);
	assert_int_equal(user->status, 77);
	assert_int_equal(user->sp, STACKS + (10ul << STACK_SHIFT));
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(user->words[i], 0);
}

static void test_dispatch_errors(void **state)
{
	struct built b = component_new(1);
	word t = object_new(LIMPET_THREAD, 2), weak = weaker(t, 31 & ~LIMPET_MANAGE);

	(void)state;
	(void)b;
	assert_status(call(THREAD_DISPATCH, EMPTY), ESLOT);
	assert_status(call(THREAD_DISPATCH, T), ETYPE);
	assert_status(call(THREAD_DISPATCH, weak), ERIGHTS);
	assert_status(call(THREAD_DISPATCH, t), ESTATE);
	assert_status(call(THREAD_DISPATCH, t, 5), ESTATE);
	assert_int_equal(cpu->deadline, LIMPET_NEVER);
	assert_ok(call(THREAD_DISPATCH, LIMPET_BOOT_THREAD)); /* itself: continues */
}

/* The dispatching thread stays ready, with its registers. A dispatch can set a deadline. */
static void test_dispatch_and_back(void **state)
{
	struct built b = component_new(1);
	word t = thread_new(&b, 1, 0), ip = user->ip;

	(void)state;
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, b.table, 1, LIMPET_MANAGE));
	ip = user->ip;
	assert_ok(call(THREAD_DISPATCH, t, 5000000, 3, 4, 5, 6));
	assert_current(t);
	assert_int_equal(cpu->deadline, 5000000);
	assert_ok(call(THREAD_DISPATCH, 1, LIMPET_NEVER));
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(cpu->deadline, LIMPET_NEVER);
	assert_int_equal(user->ip, ip + INSTRUCTION);
	assert_int_equal(user->words[5], 6);
}

static void test_urgency(void **state)
{
	word t = object_new(LIMPET_THREAD, 2), weak = weaker(t, 31 & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(THREAD_URGENCY, EMPTY, 1), ESLOT);
	assert_status(call(THREAD_URGENCY, T, 1), ETYPE);
	assert_status(call(THREAD_URGENCY, weak, 1), ERIGHTS);
	assert_status(call(THREAD_URGENCY, t, LIMPET_URGENCY_MAX + 1), ERANGE);
	assert_status(call(THREAD_URGENCY, t, 1ul << 32), ERANGE);
	assert_ok(call(THREAD_URGENCY, t, LIMPET_URGENCY_MAX));
	assert_int_equal(thread_of(t)->urgency, LIMPET_URGENCY_MAX);
}

static void test_info(void **state)
{
	struct built b = component_new(1);
	word t = object_new(LIMPET_THREAD, 2), weak = weaker(t, 31 & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(THREAD_INFO, EMPTY), ESLOT);
	assert_status(call(THREAD_INFO, T), ETYPE);
	assert_status(call(THREAD_INFO, weak), ERIGHTS);
	assert_ok(call(THREAD_INFO, t));
	assert_int_equal(user->words[2], LIMPET_THREAD_IDLE);
	assert_ok(call(THREAD_START, t, b.component, ENTRY, 0, 1, 0));
	assert_ok(call(THREAD_INFO, t));
	assert_int_equal(user->words[1], 0);
	assert_int_equal(user->words[2], LIMPET_THREAD_READY);
}

/* Ticks are those that a thread ran. Idle time and the host's time count for no thread. */
static void test_ticks(void **state)
{
	struct built b = component_new(1);
	word t = thread_new(&b, 1, 0), ep = endpoint_new(t);
	u64 booter;

	(void)state;
	assert_ok(call(CAP_COPY, T, ep, b.table, 2, LIMPET_READ));
	booter = cpu->thread->ticks;
	assert_true(booter < 1000);
	fake_processor->time += 70;
	assert_ok(call(THREAD_DISPATCH, t));
	assert_int_equal(thread_of(LIMPET_BOOT_THREAD)->ticks, booter + 70);
	fake_processor->time += 500;
	call(ENDPOINT_RECEIVE, 2, 0, 0);
	assert_true(cpu->idle);
	kernel_pause(cpu);
	assert_int_equal(thread_of(t)->ticks, 500);
	fake_processor->time += 100000; /* idle */
	source_bind(&cpu->source[INBOX_PORT + 0], endpoint_of(ep), 1);
	port_came(0);
	kernel_resume(cpu);
	assert_current(t);
	fake_processor->time += 30;
	kernel_pause(cpu);
	assert_int_equal(thread_of(t)->ticks, 530);
	fake_processor->time += 100000; /* time of the host */
	kernel_resume(cpu);
	fake_processor->time += 4;
	kernel_pause(cpu);
	assert_int_equal(thread_of(t)->ticks, 534);
	kernel_resume(cpu);
}

/* Vector registers stay with their thread. */
static void test_vector_registers(void **state)
{
	struct built b = component_new(1);
	word t = thread_new(&b, 1, 0);

	(void)state;
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, b.table, 1, LIMPET_MANAGE));
	fake_processor->fpu.vector[0] = 11;
	fake_processor->fpu.pointer = 12;
	assert_ok(call(THREAD_DISPATCH, t));
	assert_int_equal(fake_processor->fpu.vector[0], 0);
	assert_int_equal(fake_processor->fpu.pointer, 0);
	fake_processor->fpu.vector[0] = 21;
	assert_ok(call(THREAD_DISPATCH, 1));
	assert_int_equal(fake_processor->fpu.vector[0], 11);
	assert_int_equal(fake_processor->fpu.pointer, 12);
}

/* A restarted thread, perhaps in another component, has no state of its earlier life. */
static void test_start_again(void **state)
{
	struct built b = component_new(1), c = component_new(2);
	word sched = object_new(LIMPET_ENDPOINT, 1), t;

	(void)state;
	assert_ok(call(ENDPOINT_BIND, sched, LIMPET_BOOT_THREAD));
	t = thread_new(&b, 1, sched);
	assert_ok(call(THREAD_DISPATCH, t));
	fake_processor->fpu.vector[3] = 33;
	give_back(0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_DEAD, 1));
	assert_ok(delete_all(b.component));
	assert_ok(call(THREAD_START, t, c.component, ENTRY, 5, 2, sched));
	assert_null(cpu->threads[1]);
	assert_ok(call(THREAD_DISPATCH, t)); /* receives the notice that the thread is ready */
	assert_int_equal(user->words[1], LIMPET_NOTICE(LIMPET_NOTICE_READY, 2));
	assert_ok(call(THREAD_DISPATCH, t));
	assert_int_equal(fake_processor->fpu.vector[3], 0);
	assert_int_equal(user->status, 5);
	assert_ptr_equal(cpu->component, component_of(&c));
}

static void test_destroy(void **state)
{
	struct built b = component_new(1), c = component_new(2);
	word t = thread_new(&b, 1, 0), used;

	(void)state;
	gate_give(&c, 1, b.table, 1);
	assert_ok(call(CAP_COPY, T, LIMPET_BOOT_THREAD, c.table, 1, LIMPET_MANAGE));
	assert_ok(call(THREAD_DISPATCH, t));
	assert_int_equal(invoke(1), 1);
	assert_ok(call(THREAD_DISPATCH, 1));
	used = frames_used();
	assert_ok(delete_all(t)); /* the thread is inside two components */
	assert_int_equal(frames_used(), used - THREAD_FRAMES);
	assert_int_equal(component_of(&b)->left, 1);
	assert_int_equal(component_of(&c)->left, 1);
	assert_null(cpu->threads[1]);
	assert_ok(revoke_all(LIMPET_BOOT_THREAD));
	assert_status(call(CAP_DELETE, T, LIMPET_BOOT_THREAD), EBUSY);
}

/* Deletes the dead thread of a deleted component. */
static void test_destroy_dead(void **state)
{
	struct built b = component_new(1);
	word sched = object_new(LIMPET_ENDPOINT, 1), t;

	(void)state;
	assert_ok(call(ENDPOINT_BIND, sched, LIMPET_BOOT_THREAD));
	t = thread_new(&b, 1, sched);
	assert_ok(call(THREAD_DISPATCH, t));
	give_back(0);
	assert_ok(delete_all(b.component));
	assert_status(call(THREAD_DISPATCH, t), ESTATE);
	assert_ok(delete_all(t));
}

static void test_missed(void **state)
{
	struct built b = component_new(1);
	word thread = thread_new(&b, 1, 0);

	(void)state;
	assert_status(call(THREAD_MISSED, EMPTY), ESLOT);
	assert_status(call(THREAD_MISSED, b.component), ETYPE);
	assert_status(call(THREAD_MISSED, weaker(thread, 31 & ~LIMPET_MANAGE)), ERIGHTS);
	assert_ok(call(THREAD_MISSED, thread));
	assert_ok(call(THREAD_MISSED, thread));
	assert_int_equal(thread_of(thread)->misses, 2);
}

static void test_job(void **state)
{
	struct built b = component_new(1);
	word thread = thread_new(&b, 1, 0);
	struct limpet_jobs *jobs = &thread_of(thread)->jobs;
	const u64 now = hal_time();

	(void)state;
	assert_status(call(THREAD_JOB, EMPTY), ESLOT);
	assert_status(call(THREAD_JOB, b.component), ETYPE);
	assert_status(call(THREAD_JOB, weaker(thread, 31 & ~LIMPET_MANAGE)), ERIGHTS);

	/* The first one has no id yet. */
	assert_ok(call(THREAD_JOB, object_new(LIMPET_THREAD, 1), 1000, 1, 0, 0));
	assert_ok(call(THREAD_JOB, thread, 1000, 0, 5, 2)); /* no job ends */
	assert_int_equal(jobs->period, 1000);
	assert_int_equal(jobs->held, 2);
	assert_int_equal(jobs->count, 0);

	assert_ok(call(THREAD_JOB, thread, 1000, now, 300, 2));
	assert_ok(call(THREAD_JOB, thread, 1000, now + 1, 200, 2));
	assert_int_equal(jobs->count, 2);
	assert_int_equal(jobs->release, now + 1);
	assert_int_equal(jobs->late.max, 300);
	assert_int_equal(jobs->late.longest, now);
	assert_int_equal(jobs->late.bucket[0], 1);
	assert_int_equal(jobs->late.bucket[1], 1);
	assert_int_equal(jobs->run.max, 0); /* it has never run */
	assert_int_equal(jobs->run.bucket[0], 2);

	cpu->inbox.clear[thread_of(thread)->id] = 1;
	assert_ok(call(THREAD_JOB, thread, 1000, now + 2, 256, 2));
	assert_int_equal(jobs->late.max, 0);
	assert_int_equal(cpu->inbox.clear[thread_of(thread)->id], 0);
	assert_ok(call(THREAD_JOB, thread, 1000, now + 3, 256, 2));
	assert_int_equal(jobs->late.max, 256);
	assert_int_equal(jobs->late.longest, now + 3);
	/* The kernel accepts any values of a scheduler. */
	assert_ok(call(THREAD_JOB, thread, 1000, ~0ul, ~0ul, ~0ul));
	assert_int_equal(jobs->late.bucket[LIMPET_JOB_BUCKETS - 1], 1);
}

static void test_job_buckets(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < LIMPET_JOB_BUCKETS; n++) {
		u64 floor = limpet_job_floor(n);

		assert_int_equal(limpet_job_bucket(floor), n);
		if (n)
			assert_int_equal(limpet_job_bucket(floor - 1), n - 1);
	}
	assert_int_equal(limpet_job_bucket(~0ul), LIMPET_JOB_BUCKETS - 1);
}

/*
 * A deletion can let another thread run in its middle. Here the scheduler of the first endpoint's
 * waiting thread has a higher urgency. The caller, which is no longer current, must not be
 * destroyed in its own call, but in the next one.
 */
static void test_destroy_caller(void **state)
{
	struct built b = component_new(1);
	word sched = object_new(LIMPET_ENDPOINT, 1), table = object_new(LIMPET_TABLE, 1);
	word waiter = thread_new(&b, 1, sched), ep = endpoint_new(waiter);
	word killer = thread_new(&b, 2, sched), again = slot_new();
	struct thread *caller = thread_of(killer);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, sched, LIMPET_BOOT_THREAD));
	assert_ok(call(THREAD_URGENCY, LIMPET_BOOT_THREAD, 255));
	assert_ok(call(CAP_COPY, T, T, b.table, 1, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, ep, b.table, 2, LIMPET_ALL));
	assert_ok(call(THREAD_DISPATCH, waiter));
	call(ENDPOINT_RECEIVE, 2, 0, 0);
	assert_current(LIMPET_BOOT_THREAD);
	assert_ok(call(CAP_MOVE, T, ep, table, 2)); /* the last name: destroyed first */
	assert_ok(call(CAP_MOVE, T, killer, table, 1));
	assert_ok(call(CAP_COPY, table, 1, T, again, LIMPET_ALL));
	call(THREAD_DISPATCH, again);
	assert_ptr_equal(cpu->thread, caller);
	call(CAP_DELETE, 1, table);
	assert_current(LIMPET_BOOT_THREAD);
	assert_true(registry_has(caller, LIMPET_THREAD));
	assert_int_equal((long)caller->regs.status, LIMPET_OK);
	assert_ok(call(CAP_DELETE, T, table));
	assert_false(registry_has(caller, LIMPET_THREAD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_start_errors),
		TEST(test_start),
		TEST(test_dispatch_errors),
		TEST(test_dispatch_and_back),
		TEST(test_urgency),
		TEST(test_info),
		TEST(test_missed),
		TEST(test_ticks),
		TEST(test_job),
		TEST(test_job_buckets),
		TEST(test_vector_registers),
		TEST(test_start_again),
		TEST(test_destroy),
		TEST(test_destroy_dead),
		TEST(test_destroy_caller),
	};

	return RUN("thread", tests);
}
