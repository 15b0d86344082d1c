// SPDX-License-Identifier: GPL-2.0
/* Tests each function of shared/channel/end.h, and each of its refusals. */
#include "channel.h"

#define RING 64ul

static struct pair p;

static int make(void **state)
{
	(void)state;
	pair_make(&p, RING, RING);
	pair_connect(&p);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pair_free(&p);
	return 0;
}

static void peer_send(const char *text)
{
	void *to = limpet_end_reserve(&p.a, strlen(text));

	assert_non_null(to);
	memcpy(to, text, strlen(text));
	limpet_end_commit(&p.a, strlen(text));
}

static void receive(const char *text)
{
	uint64_t length;
	const void *from = limpet_end_peek(&p.b, &length);

	assert_non_null(from);
	assert_int_equal(length, strlen(text));
	assert_memory_equal(from, text, length);
	limpet_end_release(&p.b);
}

static void nothing_comes(void)
{
	uint64_t length;

	assert_null(limpet_end_peek(&p.b, &length));
}

/* --- start */

static void connects(void **state)
{
	struct pair q;

	(void)state;
	pair_make(&q, RING, RING);
	assert_false(limpet_end_connected(&q.a) && q.a.generation);
	limpet_end_begin(&q.a, 7);
	assert_false(limpet_end_connected(&q.a));
	limpet_end_begin(&q.b, 9);
	assert_false(limpet_end_connected(&q.a));
	assert_int_equal(q.a.peer_generation, 9);
	assert_true(limpet_end_connected(&q.b));
	assert_true(limpet_end_connected(&q.a));
	assert_int_equal(q.b.peer_generation, 7);
	assert_int_equal(q.a.broken + q.b.broken, 0);
	pair_free(&q);
}

static void restarts(void **state)
{
	(void)state;
	peer_send("lost");
	limpet_end_begin(&p.a, 2);
	assert_false(limpet_end_connected(&p.a));
	nothing_comes(); /* the reset counts are still valid */
	assert_int_equal(p.b.broken, 0);
	assert_true(limpet_end_connected(&p.b));
	assert_true(limpet_end_wanted(&p.b, 0)); /* notifies the peer once that it has seen it */
	assert_false(limpet_end_wanted(&p.b, 0));
	assert_true(limpet_end_connected(&p.a));
	nothing_comes();
	peer_send("new");
	receive("new");
}

static void other_side_ends(void **state)
{
	(void)state;
	p.b.self->generation = 0;
	assert_false(limpet_end_connected(&p.a));
	assert_int_equal(p.a.peer_generation, 0);
}

static void generations(void **state)
{
	(void)state;
	assert_int_equal(limpet_generation_after(1), 2);
	assert_int_equal(limpet_generation_after(0xffff), 1);
	assert_int_equal(limpet_generation_after(0x3ffff), 0x30000);
	assert_int_equal(limpet_generation_after(0xffffffff), 0xffff0000);
}

static void own_words_are_written_over(void **state)
{
	(void)state;
	uint64_t *const counts[] = { &p.a.self->head, &p.a.self->tail };
	uint32_t *const words[] = { &p.a.self->generation, &p.a.self->seen };

	for (int i = 0; i < 4; i++) {
		uint32_t before = p.a.generation;

		if (i < 2)
			*counts[i] += 8;
		else
			*words[i - 2] += 77;
		assert_false(limpet_end_connected(&p.a));
		assert_int_equal(p.a.broken, i + 1);
		assert_int_equal(p.a.generation, before + 1);
		assert_true(limpet_end_wanted(&p.a, 0));
		assert_true(limpet_end_connected(&p.b));
		assert_true(limpet_end_connected(&p.a));
		peer_send("on");
		receive("on");
	}
	assert_int_equal(p.b.broken, 0);
}

/* --- adoption */

static void takes_over(void **state)
{
	struct limpet_end other = p.a;

	(void)state;
	peer_send("first");
	limpet_end_event(&p.a);
	other.head = other.tail = 99;
	other.space = other.taken = 8;
	limpet_end_adopt(&other, 8);
	p.a = other;
	assert_int_equal(p.a.generation, 1);
	assert_int_equal(p.a.space + p.a.taken, 0);
	assert_int_equal(p.a.sent, 1);
	assert_true(limpet_end_connected(&p.a));
	peer_send("second");
	receive("first");
	receive("second");
}

static void takes_nothing_over(void **state)
{
	struct limpet_side *self = p.a.self, *peer = p.b.self;

	(void)state;
	for (int i = 0; i < 8; i++) {
		pair_free(&p);
		make(state);
		self = p.a.self;
		peer = p.b.self;
		switch (i) {
		case 0: /* not started */
			self->generation = 0;
			break;
		case 1: /* has seen no peer */
			self->seen = 0;
			break;
		case 2:
			self->head = peer->tail + RING + 8;
			break;
		case 3:
			self->tail = peer->head + 8;
			break;
		case 4: /* not at the start of a message */
			self->head = 4;
			break;
		case 5: /* not the generation that it has seen */
			peer->generation = 2;
			break;
		case 6: /* has not seen this side */
			peer->seen = 5;
			break;
		case 7:
			peer->head = RING + 1;
			break;
		}
		limpet_end_adopt(&p.a, 8);
		assert_int_equal(p.a.head + p.a.tail + self->head + self->tail, 0);
		assert_int_equal(self->seen, 0);
		assert_int_not_equal(self->generation, 0);
		assert_int_equal(self->generation, p.a.generation);
		assert_int_equal(p.a.generation, i ? 2 : 1);
	}
}

static void takes_over_bytes(void **state)
{
	uint64_t space;

	(void)state;
	limpet_end_space(&p.a, &space);
	limpet_end_put(&p.a, 5);
	limpet_end_adopt(&p.a, 1);
	assert_int_equal(p.a.head, 5);
	assert_int_equal(p.a.generation, 1);
	limpet_end_adopt(&p.a, 8);
	assert_int_equal(p.a.generation, 2);
}

/* --- messages */

static void all_lengths(void **state)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz";

	(void)state;
	for (int round = 0; round < 20; round++)
		for (uint64_t length = 0; length <= LIMPET_MESSAGE_MAX(RING); length++) {
			char message[32] = "";

			memcpy(message, text, length);
			peer_send(message);
			receive(message);
			nothing_comes();
		}
	assert_int_equal(p.a.broken + p.b.broken, 0);
	assert_true(p.a.head > 10 * RING);
}

static void full(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		peer_send("8 bytes!");
	assert_int_equal(limpet_end_filled(&p.a), RING);
	assert_null(limpet_end_reserve(&p.a, 0));
	receive("8 bytes!");
	peer_send("again");
	assert_null(limpet_end_reserve(&p.a, 0));
	for (int i = 0; i < 3; i++)
		receive("8 bytes!");
	receive("again");
	nothing_comes();
}

/* The longest message fits at each position of an empty ring. */
static void longest(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < RING; at += 8) {
		p.a.head = p.a.tail = p.b.head = p.b.tail = at;
		p.a.self->head = p.b.self->tail = at;
		p.a.self->tail = p.b.self->head = at;
		assert_int_equal(LIMPET_MESSAGE_MAX(RING), 24);
		peer_send("twenty-four bytes of it.");
	}
}

static void too_long(void **state)
{
	static const uint64_t lengths[] = { RING,     RING + 1, 1ul << 32, 1ul << 63, ~0ul - 16,
					    ~0ul - 8, ~0ul - 7, ~0ul - 6,  ~0ul };

	(void)state;
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		assert_null(limpet_end_reserve(&p.a, lengths[i]));
	assert_int_equal(LIMPET_MESSAGE_MAX(0), 0);
}

static void reserved_in_vain(void **state)
{
	(void)state;
	limpet_end_commit(&p.a, 0); /* nothing was reserved */
	nothing_comes();
	assert_non_null(limpet_end_reserve(&p.a, 8));
	limpet_end_commit(&p.a, 9); /* more than was reserved */
	nothing_comes();
	limpet_end_commit(&p.a, 3);
	limpet_end_commit(&p.a, 3); /* twice */
	assert_int_equal(p.a.head, 16);
	assert_non_null(limpet_end_reserve(&p.a, 8));
	limpet_end_begin(&p.b, 2);
	assert_true(!limpet_end_connected(&p.a) || p.a.peer_generation == 2);
	limpet_end_commit(&p.a, 8); /* from before the restart */
	assert_int_equal(p.a.head, 0);
	assert_int_equal(p.a.broken + p.b.broken, 0);
}

static void released_in_vain(void **state)
{
	uint64_t length;

	(void)state;
	peer_send("one");
	peer_send("two");
	limpet_end_release(&p.b); /* nothing was peeked at */
	assert_non_null(limpet_end_peek(&p.b, &length));
	limpet_end_release(&p.b);
	limpet_end_release(&p.b); /* twice */
	receive("two");
	peer_send("three");
	assert_non_null(limpet_end_peek(&p.b, &length));
	limpet_end_begin(&p.a, 2);
	limpet_end_connected(&p.b);
	limpet_end_release(&p.b); /* from before the restart */
	assert_int_equal(p.b.tail, 0);
}

/* Writes a message's length and the head as the other side, with `size` bytes in the ring. */
static void nonsense_in_ring(void **state)
{
	static const struct {
		uint64_t tail, head;
		uint32_t length;
		bool right;
	} cases[] = {
		{ 0, 8, 0, true },
		{ 0, 8, 1, false },
		{ 0, 16, 8, true },
		{ 0, 16, 9, false },
		{ 0, 4, 0, false },
		{ 0, RING, RING - 8, true },
		{ 0, RING, RING, false },
		{ 0, RING, ~0u - 7, false },
		{ 0, RING, LIMPET_MESSAGE_SKIP, false },
		{ 48, 64, LIMPET_MESSAGE_SKIP, false }, /* no data after it */
		{ 48, 112, 24, false },			/* beyond the end */
		{ 48, 64, 8, true },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t length = 0;
		bool found;

		pair_free(&p);
		make(state);
		p.b.tail = p.b.self->tail = cases[i].tail;
		p.a.self->head = cases[i].head;
		memcpy(p.a.out + cases[i].tail % RING, &cases[i].length, 4);
		found = limpet_end_peek(&p.b, &length);
		assert_int_equal(found, cases[i].right);
		assert_int_equal(p.b.broken, !cases[i].right);
		assert_int_equal(found ? length : 0, found ? cases[i].length : 0);
		assert_int_equal(p.b.generation, found ? 1 : 2);
	}
}

/* Skipping to the same message again does not count it a second time. */
static void skip_to_skip(void **state)
{
	uint64_t length;

	(void)state;
	p.b.tail = p.b.self->tail = 48;
	p.a.self->head = 48 + RING;
	memset(p.a.out, 0xff, RING);
	assert_null(limpet_end_peek(&p.b, &length));
	assert_int_equal(p.b.broken, 1);
}

static void nonsense_in_counts(void **state)
{
	static const uint64_t wrong[] = { RING + 1, ~0ul, 1ul << 63, 1ul << 32 };

	(void)state;
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint64_t length;

		pair_free(&p);
		make(state);
		p.a.self->head = wrong[i];
		assert_null(limpet_end_peek(&p.b, &length));
		assert_int_equal(p.b.broken, 1);
		assert_true(limpet_end_wanted(&p.b, 0));

		pair_free(&p);
		make(state);
		p.b.self->tail = -wrong[i]; /* that many are in the ring */
		assert_null(limpet_end_reserve(&p.a, 0));
		assert_int_equal(p.a.broken, 1);
		limpet_end_space(&p.a, &length);
	}
}

/* --- bytes */

static void bytes(void **state)
{
	uint64_t length, sent = 0, got = 0;

	(void)state;
	while (got < 1000) {
		char *to = limpet_end_space(&p.a, &length);
		const char *from;

		for (uint64_t i = 0; i < length && i < 50; i++)
			to[i] = (char)(sent + i);
		limpet_end_put(&p.a, length < 50 ? length : 50);
		sent += length < 50 ? length : 50;
		from = limpet_end_bytes(&p.b, &length);
		for (uint64_t i = 0; i < length && i < 37; i++)
			assert_int_equal(from[i], (char)(got + i));
		limpet_end_take(&p.b, length < 37 ? length : 37);
		got += length < 37 ? length : 37;
	}
	assert_int_equal(p.a.broken + p.b.broken, 0);
}

static void bytes_in_parts(void **state)
{
	uint64_t length;

	(void)state;
	limpet_end_put(&p.a, 1); /* no space was requested */
	assert_int_equal(p.a.head, 0);
	limpet_end_space(&p.a, &length);
	assert_int_equal(length, RING);
	limpet_end_put(&p.a, RING + 1); /* more than there is space */
	assert_int_equal(p.a.head, 0);
	limpet_end_put(&p.a, RING - 2);
	limpet_end_put(&p.a, 2);
	limpet_end_put(&p.a, 1);
	assert_int_equal(p.a.head, RING);
	limpet_end_space(&p.a, &length);
	assert_int_equal(length, 0);
	limpet_end_take(&p.b, 1); /* the peer has not checked */
	assert_int_equal(p.b.tail, 0);
	limpet_end_bytes(&p.b, &length);
	assert_int_equal(length, RING);
	limpet_end_take(&p.b, 10);
	limpet_end_take(&p.b, RING - 9); /* one more than is left */
	assert_int_equal(p.b.tail, 10);
	limpet_end_space(&p.a, &length);
	assert_int_equal(length, 10);
	p.a.self->head = 11 + RING;
	limpet_end_bytes(&p.b, &length);
	assert_int_equal(length, 0);
	assert_int_equal(p.b.broken, 1);
}

static void no_ring(void **state)
{
	struct pair q;
	uint64_t length = 1;

	(void)state;
	pair_make(&q, 0, 0);
	pair_connect(&q);
	assert_null(limpet_end_reserve(&q.a, 0));
	assert_null(limpet_end_peek(&q.a, &length));
	limpet_end_space(&q.a, &length);
	assert_int_equal(length, 0);
	limpet_end_bytes(&q.a, &length);
	assert_int_equal(length, 0);
	assert_int_equal(q.a.broken, 0);
	q.b.self->head = 8;
	assert_null(limpet_end_peek(&q.a, &length));
	assert_int_equal(q.a.broken, 1);
	pair_free(&q);
}

/* --- events and sleeping */

static void events(void **state)
{
	(void)state;
	assert_int_equal(limpet_end_events(&p.b), 0);
	for (int i = 0; i < 5; i++)
		limpet_end_event(&p.a);
	assert_int_equal(limpet_end_events(&p.b), 5);
	assert_int_equal(limpet_end_events(&p.b), 0);
	limpet_end_event(&p.a);
	limpet_end_begin(&p.a, 2);
	assert_int_equal(limpet_end_events(&p.b), 0); /* the count goes back, but is valid */
	assert_int_equal(p.b.broken, 0);
	limpet_end_connected(&p.a);
	limpet_end_connected(&p.b);
	limpet_end_event(&p.a);
	assert_int_equal(limpet_end_events(&p.b), 1);
	p.a.self->events = 0;
	assert_int_equal(limpet_end_events(&p.b), 0);
	assert_int_equal(p.b.broken, 1);
}

static void sleeping(void **state)
{
	(void)state;
	assert_false(limpet_end_wanted(&p.a, LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE));
	limpet_end_sleep(&p.b, LIMPET_SLEEP_DATA);
	assert_true(limpet_end_wanted(&p.a, LIMPET_SLEEP_DATA));
	assert_false(limpet_end_wanted(&p.a, LIMPET_SLEEP_SPACE));
	assert_false(limpet_end_wanted(&p.a, 0));
	limpet_end_sleep(&p.b, LIMPET_SLEEP_SPACE);
	assert_false(limpet_end_wanted(&p.a, LIMPET_SLEEP_DATA));
	limpet_end_sleep(&p.b, 0);
	assert_false(limpet_end_wanted(&p.a, LIMPET_SLEEP_SPACE));
}

/*
 * If a side finds invalid data in its last check before a wait, it still announces its sleep, and
 * notifies the peer.
 */
static void nonsense_before_a_wait(void **state)
{
	uint64_t length;

	(void)state;
	limpet_end_sleep(&p.b, LIMPET_SLEEP_DATA);
	p.a.self->head = ~0ul;
	assert_null(limpet_end_peek(&p.b, &length));
	assert_int_equal(p.b.self->sleeping, LIMPET_SLEEP_DATA);
	assert_true(limpet_end_wanted(&p.b, 0));
	assert_false(limpet_end_connected(&p.a)); /* its own words were wrong */
	limpet_end_connected(&p.b);
	assert_true(limpet_end_connected(&p.a));
	peer_send("woken");
	assert_true(limpet_end_wanted(&p.a, LIMPET_SLEEP_DATA));
	receive("woken");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(connects),
		TEST(restarts),
		TEST(other_side_ends),
		TEST(generations),
		TEST(own_words_are_written_over),
		TEST(takes_over),
		TEST(takes_nothing_over),
		TEST(takes_over_bytes),
		TEST(all_lengths),
		TEST(full),
		TEST(longest),
		TEST(too_long),
		TEST(reserved_in_vain),
		TEST(released_in_vain),
		TEST(nonsense_in_ring),
		TEST(skip_to_skip),
		TEST(nonsense_in_counts),
		TEST(bytes),
		TEST(bytes_in_parts),
		TEST(no_ring),
		TEST(events),
		TEST(sleeping),
		TEST(nonsense_before_a_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
