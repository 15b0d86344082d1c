// SPDX-License-Identifier: BSD-2-Clause
/* Tests datagrams: data, permitted senders and receivers, and losses without a reader. */
#include <string.h>

#include "peers.h"

static void test_datagrams(void **state)
{
	long s = a.create(LEFT, 2), t = b.create(RIGHT, 2);
	struct socket_receive_results from;
	struct socket_name_results name;
	static const word lengths[] = { 0, 1, 100, 1471, 1472 };
	word port;

	(void)state;
	assert_int_equal(b.bind(RIGHT, (word)t, any[0], any[1], 53), 0);
	for (unsigned int i = 0; i < 5; i++) {
		for (word j = 0; j < lengths[i]; j++)
			memory_a[j] = pattern(j + i);
		assert_int_equal(a.send_to(LEFT, (word)s, 0, lengths[i], four_b[0], four_b[1], 53),
				 lengths[i]);
		assert_int_equal(b.receive(RIGHT, (word)t, 4096, 4096, SOON, &from), lengths[i]);
		assert_memory_equal(memory_b + 4096, memory_a, lengths[i]);
		assert_int_equal(from.low, four_a[1]);
	}
	/* Only the bytes that do not fit are lost. */
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 100, four_b[0], four_b[1], 53), 100);
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 7, four_b[0], four_b[1], 53), 7);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, SOON, &from), 10);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, SOON, &from), 7);
	port = from.port;
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, 0, &from), LIMPET_ETIME);
	/* A connected socket sends to and receives from one address. */
	assert_int_equal(b.connect(RIGHT, (word)t, four_a[0], four_a[1], port, 0), 0);
	assert_int_equal(b.name(RIGHT, (word)t, 1, &name), 0);
	assert_int_equal(name.port, port);
	assert_int_equal(b.send(RIGHT, (word)t, 0, 5, 0), 5);
	assert_int_equal(a.receive(LEFT, (word)s, 0, 10, SOON, &from), 5);
	assert_int_equal(from.port, 53);
	assert_int_equal(b.connect(RIGHT, (word)t, four_a[0], four_a[1], 1, 0), 0);
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 7, four_b[0], four_b[1], 53), 7);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, now + 100 * MS, &from), LIMPET_ETIME);
	assert_int_equal(b.connect(RIGHT, (word)t, 0, 0, 0, 0), 0);
	assert_int_equal(b.name(RIGHT, (word)t, 1, &name), LIMPET_ESTATE);
	/* Broadcasts are sent only if they were enabled. */
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 9, 0, 0xffff0a0000ff, 53), LIMPET_ERANGE);
	assert_int_equal(a.option(LEFT, (word)s, 4, 1), 0);
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 9, 0, 0xffff0a0000ff, 53), 9);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, SOON, &from), 9);
}

static void test_datagrams_ipv6(void **state)
{
	long s = a.create(LEFT, 2), t = b.create(RIGHT, 2);
	struct socket_receive_results from;
	word to[2];

	(void)state;
	link_local(&b, to);
	assert_int_equal(b.bind(RIGHT, (word)t, to[0], to[1], 53), 0);
	memory_a[0] = 'x';
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 1, to[0], to[1], 53), 1);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 4096, SOON, &from), 1);
	assert_int_equal(from.high, 0xfe80ul << 48);
	/* IPv4 cannot reach that address. */
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 1, four_b[0], four_b[1], 53), 1);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 4096, now + 100 * MS, &from), LIMPET_ETIME);
}

/* If no client reads, datagrams that do not fit are counted, and other clients still have memory. */
static void test_flood(void **state)
{
	long s = a.create(LEFT, 2), t = b.create(RIGHT, 2);
	struct socket_receive_results from;
	unsigned int received = 0;

	(void)state;
	assert_int_equal(b.bind(RIGHT, (word)t, any[0], any[1], 53), 0);
	for (unsigned int i = 0; i < 3000; i++) {
		assert_int_equal(a.send_to(LEFT, (word)s, 0, 16, four_b[0], four_b[1], 53), 16);
		if (i % 100 == 0)
			world_run(MS);
	}
	world_run(10 * MS);
	assert_true(figure(&b, "udp unread lost") > 2000);
	while (b.receive(RIGHT, (word)t, 0, 100, 0, &from) == 16)
		received++;
	assert_int_equal(received + figure(&b, "udp unread lost"), 3000);
	assert_int_equal(received, 768 / 2);
}

#define FRAGMENTS 32

static uint16_t header_sum(const uint8_t *at)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < 20; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	return (uint16_t)~(sum + (sum >> 16));
}

/* Sends fragment `n`, of 8 bytes, of a datagram from 10.0.0.9 to a's port 53. */
static void fragment_put(uint8_t id, uint8_t n)
{
	struct {
		struct limpet_frame frame;
		uint8_t to[6], from[6], type[2], ip[20], data[26]; /* `data` with the padding */
	} m = {
		.to = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.from = { 2, 0, 0, 0, 0, 9 },
		.type = { 8, 0 },
		.ip = { 0x45, 0,  0,  28, 0, id, n + 1 < FRAGMENTS ? 0x20 : 0,
			n,    64, 17, 0,  0, 10, 0,
			0,    9,  10, 0,  0, 1 },
	};
	const uint8_t udp[] = { 4, 0, 0, 53, FRAGMENTS * 8 >> 8, FRAGMENTS * 8 & 0xff, 0, 0 };
	const uint16_t sum = header_sum(m.ip);

	m.ip[10] = (uint8_t)(sum >> 8);
	m.ip[11] = (uint8_t)sum;
	if (!n)
		memcpy(m.data, udp, sizeof(udp));
	assert_true(world_put(&a, &m, sizeof(m)));
	world_turns(&a);
}

/* Each fragment counts, because it has a buffer of its own. */
static void test_fragments(void **state)
{
	const long s = a.create(LEFT, 2);
	struct socket_receive_results from;
	unsigned int received = 0;

	(void)state;
	assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 53), 0);
	for (unsigned int i = 0; i < 30 * FRAGMENTS; i++)
		fragment_put((uint8_t)(i / FRAGMENTS), i % FRAGMENTS);
	assert_int_equal(figure(&a, "no memory"), 0);
	while (a.receive(LEFT, (word)s, 0, 4096, 0, &from) == FRAGMENTS * 8 - 8)
		received++;
	assert_int_equal(received, 768 / 2 / FRAGMENTS);
	assert_int_equal(received + figure(&a, "udp unread lost"), 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEERS_TEST(test_datagrams),
		PEERS_TEST(test_datagrams_ipv6),
		PEERS_TEST(test_flood),
		PEERS_TEST(test_fragments),
	};

	return cmocka_run_group_tests_name("net-datagram", tests, NULL, NULL);
}
