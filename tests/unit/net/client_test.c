// SPDX-License-Identifier: BSD-2-Clause
/* Tests clients that start, stop, make invalid requests, and use up all resources. */
#include "peers.h"

static void other_stops(void)
{
	world.stops[LEFT - 1] = 1;
}

/* A stopped client's connections are reset, and its port is free without a close, also while it waits. */
static void test_stopped(void **state)
{
	struct socket_receive_results from;
	struct pair p = connect_pair(four_b);
	long s = a.create(LEFT, 1);

	(void)state;
	assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 80), 0);
	assert_int_equal(a.listen(LEFT, (word)s, 1), 0);
	world.other = other_stops;
	assert_int_equal(a.receive(LEFT, (word)p.left, 0, 1, SOON, &from), LIMPET_ENOENT);
	world.other = NULL;
	assert_int_equal(figure(&a, "sockets"), 0);
	assert_int_equal(b.receive(RIGHT, (word)p.right, 0, 1, SOON, &from), LIMPET_EPEER);
	/* The client restarts with its memory, and without knowledge of its earlier sockets. */
	s = a.create(LEFT, 1);
	assert_int_equal(s, 0);
	assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 80), 0);
	assert_int_equal(a.listen(LEFT, (word)s, 1), 0);
	/* Stopped while it makes no call here. */
	world.stops[LEFT - 1] = 2;
	world_run(150 * MS);
	assert_int_equal(figure(&a, "sockets"), 0);
}

static void close_it(word badge)
{
	world.stops[badge - 1]++;
	world.closed[badge - 1] = true;
}

/* The client's connections are reset. Its record and its memory are reused for others. */
static void test_stopped_for_good(void **state)
{
	struct socket_receive_results from;
	struct socket_begin_results out;
	struct pair p = connect_pair(four_b);

	(void)state;
	assert_int_equal(figure(&a, "clients"), 1);
	close_it(LEFT);
	world_run(150 * MS);
	assert_int_equal(b.receive(RIGHT, (word)p.right, 0, 1, SOON, &from), LIMPET_EPEER);
	assert_int_equal(figure(&a, "sockets"), 0);
	/* A thread of the client was on its way here when the client was stopped. */
	assert_int_equal(a.create(LEFT, 1), LIMPET_ESTATE);
	assert_int_equal(a.create(LEFT, 1), LIMPET_ESTATE);
	assert_int_equal(figure(&a, "clients"), 1);
	world_run(150 * MS);
	assert_int_equal(figure(&a, "clients"), 0);
	assert_int_equal(world.freed, 1);
	assert_int_equal(a.create(LEFT, 1), LIMPET_ESTATE);
	for (word badge = 10; badge < 26; badge++)
		assert_true(a.begin(badge, &out) > 0);
	assert_int_equal(a.begin(26, &out), LIMPET_EQUOTA);
	close_it(12);
	world_run(250 * MS);
	assert_true(a.begin(26, &out) > 0);
}

/* A restarted client keeps its memory, whether or not the restart was seen, and has its port immediately. */
static void test_restarted(void **state)
{
	struct socket_begin_results out;

	(void)state;
	for (unsigned int life = 1; life < 4; life++) {
		long s = a.create(LEFT, 1), u = a.create(LEFT, 2);

		assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 80), 0);
		assert_int_equal(a.listen(LEFT, (word)s, 1), 0);
		assert_int_equal(a.bind(LEFT, (word)u, any[0], any[1], 80), 0);
		close_it(LEFT);
		if (life == 2)
			world_run(60 * MS);
		world.closed[LEFT - 1] = false;
		if (life == 3)
			world_run(150 * MS);
		assert_int_equal(a.begin(LEFT, &out), MEMORY_PAGES * 4096);
		assert_ptr_equal((char *)out.memory, memory_a);
		assert_int_equal(figure(&a, "sockets"), 0);
	}
	assert_int_equal(world.freed, 0);
}

/* A client that was closed until its memory was freed gets different memory. */
static void test_restarted_late(void **state)
{
	struct socket_begin_results out;
	unsigned int grants;

	(void)state;
	close_it(LEFT);
	world_run(250 * MS);
	assert_int_equal(world.freed, 1);
	world.closed[LEFT - 1] = false;
	assert_int_equal(a.create(LEFT, 1), LIMPET_ESTATE);
	grants = world.grants;
	assert_int_equal(a.begin(LEFT, &out), MEMORY_PAGES * 4096);
	assert_int_equal(world.grants, grants + 1);
	assert_int_equal(a.create(LEFT, 1), 0);
	world_run(250 * MS);
	assert_int_equal(a.close(LEFT, 0), 0);
	/* A grant may have ended when the component restarted. */
	assert_int_equal(a.begin(LEFT, &out), MEMORY_PAGES * 4096);
	assert_int_equal(world.grants, grants + 2);
}

static void test_begin(void **state)
{
	struct socket_begin_results out;
	word memory = 0;

	(void)state;
	assert_int_equal(a.create(99, 1), LIMPET_ESTATE);
	world.allocations = 0;
	assert_int_equal(a.begin(8, &out), LIMPET_ENOMEM);
	assert_int_equal(a.create(8, 1), LIMPET_ESTATE);
	world.allocations = 1000;
	assert_int_equal(a.begin(6, &out), LIMPET_ENOMEM); /* cannot be granted memory */
	assert_int_equal(a.begin(8, &out), MEMORY_PAGES * 4096);
	memory = out.memory;
	assert_int_equal(a.create(8, 1), 0);
	assert_int_equal(a.create(8, 2), 1);
	assert_int_equal(a.begin(8, &out), MEMORY_PAGES * 4096);
	assert_int_equal(out.memory, memory);
	assert_int_equal(a.close(8, 0), LIMPET_ENOENT);
	assert_int_equal(figure(&a, "sockets"), 0);
	assert_int_equal(a.begin(0, &out), LIMPET_EQUOTA);
	assert_int_equal(a.begin(LIMPET_COMPONENTS_MAX + 1, &out), LIMPET_EQUOTA);
}

static void test_refusals(void **state)
{
	const word size = MEMORY_PAGES * 4096;
	struct socket_receive_results from;
	struct socket_accept_results who;
	struct socket_name_results name;
	long u = a.create(LEFT, 2), s = a.create(LEFT, 1);

	(void)state;
	assert_int_equal(a.create(LEFT, 0), LIMPET_ERANGE);
	assert_int_equal(a.create(LEFT, 3), LIMPET_ERANGE);
	assert_int_equal(a.bind(LEFT, 9, 0, 0, 1), LIMPET_ENOENT);
	assert_int_equal(a.bind(LEFT, 64, 0, 0, 1), LIMPET_ENOENT);
	assert_int_equal(a.bind(RIGHT, (word)u, 0, 0, 1), LIMPET_ENOENT);
	assert_int_equal(a.bind(LEFT, (word)u, 0, 0, 65536), LIMPET_ERANGE);
	assert_int_equal(a.bind(LEFT, (word)u, 0, 0, 1000), 0);
	assert_int_equal(a.bind(LEFT, (word)a.create(LEFT, 2), 0, 0, 1000), LIMPET_EBUSY);
	assert_int_equal(a.listen(LEFT, (word)u, 1), LIMPET_ESTATE);
	assert_int_equal(a.listen(LEFT, (word)s, 1), LIMPET_ESTATE); /* not bound */
	assert_int_equal(a.bind(LEFT, (word)s, 0, 0, 1000), 0);
	assert_int_equal(a.listen(LEFT, (word)s, 0), LIMPET_ERANGE);
	assert_int_equal(a.listen(LEFT, (word)s, 17), LIMPET_ERANGE);
	assert_int_equal(a.listen(LEFT, 50, 1), LIMPET_ENOENT);
	assert_int_equal(a.accept(LEFT, (word)s, 0, &who), LIMPET_ESTATE);
	assert_int_equal(a.accept(LEFT, 50, 0, &who), LIMPET_ENOENT);
	assert_int_equal(a.receive(LEFT, (word)s, 0, 1, 0, &from), LIMPET_ESTATE);
	assert_int_equal(a.send(LEFT, (word)s, 0, 1, 0), LIMPET_ESTATE);
	assert_int_equal(a.shutdown(LEFT, (word)s), LIMPET_ESTATE);
	assert_int_equal(a.shutdown(LEFT, (word)u), LIMPET_ESTATE);
	assert_int_equal(a.shutdown(LEFT, 50), LIMPET_ENOENT);
	assert_int_equal(a.listen(LEFT, (word)s, 1), 0);
	assert_int_equal(a.listen(LEFT, (word)s, 1), LIMPET_ESTATE);
	assert_int_equal(a.bind(LEFT, (word)s, 0, 0, 1001), LIMPET_ESTATE);
	assert_int_equal(a.connect(LEFT, (word)s, 0, four_b[1], 7, 0), LIMPET_ESTATE);
	assert_int_equal(a.accept(LEFT, (word)s, 0, &who), LIMPET_ETIME);
	assert_int_equal(a.send(LEFT, (word)s, 0, 1, 0), LIMPET_ESTATE);
	assert_int_equal(a.receive(LEFT, (word)s, 0, 1, 0, &from), LIMPET_ESTATE);
	assert_int_equal(a.option(LEFT, (word)s, 1, 1), LIMPET_ESTATE);
	assert_int_equal(a.name(LEFT, (word)s, 0, &name), 0);
	assert_int_equal(name.port, 1000);
	assert_int_equal(a.name(LEFT, (word)s, 1, &name), LIMPET_ESTATE);
	assert_int_equal(a.name(LEFT, (word)s, 2, &name), LIMPET_ERANGE);
	assert_int_equal(a.name(LEFT, 50, 0, &name), LIMPET_ENOENT);
	/* A second socket can bind the port, because closed connections do not count, but it cannot listen. */
	s = a.create(LEFT, 1);
	assert_int_equal(a.bind(LEFT, (word)s, 0, 0, 1000), 0);
	assert_int_equal(a.listen(LEFT, (word)s, 1), LIMPET_EBUSY);
	/* Invalid memory ranges and addresses. */
	assert_int_equal(a.send_to(LEFT, (word)u, size, 1, 0, four_b[1], 1), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)u, size - 1, 2, 0, four_b[1], 1), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)u, ~0ul, 2, 0, four_b[1], 1), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)u, 1, ~0ul, 0, four_b[1], 1), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)u, 0, 1473, 0, four_b[1], 1), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)u, 0, 1, 0, four_b[1], 0), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)u, 0, 1, 0, four_b[1], 65536), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)u, 0, 1, 0, 0, 1), LIMPET_ERANGE);
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 1, 0, four_b[1], 1), LIMPET_ESTATE);
	assert_int_equal(a.send_to(LEFT, 50, 0, 1, 0, four_b[1], 1), LIMPET_ENOENT);
	assert_int_equal(a.send(LEFT, (word)u, 0, 1, 0), LIMPET_ESTATE);
	assert_int_equal(a.send(LEFT, (word)u, size, 1, 0), LIMPET_ERANGE);
	assert_int_equal(a.send(LEFT, 50, 0, 1, 0), LIMPET_ENOENT);
	assert_int_equal(a.receive(LEFT, (word)u, 0, 0, 0, &from), LIMPET_ERANGE);
	assert_int_equal(a.receive(LEFT, (word)u, size, 1, 0, &from), LIMPET_ERANGE);
	assert_int_equal(a.receive(LEFT, 50, 0, 1, 0, &from), LIMPET_ENOENT);
	assert_int_equal(a.connect(LEFT, (word)u, 0, four_b[1], 0, 0), LIMPET_ERANGE);
	assert_int_equal(a.connect(LEFT, (word)u, 0, 0, 5, 0), LIMPET_ERANGE);
	assert_int_equal(a.connect(LEFT, (word)u, 0, four_b[1], 65536, 0), LIMPET_ERANGE);
	assert_int_equal(a.connect(LEFT, 50, 0, four_b[1], 1, 0), LIMPET_ENOENT);
	s = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)s, 0, four_b[1], 0, 0), LIMPET_ERANGE);
	assert_int_equal(a.connect(LEFT, (word)s, 0, 0, 1, 0), LIMPET_ERANGE);
	/* Invalid options. */
	assert_int_equal(a.option(LEFT, (word)s, 0, 1), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, (word)s, 5, 1), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, (word)s, 1, 2), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, (word)s, 1, 1), 0);
	assert_int_equal(a.option(LEFT, (word)s, 1, 0), 0);
	assert_int_equal(a.option(LEFT, (word)s, 2, 1), 0);
	assert_int_equal(a.option(LEFT, (word)s, 2, 2), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, (word)s, 3, 0), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, (word)s, 3, 256), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, (word)s, 3, 1), 0);
	assert_int_equal(a.option(LEFT, (word)s, 4, 1), LIMPET_ESTATE);
	assert_int_equal(a.option(LEFT, (word)u, 1, 1), LIMPET_ESTATE);
	assert_int_equal(a.option(LEFT, (word)u, 3, 255), 0);
	assert_int_equal(a.option(LEFT, (word)u, 4, 2), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, 50, 1, 1), LIMPET_ENOENT);
	assert_int_equal(a.close(LEFT, 50), LIMPET_ENOENT);
	assert_int_equal(a.close(RIGHT, 0), LIMPET_ENOENT);
}

/* A socket is bound only once, and a second call changes nothing. */
static void test_bound(void **state)
{
	struct socket_name_results name;

	(void)state;
	for (word type = 1; type <= 2; type++) {
		const long s = a.create(LEFT, type), t = a.create(LEFT, type);

		assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 80), 0);
		assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 81), LIMPET_ESTATE);
		assert_int_equal(a.name(LEFT, (word)s, 0, &name), 0);
		assert_int_equal(name.port, 80);
		assert_int_equal(a.bind(LEFT, (word)t, any[0], any[1], 81), 0);
		assert_int_equal(a.close(LEFT, (word)s), 0);
		assert_int_equal(a.close(LEFT, (word)t), 0);
	}
}

/* All socket numbers of a client, then all sockets of the stack. */
static void test_many(void **state)
{
	struct socket_accept_results who;
	struct socket_begin_results out;
	unsigned int connections = 0;
	long status = 0, listener;

	(void)state;
	listener = listen_at(7);
	for (unsigned int i = 1; i < 64 && status >= 0; i++)
		status = b.create(RIGHT, 1);
	assert_int_equal(status, 63);
	assert_int_equal(b.create(RIGHT, 1), LIMPET_EQUOTA);
	status = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)status, four_b[0], four_b[1], 7, SOON), 0);
	assert_int_equal(b.accept(RIGHT, (word)listener, SOON, &who), LIMPET_EQUOTA);
	assert_int_equal(b.close(RIGHT, 5), 0);
	assert_int_equal(b.accept(RIGHT, (word)listener, SOON, &who), 5);
	/* The limit for all clients together. */
	for (word badge = 10; badge < 14; badge++) {
		assert_true(b.begin(badge, &out) > 0);
		for (unsigned int i = 0; i < 64; i++)
			connections += b.create(badge, 1) >= 0;
	}
	assert_int_equal(b.create(12, 1), LIMPET_EQUOTA);
	assert_int_equal(connections, 128 - 63); /* a listener has no memory for a connection */
	for (word badge = 10; badge < 14; badge++)
		assert_true(b.begin(badge, &out) > 0);
}

/* A closed connection whose peer does not answer does not prevent a new connection. */
static void test_forsaken(void **state)
{
	struct pair p = connect_pair(four_b);
	struct socket_begin_results out;

	(void)state;
	world.unplugged = true;
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 100, SOON), 100);
	assert_int_equal(a.close(LEFT, (word)p.left), 0);
	assert_int_equal(figure(&a, "tcp connections"), 1);
	assert_true(a.begin(8, &out) > 0);
	for (unsigned int i = 0; i < 64; i++) {
		assert_int_equal(a.create(LEFT, 1), i);
		assert_int_equal(a.create(8, 1), i);
	}
	assert_int_equal(figure(&a, "tcp connections"), 0);
	assert_true(a.begin(8, &out) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEERS_TEST(test_begin),	    PEERS_TEST(test_stopped),
		PEERS_TEST(test_refusals),  PEERS_TEST(test_many),
		PEERS_TEST(test_forsaken),  PEERS_TEST(test_stopped_for_good),
		PEERS_TEST(test_restarted), PEERS_TEST(test_restarted_late),
		PEERS_TEST(test_bound),
	};

	return cmocka_run_group_tests_name("net-client", tests, NULL, NULL);
}
