// SPDX-License-Identifier: GPL-2.0
/*
 * Tests one end of a channel against a side that writes random words over all shared memory, before
 * each load of the end. The lines and rings are separate allocations, so the sanitizer detects
 * accesses beyond them. RANDOM_SEED=n replays one run, RANDOM_CALLS=n makes it longer.
 */
#include "channel.h"

#define RING 256ul
#define LOADS_MAX 16 /* per call: no call loops */

static struct pair p;
static uint64_t seed;
static int loads;

/* Returns a random value, or one close to a valid value, because the first check refuses most random values. */
static uint64_t value(void)
{
	const uint64_t near[] = { p.a.head,
				  p.a.tail,
				  p.a.generation,
				  p.a.peer_generation,
				  0,
				  LIMPET_MESSAGE_SKIP,
				  RING,
				  test_random(&seed) };
	uint64_t random = test_random(&seed), delta = random >> 8;

	return near[random % 8] + (random & 32	 ? 0
				   : random & 64 ? delta % 64 * 8
						 : delta % 512 - 256);
}

static void write_over(struct limpet_side *side)
{
	switch (test_random(&seed) % 6) {
	case 0:
		side->head = value();
		break;
	case 1:
		side->tail = value();
		break;
	case 2:
		side->events = value();
		break;
	case 3:
		side->generation = (uint32_t)value();
		break;
	case 4:
		side->seen = (uint32_t)value();
		break;
	case 5:
		side->sleeping = (uint32_t)value();
		break;
	}
}

static void hostile(void)
{
	uint64_t random = test_random(&seed);
	uint32_t word = (uint32_t)value();

	loads++;
	if (!(random & 0x70))
		write_over(p.b.self);
	if (!(random & 0x3f00))
		write_over(p.a.self);
	if (random & 2)
		memcpy(p.b.out + (random >> 16) % (RING / 8) * 8, &word, sizeof(word));
	if (random & 4)
		memcpy(p.a.out + (random >> 24) % (RING / 8) * 8, &word, sizeof(word));
	if (random & 8) { /* some calls must succeed */
		p.b.self->generation = p.a.peer_generation ?: 1;
		p.b.self->seen = p.a.generation;
	}
	if (!(random & 0x180)) {
		p.b.self->head = p.a.tail + (random >> 32) % (RING / 8 + 1) * 8;
		p.b.self->tail = p.a.head - (random >> 40) % (RING / 8 + 1) * 8;
	}
}

static void touch(const char *from, uint64_t length, const char *ring)
{
	uint64_t sum = 0;

	assert_true(from >= ring && length <= RING && from + length <= ring + RING);
	for (uint64_t i = 0; i < length; i++)
		sum += (unsigned char)from[i];
	assert_true(sum <= 255 * RING);
}

static bool messages(struct limpet_end *e)
{
	uint64_t length = test_random(&seed) % (LIMPET_MESSAGE_MAX(RING) + 1);
	const void *from;
	char *to;

	to = limpet_end_reserve(e, length);
	if (to) {
		assert_true(to >= e->out && to + length <= e->out + RING);
		memset(to, 0x5a, length);
		limpet_end_commit(e, length);
	}
	from = limpet_end_peek(e, &length);
	if (from)
		touch(from, length, e->in);
	limpet_end_release(e);
	return to && from;
}

static bool bytes(struct limpet_end *e)
{
	uint64_t space, length;
	char *to = limpet_end_space(e, &space);
	const char *from;

	assert_true(to >= e->out && space <= RING && to + space <= e->out + RING);
	memset(to, 0xa5, space);
	limpet_end_put(e, space ? test_random(&seed) % space : 0);
	from = limpet_end_bytes(e, &length);
	touch(from, length, e->in);
	limpet_end_take(e, length ? test_random(&seed) % length : 0);
	return space && length;
}

/* Does one step of a user. Returns true if data moved both ways. */
static bool use(struct limpet_end *e, bool (*move)(struct limpet_end *e))
{
	bool moved = limpet_end_connected(e) && move(e);

	limpet_end_wanted(e, LIMPET_SLEEP_DATA);
	limpet_end_event(e);
	limpet_end_events(e);
	limpet_end_sleep(e, (uint32_t)test_random(&seed) & 3);
	return moved;
}

static void run(bool (*move)(struct limpet_end *e))
{
	const char *calls = getenv("RANDOM_CALLS"), *from = getenv("RANDOM_SEED");
	uint64_t n = calls ? strtoul(calls, NULL, 0) : 2000000, moved = 0;

	seed = from ? strtoul(from, NULL, 0) : 0x11c0ffee;
	pair_make(&p, RING, RING);
	pair_connect(&p);
	before_load = hostile;
	for (uint64_t i = 0; i < n; i++) {
		loads = 0;
		if (i % 1000 == 999)
			limpet_end_adopt(&p.a, move == messages ? 8 : 1);
		moved += use(&p.a, move);
		assert_true(loads <= 3 * LOADS_MAX);
		if (move == messages)
			assert_int_equal((p.a.head | p.a.tail) & 7, 0);
	}
	print_message("%lu uses: %lu moved both ways, %lu found nonsense\n", n, moved, p.a.broken);
	assert_true(moved > n / 100); /* otherwise the test checks nothing */
	assert_true(p.a.broken > n / 100);
	pair_free(&p);
}

static void hostile_messages(void **state)
{
	(void)state;
	run(messages);
}

static void hostile_bytes(void **state)
{
	(void)state;
	run(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_messages),
		cmocka_unit_test(hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
