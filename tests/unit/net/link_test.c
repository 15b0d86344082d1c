// SPDX-License-Identifier: BSD-2-Clause
/* Tests the link: a reconnection of Linux, messages that are not frames, and a full ring. */
#include "peers.h"

static void test_link(void **state)
{
	struct pair p = connect_pair(four_b);
	struct socket_receive_results from;
	uint64_t generation = a.host.generation;
	struct socket_figure_results out;
	struct socket_address_results address;
	uint64_t message[4] = { 0 };

	(void)state;
	assert_int_equal(figure(&a, "link up"), 1);
	assert_int_equal(a.address(LEFT, 0, &address), 1);
	assert_int_equal(address.low, four_a[1]);
	assert_int_equal(address.prefix, 120);
	assert_int_equal(a.address(LEFT, 5, &address), LIMPET_ENOENT);
	assert_int_equal(a.figure(LEFT, 1000, &out), LIMPET_ENOENT);
	/* Linux disconnects and reconnects, which only costs time. */
	a.host.self->generation = 0;
	world_turns(&a);
	assert_int_equal(figure(&a, "link up"), 0);
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 5, SOON), 5);
	world_run(100 * MS);
	limpet_end_begin(&a.host, (uint32_t)generation + 1);
	world_run(5000 * MS);
	assert_int_equal(figure(&a, "link up"), 1);
	assert_int_equal(b.receive(RIGHT, (word)p.right, 0, 5, LONG, &from), 5);
	/* Messages that are not frames. */
	assert_true(world_put(&a, message, 0));
	assert_true(world_put(&a, message, 8));
	assert_true(world_put(&a, message, 21));
	world_turns(&a);
	assert_int_equal(figure(&a, "frames bad"), 3);
}

static void test_ring_full(void **state)
{
	struct pair p = connect_pair(four_b);
	long u = a.create(LEFT, 2), status = 0;
	struct socket_receive_results from;

	(void)state;
	world.unplugged = true;
	for (unsigned int i = 0; i < 100 && status >= 0; i++)
		status = a.send_to(LEFT, (word)u, 0, 1400, four_b[0], four_b[1], 9);
	assert_int_equal(status, LIMPET_ENOMEM);
	assert_true(figure(&a, "ring full") > 0);
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 1000, SOON), 1000);
	world_turns(&a);
	assert_true(a.host.peer->sleeping & LIMPET_SLEEP_SPACE);
	world.unplugged = false;
	assert_int_equal(b.receive(RIGHT, (word)p.right, 0, 1000, now + 100 * MS, &from), 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEERS_TEST(test_link),
		PEERS_TEST(test_ring_full),
	};

	return cmocka_run_group_tests_name("net-link", tests, NULL, NULL);
}
