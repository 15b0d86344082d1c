// SPDX-License-Identifier: GPL-2.0
/* Tests the ring reader with correct writers, and with writers that store random values in the memory. */
#include "test.h"

#include <client/ring.h>

#define MEMORY 4096
#define DATA 2048

/* Has exactly the size of the mapping, so that the sanitizer detects an access beyond it. */
static struct limpet_ring *ring_make(size_t memory)
{
	struct limpet_ring *ring = aligned_alloc(64, memory);

	assert_non_null(ring);
	memset(ring, 0, memory);
	ring->magic = LIMPET_RING_MAGIC;
	ring->version = 1;
	ring->size = DATA;
	return ring;
}

static void ring_put(struct limpet_ring *ring, const char *text)
{
	for (; *text; text++)
		ring->data[ring->head++ % DATA] = *text;
}

static void test_in_order(void **state)
{
	struct limpet_ring *ring = ring_make(MEMORY);
	struct limpet_ring_reader reader;
	char text[16];

	(void)state;
	assert_true(limpet_ring_open(&reader, ring, MEMORY));
	assert_int_equal(limpet_ring_read(&reader, text, sizeof(text)), 0);
	ring_put(ring, "hello, ring");
	assert_int_equal(limpet_ring_read(&reader, text, 5), 5);
	assert_memory_equal(text, "hello", 5);
	assert_int_equal(limpet_ring_read(&reader, text, sizeof(text)), 6);
	assert_memory_equal(text, ", ring", 6);
	assert_int_equal(ring->tail, ring->head);
	free(ring);
}

static void test_around_the_end(void **state)
{
	struct limpet_ring *ring = ring_make(MEMORY);
	struct limpet_ring_reader reader;
	char text[16];

	(void)state;
	assert_true(limpet_ring_open(&reader, ring, MEMORY));
	for (unsigned int i = 0; i < 3 * DATA / 7; i++) {
		ring_put(ring, "seven..");
		assert_int_equal(limpet_ring_read(&reader, text, sizeof(text)), 7);
		assert_memory_equal(text, "seven..", 7);
	}
	assert_int_equal(reader.broken, 0);
	free(ring);
}

/* A new reader continues where the previous one stopped. The previous one may have run in a Linux that died. */
static void test_another_reader(void **state)
{
	struct limpet_ring *ring = ring_make(MEMORY);
	struct limpet_ring_reader first, second;
	char text[16];

	(void)state;
	assert_true(limpet_ring_open(&first, ring, MEMORY));
	for (unsigned int i = 0; i < 2 * DATA / 7; i++) {
		ring_put(ring, "seven..");
		assert_int_equal(limpet_ring_read(&first, text, sizeof(text)), 7);
	}
	ring_put(ring, "hello, ring");
	assert_int_equal(limpet_ring_read(&first, text, 7), 7);
	assert_true(limpet_ring_open(&second, ring, MEMORY));
	assert_int_equal(limpet_ring_read(&second, text, sizeof(text)), 4);
	assert_memory_equal(text, "ring", 4);
	assert_int_equal(second.broken, 0);
	free(ring);
}

static void test_not_a_ring(void **state)
{
	struct limpet_ring *ring = ring_make(MEMORY);
	struct limpet_ring_reader reader;

	(void)state;
	assert_false(limpet_ring_open(&reader, ring, 0));
	assert_false(limpet_ring_open(&reader, ring, sizeof(*ring)));
	ring->version = 2;
	assert_false(limpet_ring_open(&reader, ring, MEMORY));
	ring->version = 1;
	ring->magic++;
	assert_false(limpet_ring_open(&reader, ring, MEMORY));
	free(ring);
}

/* The reader ignores the size that the ring itself claims. */
static void test_wrong_size(void **state)
{
	struct limpet_ring *ring = ring_make(MEMORY);
	struct limpet_ring_reader reader;
	char text[2 * MEMORY];

	(void)state;
	ring->size = 0x80000000;
	ring->head = DATA;
	assert_true(limpet_ring_open(&reader, ring, MEMORY));
	assert_int_equal(limpet_ring_read(&reader, text, sizeof(text)), DATA);
	free(ring);
}

static void test_broken_head(void **state)
{
	static const uint64_t heads[] = { DATA + 1, ~0ul, 1ul << 63 };
	struct limpet_ring *ring = ring_make(MEMORY);
	struct limpet_ring_reader reader;
	char text[MEMORY];

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		ring->head = heads[i];
		assert_true(limpet_ring_open(&reader, ring, MEMORY));
		assert_int_equal(limpet_ring_read(&reader, text, sizeof(text)), 0);
		assert_int_equal(reader.broken, 1);
		ring_put(ring, "go on");
		assert_int_equal(limpet_ring_read(&reader, text, sizeof(text)), 5);
		assert_memory_equal(text, "go on", 5);
	}
	free(ring);
}

static void test_dropped(void **state)
{
	struct limpet_ring *ring = ring_make(MEMORY);
	struct limpet_ring_reader reader;

	(void)state;
	assert_true(limpet_ring_open(&reader, ring, MEMORY));
	ring->dropped = 10;
	assert_int_equal(limpet_ring_dropped(&reader), 10);
	assert_int_equal(limpet_ring_dropped(&reader), 0);
	ring->dropped = 15;
	assert_int_equal(limpet_ring_dropped(&reader), 5);
	free(ring);
}

/* Header words are overwritten at random, mostly with values near the right ones. */
static void corrupt(struct limpet_ring *ring, uint64_t *seed)
{
	uint64_t value = test_random(seed);
	uint64_t *words[] = { &ring->head, &ring->tail, &ring->dropped, &ring->magic };
	uint64_t *word = words[value >> 8 & 3];

	switch (value & 7) {
	case 0:
		*word = test_random(seed);
		break;
	case 1:
		ring->size = (uint32_t)test_random(seed);
		break;
	case 2:
		*word += DATA + 1;
		break;
	case 3:
		*word -= 1;
		break;
	default:
		ring->head += value >> 16 & 1023;
	}
}

static void test_fuzzed(void **state)
{
	uint64_t seed = 0x6c696d706574;
	char text[300];

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t memory = sizeof(struct limpet_ring) * 2 + test_random(&seed) % 64 * 64;
		struct limpet_ring *ring = ring_make(memory);
		struct limpet_ring_reader reader;

		assert_true(limpet_ring_open(&reader, ring, memory));
		for (int step = 0; step < 100; step++) {
			size_t size = test_random(&seed) % (sizeof(text) + 1);

			corrupt(ring, &seed);
			assert_true(limpet_ring_read(&reader, text, size) <= size);
		}
		free(ring);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),       cmocka_unit_test(test_around_the_end),
		cmocka_unit_test(test_another_reader), cmocka_unit_test(test_not_a_ring),
		cmocka_unit_test(test_wrong_size),     cmocka_unit_test(test_broken_head),
		cmocka_unit_test(test_dropped),	       cmocka_unit_test(test_fuzzed),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
