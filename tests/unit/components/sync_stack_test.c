// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the pool of stacks in all orders of memory accesses. take() and drop() represent the macros
 * of <runtime/stack_pool.h>: the same accesses in the same order. Each is one instruction there.
 */
#include <runtime/stack_pool.h>

#include "sync_run.h"

#define STACKS 0x100000ul /* lowest address of the entry stacks */
#define POOL 0x400000ul
#define SHIFT 14u

static struct {
	unsigned int stacks;
	unsigned int threads, inside, max, done;
	uint64_t has; /* bit n: stack n is in use by a thread */
} shared;

/* The name that the composer defines. */
extern struct limpet_info fake_info asm("__limpet_info");
struct limpet_info fake_info;

static word entry_of(unsigned int id)
{
	return STACKS + ((id + 1ul) << LIMPET_ENTRY_SHIFT);
}

static QUIET void pool_begin(unsigned int stacks, uint32_t flags)
{
	memset(&shared, 0, sizeof(shared));
	shared.stacks = stacks;
	shared.threads = 3;
	fake_info.flags = flags;
	fake_info.stacks = STACKS;
	fake_info.pool = POOL;
	fake_info.pool_shift = SHIFT;
	fake_info.pool_count = stacks;
	fake_info.first_thread = 2;
	limpet_pool_init(&fake_info);
	sync_begin();
}

static QUIET void begin_one(void)
{
	pool_begin(1, 0);
}

static QUIET void begin_two(void)
{
	pool_begin(2, 0);
}

static QUIET void begin_four(void)
{
	pool_begin(2, 0);
	shared.threads = 4;
}

static QUIET void begin_error(void)
{
	pool_begin(1, LIMPET_COMPONENT_STACK_ERROR);
}

static long take(unsigned int id)
{
	for (;;) {
		uint64_t holder = 0, free = __atomic_load_n(&__limpet_pool.free, __ATOMIC_SEQ_CST);
		unsigned int number;

		if (!free)
			return limpet_stack_wait(entry_of(id));
		number = (unsigned int)__builtin_ctzl(free);
		__atomic_fetch_and(&__limpet_pool.free, ~(1ul << number), __ATOMIC_SEQ_CST);
		if (__atomic_compare_exchange_n(&__limpet_pool.holder[number], &holder,
						entry_of(id), false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return number;
	}
}

static void drop(unsigned int number)
{
	__atomic_store_n(&__limpet_pool.holder[number], 0, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&__limpet_pool.free, 1ul << number, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&__limpet_pool.waiters, __ATOMIC_SEQ_CST))
		limpet_stack_wake();
}

static QUIET void came_in(long number, unsigned int id)
{
	MODEL_CHECK(number >= 0 && number < (long)shared.stacks);
	MODEL_CHECK(!(shared.has >> number & 1));
	MODEL_CHECK(limpet_pool_thread(__limpet_pool.holder[number]) == id);
	shared.has |= 1ul << number;
	if (++shared.inside > shared.max)
		shared.max = shared.inside;
	MODEL_CHECK(shared.inside <= shared.stacks);
}

static QUIET void goes_out(long number)
{
	shared.has &= ~(1ul << number);
	shared.inside--;
	shared.done++;
}

static QUIET void pool_thread(unsigned int id)
{
	long number = SYNC_CALL(take(id));

	came_in(number, id);
	fake_point();
	goes_out(number);
	SYNC_CALL((drop((unsigned int)number), LIMPET_OK));
}

/* With one stack, each thread that waits lends its priority to the holder, or to a thread that is in take() or drop(). */
static QUIET void one_watch(void)
{
	uint64_t holder = __limpet_pool.holder[0];

	for (unsigned int id = 1; holder && id <= MODEL_THREADS; id++)
		if (model_waits(id, &__limpet_pool.waiters))
			MODEL_CHECK(model_lends(id, limpet_pool_thread(holder), run_state.looking));
}

/* All stacks are free at the end: no stack was lost, and no thread waits. */
static QUIET void pool_end(void)
{
	MODEL_CHECK(shared.done == shared.threads && !shared.inside && !__limpet_pool.waiters);
	for (unsigned int i = 0; i < shared.stacks; i++)
		MODEL_CHECK(!__limpet_pool.holder[i]);
	MODEL_CHECK(__limpet_pool.free == (1ul << shared.stacks) - 1);
}

static void test_wait(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2, 3, 4 };
	static const struct model one = { 3,	       2,	  priority, begin_one,
					  pool_thread, one_watch, pool_end };
	static const struct model two = { 3, 2, priority, begin_two, pool_thread, NULL, pool_end };
	/* Two threads return their stacks before either of the two waiting threads has run. */
	static const struct model four = { 4, 1, priority, begin_four, pool_thread, NULL, pool_end };

	(void)state;
	sync_run(&one);
	sync_run(&two);
	sync_run(&four);
}

static QUIET void error_thread(unsigned int id)
{
	long number = take(id);

	if (number < 0) {
		MODEL_CHECK(number == LIMPET_ESTACK);
		return;
	}
	came_in(number, id);
	fake_point();
	goes_out(number);
	drop((unsigned int)number);
}

static QUIET void error_end(void)
{
	MODEL_CHECK(shared.done && !__limpet_pool.waiters && !__limpet_pool.holder[0]);
}

static void test_error(void **state)
{
	static const struct model model = { 3, 2, NULL, begin_error, error_thread, NULL, error_end };

	(void)state;
	sync_run(&model);
}

/* The component's own threads have stacks after those of the pool. */
static void test_own(void **state)
{
	static word memory[2][(1ul << SHIFT) / sizeof(word)];
	word *top;

	(void)state;
	begin_one();
	__limpet_pool.top = (uint64_t)memory[0]; /* stack 1 ends where stack 2 starts */
	top = (word *)limpet_pool_own(&fake_info, entry_of(2));
	assert_ptr_equal(top, &memory[1][-2]);
	assert_int_equal(top[1], entry_of(2));
	assert_int_equal(top[0], UINT64_MAX);
	assert_int_equal(limpet_pool_own(&fake_info, entry_of(3)) - (word)top, 1ul << SHIFT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
