// SPDX-License-Identifier: BSD-2-Clause
/* Tests connections that both sides have closed: their addresses and ports can be reused. */
#include <string.h>

#include "peers.h"

#define CLIENT_PORT 40000
#define TCP_AT 34 /* offset in a frame with IPv4 */
#define SYN 2u

static uint32_t initial; /* initial sequence number of a's latest connection */

static uint32_t sequence(const uint8_t *tcp)
{
	return (uint32_t)tcp[4] << 24 | (uint32_t)tcp[5] << 16 | (uint32_t)tcp[6] << 8 | tcp[7];
}

static bool note_begin(const struct stack *from, uint8_t *message, uint64_t *length)
{
	const uint8_t *frame = message + sizeof(struct limpet_frame);
	bool tcp = *length >= sizeof(struct limpet_frame) + TCP_AT + 20 && frame[12] == 8 &&
		   frame[13] == 0 && frame[23] == 6;

	if (tcp && from == &a && frame[TCP_AT + 13] == SYN)
		initial = sequence(frame + TCP_AT);
	return true;
}

static long client_connect(const word *to, uint64_t deadline, long *s)
{
	*s = a.create(LEFT, 1);
	assert_int_equal(a.bind(LEFT, (word)*s, any[0], any[1], CLIENT_PORT), 0);
	return a.connect(LEFT, (word)*s, to[0], to[1], 7, deadline);
}

/* A client sends three bytes. The server closes the connection first, and then the client. */
static void converse(long listener, const word *to)
{
	struct socket_accept_results from;
	struct socket_receive_results data;
	long left, right;

	assert_int_equal(client_connect(to, SOON, &left), 0);
	right = b.accept(RIGHT, (word)listener, SOON, &from);
	assert_true(right >= 0);
	assert_int_equal(from.port, CLIENT_PORT);
	assert_int_equal(a.send(LEFT, (word)left, 0, 3, SOON), 3);
	assert_int_equal(b.receive(RIGHT, (word)right, 0, 10, SOON, &data), 3);
	assert_int_equal(b.close(RIGHT, (word)right), 0);
	assert_int_equal(a.receive(LEFT, (word)left, 0, 10, SOON, &data), 0);
	assert_int_equal(a.close(LEFT, (word)left), 0);
	world_run(10 * MS);
	assert_int_equal(figure(&a, "tcp time-wait"), 0);
	assert_int_equal(figure(&b, "tcp time-wait"), 1);
}

/*
 * A client that reuses its port is served immediately if its sequence numbers are after those of the earlier
 * connection. Otherwise its segments could be delayed segments of that connection.
 */
static void test_same_port(void **state)
{
	long listener = listen_at(7), left;
	unsigned int newer = 0, older = 0;

	(void)state;
	world.judge = note_begin;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint32_t end;
		bool beyond;
		long status;

		world_seed(seed);
		converse(listener, four_b);
		end = initial + 1 + 3 + 1;
		status = client_connect(four_b, now + 100 * MS, &left);
		beyond = (int32_t)(initial - end) >= 0;
		assert_int_equal(status, beyond ? LIMPET_OK : LIMPET_ETIME);
		assert_int_equal(figure(&b, "tcp time-wait"), !beyond);
		newer += beyond;
		older += !beyond;
		assert_int_equal(a.close(LEFT, (word)left), 0);
		if (beyond) {
			struct socket_accept_results from;
			long right = b.accept(RIGHT, (word)listener, SOON, &from);

			assert_int_equal(from.port, CLIENT_PORT);
			assert_int_equal(b.close(RIGHT, (word)right), 0);
		}
		world_run(130000 * MS);
		assert_int_equal(figure(&b, "tcp time-wait"), 0);
	}
	assert_true(newer && older);
}

/* Does the same with a server's socket that is shut down, but not closed. It no longer has a connection. */
static void test_same_port_of_an_open_socket(void **state)
{
	long listener = listen_at(7), old, left, right;
	struct socket_receive_results data;
	struct socket_accept_results from;
	struct socket_name_results name;
	unsigned int served = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		world_seed(seed);
		assert_int_equal(client_connect(four_b, SOON, &left), 0);
		old = b.accept(RIGHT, (word)listener, SOON, &from);
		assert_int_equal(b.shutdown(RIGHT, (word)old), 0);
		assert_int_equal(a.receive(LEFT, (word)left, 0, 10, SOON, &data), 0);
		assert_int_equal(a.close(LEFT, (word)left), 0);
		world_run(10 * MS);
		assert_int_equal(b.name(RIGHT, (word)old, 1, &name), 0);
		if (client_connect(four_b, now + 100 * MS, &left) == 0) {
			served++;
			right = b.accept(RIGHT, (word)listener, SOON, &from);
			assert_int_equal(b.name(RIGHT, (word)old, 1, &name), LIMPET_ESTATE);
			assert_int_equal(b.receive(RIGHT, (word)old, 0, 10, SOON, &data), 0);
			assert_int_equal(b.close(RIGHT, (word)old), 0);
			assert_int_equal(b.send(RIGHT, (word)right, 0, 4, SOON), 4);
			assert_int_equal(a.receive(LEFT, (word)left, 0, 10, SOON, &data), 4);
			assert_int_equal(b.close(RIGHT, (word)right), 0);
		} else {
			assert_int_equal(b.close(RIGHT, (word)old), 0);
		}
		assert_int_equal(a.close(LEFT, (word)left), 0);
		world_run(130000 * MS);
	}
	assert_in_range(served, 1, 11);
}

static void test_same_port_ipv6(void **state)
{
	long listener = listen_at(7), left = -1;
	unsigned int served = 0;
	word to[2];

	(void)state;
	link_local(&b, to);
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct socket_accept_results from;

		world_seed(seed);
		converse(listener, to);
		if (client_connect(to, now + 100 * MS, &left) == 0) {
			served++;
			assert_true(b.accept(RIGHT, (word)listener, SOON, &from) >= 0);
		}
		a.begin(LEFT, &(struct socket_begin_results){ 0 });
		world_run(130000 * MS);
	}
	assert_in_range(served, 1, 11);
}

/*
 * A connection that both sides have closed belongs to lwIP, which later reuses its memory. A socket that is closed
 * after that must not access the new connection.
 */
static void test_closed_late(void **state)
{
	struct pair p = connect_pair(four_b), other = { .listener = p.listener };
	struct socket_receive_results data;
	struct socket_accept_results from;
	struct socket_name_results name;

	(void)state;
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 3, SOON), 3);
	assert_int_equal(b.shutdown(RIGHT, (word)p.right), 0);
	assert_int_equal(a.receive(LEFT, (word)p.left, 0, 10, SOON, &data), 0);
	assert_int_equal(a.close(LEFT, (word)p.left), 0);
	world_run(10 * MS);
	assert_int_equal(figure(&b, "tcp time-wait"), 1);
	world_run(130000 * MS);
	assert_int_equal(figure(&b, "tcp time-wait"), 0);

	other.left = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)other.left, four_b[0], four_b[1], 7, SOON), 0);
	other.right = b.accept(RIGHT, (word)other.listener, SOON, &from);
	assert_true(other.right >= 0 && other.right != p.right);
	assert_int_equal(b.name(RIGHT, (word)p.right, 1, &name), LIMPET_ESTATE);
	assert_int_equal(b.send(RIGHT, (word)p.right, 0, 1, SOON), LIMPET_ESTATE);
	assert_int_equal(b.shutdown(RIGHT, (word)p.right), 0);
	assert_int_equal(b.receive(RIGHT, (word)p.right, 0, 10, SOON, &data), 3);
	assert_int_equal(b.receive(RIGHT, (word)p.right, 0, 10, SOON, &data), 0);
	assert_int_equal(b.close(RIGHT, (word)p.right), 0);
	assert_int_equal(a.send(LEFT, (word)other.left, 0, 5, SOON), 5);
	assert_int_equal(b.receive(RIGHT, (word)other.right, 0, 10, SOON, &data), 5);
	assert_int_equal(data.port, from.port);
	assert_int_equal(b.send(RIGHT, (word)other.right, 0, 4, SOON), 4);
	assert_int_equal(a.receive(LEFT, (word)other.left, 0, 10, SOON, &data), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEERS_TEST(test_same_port),
		PEERS_TEST(test_same_port_of_an_open_socket),
		PEERS_TEST(test_same_port_ipv6),
		PEERS_TEST(test_closed_late),
	};

	return cmocka_run_group_tests_name("net-over", tests, NULL, NULL);
}
