// SPDX-License-Identifier: BSD-2-Clause
/* Tests the owners of buffers in pools, and the limits of a misbehaving peer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <buffer/buffer.h>

#define PAGES 16
#define SIZE 512
#define COUNT (PAGES * 4096 / SIZE)

static uint64_t control[512], data[PAGES * 512];
static struct buffer_pool owner, user;

static int setup(void **state)
{
	(void)state;
	memset(control, 0xee, sizeof(control));
	return buffer_begin(&owner, (word)control, (word)data, PAGES, SIZE) ||
	       buffer_join(&user, (word)control, (word)data, PAGES, SIZE, COUNT);
}

static void test_round(void **state)
{
	bool seen[COUNT] = { false };
	long index;

	(void)state;
	for (unsigned int i = 0; i < COUNT; i++) {
		index = buffer_get(&owner);
		assert_in_range(index, 0, COUNT - 1);
		assert_false(seen[index]);
		seen[index] = true;
		assert_ptr_equal(buffer_at(&owner, (word)index), (char *)data + index * SIZE);
		assert_null(buffer_at(&user, (word)index));
	}
	assert_int_equal(buffer_get(&owner), LIMPET_EEMPTY);
	assert_int_equal(buffer_get(&user), LIMPET_EEMPTY);
	assert_int_equal(buffer_give(&owner, 77), LIMPET_OK);
	assert_null(buffer_at(&owner, 77));
	assert_int_equal(buffer_get(&owner), LIMPET_EEMPTY); /* sent, but not free */
	assert_int_equal(buffer_accept(&user, 77), LIMPET_OK);
	assert_non_null(buffer_at(&user, 77));
	assert_int_equal(buffer_put(&user, 77), LIMPET_OK);
	assert_null(buffer_at(&user, 77));
	assert_int_equal(buffer_get(&owner), 77);
}

static void test_refusals(void **state)
{
	struct buffer_pool pool;
	word c = (word)control, d = (word)data;

	(void)state;
	assert_int_equal(buffer_begin(&pool, c, d, 1, 0), LIMPET_ERANGE);
	assert_int_equal(buffer_begin(&pool, c, d, 1, 12), LIMPET_ERANGE);
	assert_int_equal(buffer_begin(&pool, c, d, 1, 4104), LIMPET_ERANGE);
	assert_int_equal(buffer_begin(&pool, c, d, 0, 8), LIMPET_ERANGE);
	assert_int_equal(buffer_begin(&pool, c, d, ~0ul, 8), LIMPET_ERANGE);
	assert_int_equal(buffer_join(&pool, c, d, ~0ul, 8, 1), LIMPET_ERANGE);
	assert_int_equal(buffer_join(&pool, c, d, 1, 8, 0), LIMPET_ERANGE);
	assert_int_equal(buffer_join(&pool, c, d, 1, 8, 513), LIMPET_ERANGE);
	assert_int_equal(buffer_join(&pool, c, d, 1, 1024, 5), LIMPET_ERANGE);
	assert_int_equal(buffer_join(&pool, c, d, 1, 1024, 4), LIMPET_OK);
	assert_int_equal(buffer_begin(&pool, c, d, PAGES, 8), LIMPET_OK);
	assert_int_equal(pool.count, BUFFERS_MAX);
	assert_int_equal(buffer_begin(&pool, c, d, 1, 4096), LIMPET_OK);
	assert_int_equal(buffer_get(&pool), 0);
	assert_int_equal(buffer_get(&pool), LIMPET_EEMPTY);
}

static void test_wrong_indices(void **state)
{
	static const word wrong[] = { COUNT, COUNT + 1, 511, 512, 1ul << 32, ~0ul };
	long index = buffer_get(&owner);

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		assert_null(buffer_at(&user, wrong[i]));
		assert_int_equal(buffer_accept(&user, wrong[i]), LIMPET_ERANGE);
		assert_int_equal(buffer_give(&user, wrong[i]), LIMPET_ENOENT);
		assert_int_equal(buffer_put(&user, wrong[i]), LIMPET_ENOENT);
	}
	assert_int_equal(buffer_accept(&owner, (word)index), LIMPET_ESTATE); /* its own */
	assert_int_equal(buffer_put(&user, (word)index), LIMPET_ENOENT);
	assert_int_equal(buffer_put(&owner, (word)index), LIMPET_OK);
	assert_int_equal(buffer_put(&owner, (word)index), LIMPET_ENOENT);
}

/* With any values of the shared words, no side gets a buffer that it already has or that does not exist. */
static void test_hostile_words(void **state)
{
	bool mine[COUNT] = { false };

	(void)state;
	srandom(7);
	for (unsigned int i = 0; i < 100000; i++) {
		long index;

		control[random() % BUFFER_WORDS] = (uint64_t)random() << 33 ^ (uint64_t)random();
		index = buffer_get(&owner);
		assert_true(index == LIMPET_EEMPTY || (index >= 0 && index < COUNT));
		if (index >= 0) {
			assert_false(mine[index]);
			mine[index] = true;
		}
		index = random() % COUNT;
		assert_int_equal(mine[index], buffer_at(&owner, (word)index) != NULL);
		if (random() % 2) {
			assert_int_equal(buffer_give(&owner, (word)index),
					 mine[index] ? LIMPET_OK : LIMPET_ENOENT);
			mine[index] = false;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_round, setup),
		cmocka_unit_test_setup(test_refusals, setup),
		cmocka_unit_test_setup(test_wrong_indices, setup),
		cmocka_unit_test_setup(test_hostile_words, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
