// SPDX-License-Identifier: BSD-2-Clause
/* Tests streams: data on a wire that can lose and damage frames, connections made, refused and reset, and windows. */
#include <string.h>

#include "peers.h"

static struct flow {
	struct pair p;
	uint64_t received, total;
	bool ended;
} flow;

/* The other side reads all data that has arrived. */
static void flow_read(void)
{
	struct socket_receive_results from;
	long n;

	while (!flow.ended) {
		n = b.receive(RIGHT, (word)flow.p.right, 0, 4000, 0, &from);
		if (n == LIMPET_ETIME)
			return;
		assert_true(n >= 0);
		for (long i = 0; i < n; i++)
			assert_int_equal(memory_b[i], pattern(flow.received + (uint64_t)i));
		flow.received += (uint64_t)n;
		flow.ended = !n;
	}
}

static void flow_run(const word *to, uint64_t total)
{
	uint64_t sent = 0, end;

	flow = (struct flow){ .p = connect_pair(to), .total = total };
	world.other = flow_read;
	while (sent < total) {
		uint64_t part = total - sent < 5000 ? total - sent : 5000;
		long n;

		for (uint64_t i = 0; i < part; i++)
			memory_a[i] = pattern(sent + i);
		n = a.send(LEFT, (word)flow.p.left, 0, part, LONG);
		assert_true(n > 0 || n == LIMPET_EAGAIN);
		sent += n > 0 ? (uint64_t)n : 0;
	}
	assert_int_equal(a.shutdown(LEFT, (word)flow.p.left), 0);
	for (end = LONG; !flow.ended && now < end;) {
		world_run(10 * MS);
		flow_read();
	}
	assert_true(flow.ended);
	assert_int_equal(flow.received, total);
	world.other = NULL;
}

static void test_stream(void **state)
{
	struct socket_receive_results from;
	struct socket_name_results name;

	(void)state;
	flow_run(four_b, 300000);
	/* The other direction is open until the other side shuts it down, too. */
	memcpy(memory_b + 100, "back", 4);
	assert_int_equal(b.send(RIGHT, (word)flow.p.right, 100, 4, SOON), 4);
	assert_int_equal(a.receive(LEFT, (word)flow.p.left, 8, 100, SOON, &from), 4);
	assert_memory_equal(memory_a + 8, "back", 4);
	assert_int_equal(from.low, four_b[1]);
	assert_int_equal(from.port, 7);
	assert_int_equal(a.name(LEFT, (word)flow.p.left, 0, &name), 0);
	assert_int_equal(name.low, four_a[1]);
	assert_int_equal(a.name(LEFT, (word)flow.p.left, 1, &name), 0);
	assert_int_equal(name.low, four_b[1]);
	assert_int_equal(name.port, 7);
	assert_int_equal(a.send(LEFT, (word)flow.p.left, 0, 1, SOON), LIMPET_ESTATE);
	assert_int_equal(b.close(RIGHT, (word)flow.p.right), 0);
	assert_int_equal(a.receive(LEFT, (word)flow.p.left, 8, 100, SOON, &from), 0);
	assert_int_equal(a.receive(LEFT, (word)flow.p.left, 8, 100, 0, &from), 0);
	assert_int_equal(a.close(LEFT, (word)flow.p.left), 0);
}

static bool lossy(const struct stack *from, uint8_t *frame, uint64_t *length)
{
	(void)from;
	switch (world_random() % 40) {
	case 0:
		return false;
	case 1: /* damaged on the wire */
		frame[sizeof(struct limpet_frame) + 14 +
		      world_random() % (*length - sizeof(struct limpet_frame) - 14)] ^= 4;
		return true;
	default:
		return true;
	}
}

static void test_stream_lossy(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 4; seed++) {
		struct socket_begin_results out;

		world_seed(seed);
		world.judge = lossy;
		flow_run(four_b, 300000);
		a.begin(LEFT, &out);
		b.begin(RIGHT, &out);
		world.judge = NULL;
		world_run(200 * MS);
	}
	assert_true(figure(&b, "tcp dropped") + figure(&b, "ipv4 dropped") > 0);
	assert_true(figure(&a, "tcp dropped") + figure(&a, "ipv4 dropped") > 0);
}

static void test_stream_ipv6(void **state)
{
	word to[2];

	(void)state;
	link_local(&b, to);
	flow_run(to, 50000);
}

static void test_refused(void **state)
{
	struct socket_receive_results from;
	long s = a.create(LEFT, 1);

	(void)state;
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 99, SOON), LIMPET_EPEER);
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 99, SOON), LIMPET_EPEER);
	assert_int_equal(a.receive(LEFT, (word)s, 0, 1, SOON, &from), LIMPET_EPEER);
	assert_int_equal(a.send(LEFT, (word)s, 0, 1, SOON), LIMPET_EPEER);
	assert_int_equal(a.option(LEFT, (word)s, 1, 1), LIMPET_ESTATE);
	assert_int_equal(a.bind(LEFT, (word)s, 0, 0, 5), LIMPET_ESTATE);
	assert_int_equal(a.close(LEFT, (word)s), 0);
}

/* Connects to an unused address, and connects with a timeout that is too short. */
static void test_connect_late(void **state)
{
	long s = a.create(LEFT, 1), other;

	(void)state;
	listen_at(7);
	world.unplugged = true;
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 7, now + 50 * MS),
			 LIMPET_ETIME);
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 7, 0), LIMPET_ETIME);
	world.unplugged = false;
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 7, LONG), 0);
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 7, 0), 0);
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 8, 0), LIMPET_ESTATE);
	other = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)other, 0, 0xffff0a000063, 7, LONG), LIMPET_EPEER);
}

static void test_reset(void **state)
{
	struct pair p = connect_pair(four_b);
	struct socket_receive_results from;

	(void)state;
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 10, SOON), 10);
	world_run(10 * MS);
	assert_int_equal(b.close(RIGHT, (word)p.right), 0); /* with unread data */
	assert_int_equal(a.receive(LEFT, (word)p.left, 0, 10, SOON, &from), LIMPET_EPEER);
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 10, SOON), LIMPET_EPEER);
	assert_int_equal(a.name(LEFT, (word)p.left, 1, &(struct socket_name_results){ 0 }),
			 LIMPET_ESTATE);
}

/* More connections are made than the backlog holds. All established connections can be accepted. */
static void test_backlog(void **state)
{
	struct socket_accept_results from;
	long listener = listen_at(9), s[6];
	unsigned int connected = 0, accepted = 0;

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		s[i] = a.create(LEFT, 1);
		if (a.connect(LEFT, (word)s[i], four_b[0], four_b[1], 9, now + 100 * MS) == 0)
			connected++;
	}
	assert_int_equal(connected, 4);
	while (b.accept(RIGHT, (word)listener, now + 20000 * MS, &from) >= 0)
		accepted++;
	assert_int_equal(accepted, 6);
	assert_int_equal(figure(&b, "sockets"), 7);
	/* Closing the listener resets its pending connections. */
	assert_int_equal(a.close(LEFT, (word)s[0]), 0);
	s[0] = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)s[0], four_b[0], four_b[1], 9, SOON), 0);
	assert_int_equal(b.close(RIGHT, (word)listener), 0);
	world_run(10 * MS);
	assert_int_equal(a.send(LEFT, (word)s[0], 0, 1, SOON), LIMPET_EPEER);
	assert_int_equal(figure(&b, "sockets"), 6);
}

/* One client cannot hold all memory for received data. */
static void test_window(void **state)
{
	struct pair p = connect_pair(four_b);
	struct socket_receive_results from;
	uint64_t sent = 0, received = 0;
	long n;

	(void)state;
	for (;;) {
		n = a.send(LEFT, (word)p.left, 0, 1, now + 1000 * MS);
		if (n != 1)
			break;
		sent++;
		world_run(MS);
		assert_true(sent < 100000);
	}
	assert_int_equal(n, LIMPET_ETIME);
	assert_true(figure(&b, "frames held") <= 768 / 2 + 64);
	assert_int_equal(figure(&b, "no memory"), 0);
	while (received < sent) {
		n = b.receive(RIGHT, (word)p.right, 0, 4096, LONG, &from);
		assert_true(n > 0);
		received += (uint64_t)n;
	}
	assert_int_equal(received, sent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEERS_TEST(test_stream),       PEERS_TEST(test_stream_ipv6),
		PEERS_TEST(test_stream_lossy), PEERS_TEST(test_refused),
		PEERS_TEST(test_connect_late), PEERS_TEST(test_reset),
		PEERS_TEST(test_backlog),      PEERS_TEST(test_window),
	};

	return cmocka_run_group_tests_name("net-stream", tests, NULL, NULL);
}
