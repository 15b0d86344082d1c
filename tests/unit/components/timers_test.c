// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compares lib/sched/timers, levels and ids with simple reference implementations. Uses the timers of 1,024 threads, in
 * random order and as a scheduler uses them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sched/levels.h>

#include "chance.h"
#include "points.h"

#define THREADS 1024
#define TURNS 200000

static struct {
	struct sched sched;
	struct thread threads[THREADS];
} all;

static struct thread *const thread = all.sched.thread;
static struct timers timers;
static uint64_t accesses, pop_max, insert_max, remove_max, find_max, best_max;

/* The reference: pending timers, and the order in which they were set. */
static bool pending[THREADS * 3 + 3];
static uint64_t due[THREADS * 3 + 3], since[THREADS * 3 + 3], clock;
static uint32_t asked, rank[THREADS * 3 + 3];

void fake_point(void)
{
	accesses++;
}

static void note(uint64_t *max, uint64_t before)
{
	if (accesses - before > *max)
		*max = accesses - before;
}

static unsigned int link_of(unsigned int number)
{
	unsigned int id = number / 3;

	return number % 3 == 0	 ? TIMER_WAIT(id)
	       : number % 3 == 1 ? TIMER_ALARM(id)
				 : TIMER_RENEW(id);
}

/* Returns the first pending timer with a smaller rank, or 0. Timer 0 is unused. */
static unsigned int first_below(uint32_t limit)
{
	unsigned int best = 0;

	for (unsigned int n = 1; n < THREADS * 3; n++)
		if (pending[n] && rank[n] < limit &&
		    (!best || due[n] < due[best] ||
		     (due[n] == due[best] && since[n] < since[best])))
			best = n;
	return best;
}

static void check(void)
{
	unsigned int first = first_below(UINT32_MAX);
	uint32_t limit = random_below(258);
	unsigned int below = first_below(limit);
	uint64_t before = accesses;

	assert_int_equal(timers_next(&timers), first ? due[first] : LIMPET_NEVER);
	assert_int_equal(timers_before(&timers, limit), below ? due[below] : LIMPET_NEVER);
	note(&find_max, before);
	assert_int_equal(timers_next(&timers), first ? due[first] : LIMPET_NEVER);
	asked = random_below(3) ? asked : limit; /* mostly repeated, after changes of timers */
	below = first_below(asked);
	assert_int_equal(timers_before(&timers, asked), below ? due[below] : LIMPET_NEVER);
	assert_int_equal(timers_before(&timers, asked), below ? due[below] : LIMPET_NEVER);
}

static void insert(unsigned int n, uint64_t when)
{
	uint64_t before = accesses;

	due[n] = when;
	since[n] = clock++;
	rank[n] = random_below(256);
	pending[n] = true;
	timers_insert(&timers, link_of(n), due[n], rank[n]);
	note(&insert_max, before);
}

static void take(void)
{
	unsigned int first = first_below(UINT32_MAX);
	uint64_t before = accesses;

	if (!first)
		return;
	assert_int_equal(timers_pop(&timers), link_of(first));
	note(&pop_max, before);
	assert_int_equal(tree_node(&timers.tree, link_of(first))->key, due[first]);
	pending[first] = false;
	assert_false(timers_pending(&timers, link_of(first)));
}

/* Takes the first one of the smallest rank of all timers that are due at some time. */
static void take_best(void)
{
	unsigned int first = first_below(UINT32_MAX), best = first;
	uint64_t before, now = first ? due[first] + random_below(100) : 0;

	if (!first)
		return;
	for (unsigned int n = 1; n < THREADS * 3; n++)
		if (pending[n] && due[n] <= now &&
		    (rank[n] < rank[best] ||
		     (rank[n] == rank[best] &&
		      (due[n] < due[best] || (due[n] == due[best] && since[n] < since[best])))))
			best = n;
	before = accesses;
	assert_int_equal(timers_best(&timers, now), link_of(best));
	assert_int_equal(timers_rank(&timers, link_of(best)), rank[best]);
	timers_end(&timers, link_of(best));
	note(&best_max, before);
	pending[best] = false;
}

static void begin(void)
{
	memset(&all, 0, sizeof(all));
	memset(pending, 0, sizeof(pending));
	timers_init(&timers, &thread[0].wait);
}

static void change(unsigned int n)
{
	uint64_t before = accesses;

	if (random_below(2)) {
		rank[n] = random_below(256);
		timers_rerank(&timers, link_of(n), rank[n]);
	} else {
		timers_remove(&timers, link_of(n));
		pending[n] = false;
	}
	note(&remove_max, before);
}

/* Sets, pops and changes random timers of `threads` threads, with `times` different due times. */
static void run(unsigned int threads, uint32_t times, unsigned int turns)
{
	begin();
	for (unsigned int turn = 0; turn < turns; turn++) {
		unsigned int n = 1 + random_below(threads * 3 - 1);

		if (!random_below(4))
			take();
		else if (!random_below(4))
			take_best();
		else if (!pending[n])
			insert(n, random_below(times));
		else if (!random_below(3))
			change(n);
		if (threads < 32 || turn % 16 == 0)
			check();
	}
	while (first_below(UINT32_MAX)) {
		take();
		check();
	}
}

static void test_random(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		run(1 + i % 3, 1 + i * 5, 3000);
		run(20, 1u << i, 3000);
	}
	run(THREADS, 100, 8000);
	run(THREADS, 1u << 30, 8000);
}

/* All threads sleep. Each thread that wakes sleeps again, some of them until a past time, or stops. */
static void test_periods(void **state)
{
	(void)state;
	begin();
	for (unsigned int id = 1; id < THREADS; id++)
		insert(id * 3, 1000 + random_below(1000));
	for (unsigned int turn = 0; turn < 4000; turn++) {
		unsigned int first = first_below(UINT32_MAX);
		uint64_t now = due[first];

		take();
		check();
		if (turn % 3)
			insert(first, now + random_below(1000));
		else if (turn % 2)
			insert(first, now - 10);
		if (!first_below(UINT32_MAX))
			return;
	}
}

/*
 * Counts the memory accesses of called functions. Popping a timer calls no function if the previous thread has gone to
 * sleep again. The other operations grow with the logarithm of the number of timers.
 */
static void test_accesses(void **state)
{
	uint64_t before;

	(void)state;
	begin();
	for (unsigned int n = 1; n < THREADS * 3; n++)
		insert(n, 1000 + random_below(1000));
	before = accesses;
	pop_max = 0;
	take();
	assert_int_equal(pop_max, 0); /* no function is called */
	for (unsigned int i = 0; i < 3000; i++)
		take();
	printf("at most %lu to take several, %lu to insert, %lu to remove or rerank, %lu to find, %lu to take the best\n",
	       pop_max, insert_max, remove_max, find_max, best_max);
	assert_in_range(pop_max, 5, 600);
	assert_in_range(insert_max, 5, 800);
	assert_in_range(remove_max, 5, 450);
	assert_in_range(find_max, 5, 600);
	assert_in_range(best_max, 5, 1100);
	assert_true(accesses > before);
}

static struct levels levels;
static unsigned int queue[THREADS], queued;

static void queue_take(unsigned int at)
{
	levels_remove(&levels, thread, queue[at], thread[queue[at]].key);
	thread[queue[at]].state = STATE_BLOCKED;
	for (queued--; at < queued; at++)
		queue[at] = queue[at + 1];
}

static void queue_add(unsigned int id, uint64_t key)
{
	unsigned int at = queued++;

	thread[id].key = key;
	thread[id].state = STATE_READY;
	levels_append(&levels, thread, id, key);
	for (; at && thread[queue[at - 1]].key > key; at--)
		queue[at] = queue[at - 1];
	queue[at] = id;
}

static bool shared(unsigned int at)
{
	uint64_t key = thread[queue[at]].key;

	return (at && thread[queue[at - 1]].key == key) ||
	       (at + 1 < queued && thread[queue[at + 1]].key == key);
}

static void test_levels(void **state)
{
	(void)state;
	begin();
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		unsigned int id = 1 + random_below(THREADS - 1);
		unsigned int keys = turn < TURNS / 2 ? 256 : 3;

		if (thread[id].state != STATE_READY)
			queue_add(id, random_below(keys));
		else
			queue_take(random_below(random_below(4) ? 1 : queued));
		assert_int_equal(levels_top(&levels), queued ? queue[0] : 0);
		if (queued) {
			unsigned int at = random_below(queued);

			assert_int_equal(levels_shared(&levels, queue[at], thread[queue[at]].key),
					 shared(at));
		}
	}
	while (queued) {
		assert_int_equal(levels_top(&levels), queue[0]);
		queue_take(0);
	}
	assert_int_equal(levels_top(&levels), 0);
}

static void test_ids(void **state)
{
	struct ids ids = { 0 };
	bool in[LIMPET_THREADS_MAX] = { false };

	(void)state;
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		unsigned int id = 1 + random_below(LIMPET_THREADS_MAX - 1), min = 1;

		if (random_below(2)) {
			ids_add(&ids, id);
			in[id] = true;
		}
		while (min < LIMPET_THREADS_MAX && !in[min])
			min++;
		assert_int_equal(!ids.words, min == LIMPET_THREADS_MAX);
		if (ids.words && random_below(2)) {
			assert_int_equal(ids_take(&ids), min);
			in[min] = false;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
					    cmocka_unit_test(test_periods),
					    cmocka_unit_test(test_levels),
					    cmocka_unit_test(test_ids),
					    cmocka_unit_test(test_accesses) };

	seed = 20261124;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
