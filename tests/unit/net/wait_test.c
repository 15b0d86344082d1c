// SPDX-License-Identifier: BSD-2-Clause
/* Tests calls that wait, and the events that end them. */
#include "peers.h"

static void other_sends(void)
{
	b.send_to(RIGHT, 0, 0, 3, four_a[0], four_a[1], 40);
}

static void test_wait(void **state)
{
	long s = a.create(LEFT, 2), listener, t = b.create(RIGHT, 2);
	struct socket_receive_results from;
	struct socket_wait_results out;
	struct pair p;

	(void)state;
	assert_int_equal(t, 0);
	assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 40), 0);
	p = connect_pair(four_b);
	assert_int_equal(a.wait(LEFT, 1ul << s | 1ul << p.left, 0, 0, &out), LIMPET_ETIME);
	assert_int_equal(a.wait(LEFT, 1ul << s, 1ul << p.left, SOON, &out), 1);
	assert_int_equal(out.room, 1ul << p.left);
	assert_int_equal(out.filled, 0);
	world.other = other_sends;
	assert_int_equal(a.wait(LEFT, 1ul << s | 1ul << p.left, 0, SOON, &out), 1);
	assert_int_equal(out.filled, 1ul << s);
	world.other = NULL;
	world_run(10 * MS);
	while (a.receive(LEFT, (word)s, 0, 100, 0, &from) == 3)
		;
	assert_int_equal(b.send(RIGHT, (word)p.right, 0, 9, SOON), 9);
	assert_int_equal(a.wait(LEFT, 1ul << s | 1ul << p.left, 1ul << s, SOON, &out), 1);
	assert_int_equal(a.wait(LEFT, 1ul << p.left, 0, SOON, &out), 1);
	assert_int_equal(a.wait(LEFT, 0, 0, SOON, &out), LIMPET_ERANGE);
	assert_int_equal(a.wait(LEFT, 1ul << 63, 0, SOON, &out), LIMPET_ENOENT);
	assert_int_equal(a.wait(99, 1, 0, SOON, &out), LIMPET_ENOENT);
	/* Uses a listener with a connection, and a socket whose peer has closed. */
	listener = p.listener;
	assert_int_equal(b.wait(RIGHT, 1ul << listener, 0, 0, &out), LIMPET_ETIME);
	s = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)s, four_b[0], four_b[1], 7, SOON), 0);
	assert_int_equal(b.wait(RIGHT, 1ul << listener, 1ul << listener, SOON, &out), 1);
	assert_int_equal(out.filled, 1ul << listener);
	assert_int_equal(a.close(LEFT, (word)p.left), 0);
	assert_int_equal(b.wait(RIGHT, 1ul << p.right, 0, SOON, &out), 1);
}

static long closing;

static void other_closes(void)
{
	if (closing >= 0)
		assert_int_equal(a.close(LEFT, (word)closing), 0);
	closing = -1;
}

/* Each waiting call ends when its socket is closed, or when the thread is woken. */
static void test_wait_ends(void **state)
{
	struct socket_receive_results from;
	struct socket_accept_results who;
	struct socket_wait_results out;
	long s = a.create(LEFT, 2), t;
	struct pair p = connect_pair(four_b);

	(void)state;
	world.interrupts = 1;
	assert_int_equal(a.receive(LEFT, (word)s, 0, 1, SOON, &from), LIMPET_EAGAIN);
	world.interrupts = 1;
	assert_int_equal(a.receive(LEFT, (word)p.left, 0, 1, SOON, &from), LIMPET_EAGAIN);
	world.interrupts = 1;
	assert_int_equal(a.wait(LEFT, 1ul << p.left, 0, SOON, &out), LIMPET_EAGAIN);
	world.interrupts = 1;
	assert_int_equal(b.accept(RIGHT, (word)p.listener, SOON, &who), LIMPET_EAGAIN);
	world.interrupts = 1;
	t = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)t, 0, 0xffff0a000063, 7, SOON), LIMPET_EAGAIN);
	world.other = other_closes;
	closing = s;
	assert_int_equal(a.receive(LEFT, (word)s, 0, 1, SOON, &from), LIMPET_ENOENT);
	closing = t;
	assert_int_equal(a.connect(LEFT, (word)t, 0, 0xffff0a000063, 7, SOON), LIMPET_ENOENT);
	closing = p.left;
	assert_int_equal(a.wait(LEFT, 1ul << p.left, 0, SOON, &out), LIMPET_ENOENT);
}

/* next() ends when a socket that look() watches is ready, and each look() shows the ready sockets. */
static void test_look(void **state)
{
	long s = a.create(LEFT, 2), t = a.create(LEFT, 1), status;
	struct socket_receive_results from;
	struct socket_look_results out;
	struct pair p;

	(void)state;
	assert_int_equal(b.create(RIGHT, 2), 0);
	p = connect_pair(four_b);
	assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 40), 0);
	assert_int_equal(a.look(99, &out), LIMPET_ESTATE);
	assert_int_equal(a.next(99, 0), LIMPET_ESTATE);
	assert_int_equal(a.look(LEFT, &out), 0);
	assert_int_equal(out.receive, 1ul << t);
	assert_int_equal(out.send, 1ul << p.left | 1ul << s | 1ul << t);
	assert_int_equal(out.ended, 0);
	assert_int_equal(a.next(LEFT, SOON), LIMPET_ETIME);
	world.other = other_sends;
	do
		status = a.next(LEFT, SOON);
	while (status == LIMPET_EAGAIN);
	assert_int_equal(status, 0);
	world.other = NULL;
	world_run(10 * MS);
	assert_int_equal(a.look(LEFT, &out), 0);
	assert_int_equal(out.receive, 1ul << s | 1ul << t);
	assert_int_equal(a.next(LEFT, SOON),
			 LIMPET_ETIME); /* it is not watched while it is ready */
	while (a.receive(LEFT, (word)s, 0, 100, 0, &from) == 3)
		;
	/* The peer shuts down. A port without a listener refuses connections. */
	assert_int_equal(b.shutdown(RIGHT, (word)p.right), 0);
	world_run(10 * MS);
	assert_int_equal(a.connect(LEFT, (word)t, four_b[0], four_b[1], 99, SOON), LIMPET_EPEER);
	assert_int_equal(a.look(LEFT, &out), 0);
	assert_int_equal(out.receive, 1ul << p.left);
	assert_int_equal(out.send, 1ul << p.left | 1ul << s);
	assert_int_equal(out.ended, 1ul << p.left | 1ul << t);
}

/* A component reaches itself at the loopback address and at its own. */
static void test_loopback(void **state)
{
	const word loop[2] = { 0, 0xffff7f000001 }, loop_six[2] = { 0, 1 };
	const word *to[] = { loop, loop_six, four_a };
	struct socket_accept_results who;
	struct socket_receive_results from;
	long listener = a.create(LEFT, 1);

	(void)state;
	assert_int_equal(a.bind(LEFT, (word)listener, any[0], any[1], 7), 0);
	assert_int_equal(a.listen(LEFT, (word)listener, 4), 0);
	memory_a[100] = 'x';
	for (unsigned int i = 0; i < 3; i++) {
		long s = a.create(LEFT, 1), c;

		assert_int_equal(a.connect(LEFT, (word)s, to[i][0], to[i][1], 7, SOON), 0);
		c = a.accept(LEFT, (word)listener, SOON, &who);
		assert_true(c >= 0);
		assert_int_equal(who.low, to[i][1]);
		assert_int_equal(a.send(LEFT, (word)s, 100, 1, SOON), 1);
		assert_int_equal(a.receive(LEFT, (word)c, 200, 10, SOON, &from), 1);
		assert_int_equal(memory_a[200], 'x');
		assert_int_equal(a.close(LEFT, (word)s), 0);
		assert_int_equal(a.close(LEFT, (word)c), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEERS_TEST(test_wait),
		PEERS_TEST(test_look),
		PEERS_TEST(test_loopback),
		PEERS_TEST(test_wait_ends),
	};

	return cmocka_run_group_tests_name("net-wait", tests, NULL, NULL);
}
