// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sends arbitrary data from Linux: frames that reach deep into the stack and are then damaged, random
 * bytes, and a ring with invalid words. It sends a million frames, or twenty million with
 * LIMPET_LONG=1. LIMPET_SEED sets the first seed.
 *
 * Each of lwIP's pieces of memory is a separate allocation here, so that the sanitizer detects each
 * access beyond one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"

#define FRAMES 1000000u
#define FRAMES_LONG 20000000u
/* Multicast groups for addresses from a router, and a packet for each neighbour that is being resolved. */
#define HELD (4u + 32u)

static char *memory;
static long listener, datagrams;

struct packet {
	struct limpet_frame frame;
	uint8_t data[1518];
};

/* The client of the component continues as usual. */
static void client_turn(void)
{
	struct socket_receive_results from;
	struct socket_accept_results who;
	struct socket_wait_results ready;
	long s = a.accept(LEFT, (word)listener, 0, &who);

	while (a.receive(LEFT, (word)datagrams, 0, 100, 0, &from) >= 0)
		;
	if (s >= 0 && below(2))
		a.send(LEFT, (word)s, 0, below(3000) + 1, 0);
	for (word i = 2; i < 64; i++) {
		long n = a.receive(LEFT, i, 0, 4096, 0, &from);

		if (n == 0 || n == LIMPET_EPEER || (n == LIMPET_ETIME && !below(20)))
			a.close(LEFT, i);
		else if (n > 0)
			a.send(LEFT, i, 0, (word)n, 0);
	}
	a.wait(LEFT, 1ul << listener, 0, 0, &ready);
	if (!below(20))
		a.resolve(LEFT, 0, 7, 0, 0, &(struct socket_resolve_results){ 0 });
}

static void client_begin(void)
{
	struct socket_begin_results out;

	assert_true(a.begin(LEFT, &out) > 0);
	memory = (char *)out.memory;
	memcpy(memory, "a.name.", 7);
	listener = a.create(LEFT, 1);
	datagrams = a.create(LEFT, 2);
	assert_int_equal(a.bind(LEFT, (word)listener, 0, 0, 7), 0);
	assert_int_equal(a.listen(LEFT, (word)listener, 8), 0);
	assert_int_equal(a.bind(LEFT, (word)datagrams, 0, 0, 7), 0);
}

static void mac_find(void)
{
	struct socket_address_results out;

	assert_true(a.address(LEFT, 1, &out) >= 0);
	mac_own[0] = (uint8_t)(out.low >> 56) ^ 2;
	mac_own[1] = (uint8_t)(out.low >> 48);
	mac_own[2] = (uint8_t)(out.low >> 40);
	mac_own[3] = (uint8_t)(out.low >> 16);
	mac_own[4] = (uint8_t)(out.low >> 8);
	mac_own[5] = (uint8_t)out.low;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void frames_run(const char *address)
{
	uint64_t count = number("LIMPET_LONG", 0) ? FRAMES_LONG : FRAMES;
	struct socket_begin_results out;
	uint64_t length, in, idle, max = 0;
	struct packet packet;

	world_begin_alone(address);
	world_run(600000 * MS);
	idle = world.pieces;
	world_seed(number("LIMPET_SEED", 1));
	mac_find();
	client_begin();
	world.judge = frame_answer;
	in = figure(&a, "frames in");
	for (uint64_t i = 0; i < count; i++) {
		packet.frame = (struct limpet_frame){ .flags = below(3) ? 1 : (uint16_t)below(4) };
		length = frame_make(packet.data);
		if (below(3))
			frame_damage(packet.data, &length);
		while (!world_put(&a, &packet, sizeof(packet.frame) + length))
			world_run(1);
		if (i % 4 == 0)
			world_run(below(64) ? 1 : below(2000 * (uint32_t)MS));
		if (i % 16 == 0)
			client_turn();
		max = world.pieces > max ? world.pieces : max;
	}
	world_run(1000 * MS);
	in = figure(&a, "frames in") - in + figure(&a, "frames bad") + figure(&a, "no memory");
	assert_int_equal(in, count);
	/* The frames have reached each protocol, which has accepted some of them and dropped others. */
	assert_true(figure(&a, "udp in") > figure(&a, "udp dropped"));
	assert_true(figure(&a, "tcp in") > count / 20 && figure(&a, "tcp dropped") > 0);
	assert_true(figure(&a, "icmp in") > 0 && figure(&a, "icmpv6 in") > 0);
	assert_true(max > idle + 20);
	/* All of this memory is freed eventually. */
	assert_true(a.begin(LEFT, &out) > 0);
	world_run(2000000 * MS); /* duration of the probes to a peer with a closed window */
	assert_int_equal(figure(&a, "sockets"), 0);
	/* Closed connections remain whose peer claimed a very long round-trip time. */
	assert_in_range(figure(&a, "tcp connections"), 0, 4);
	assert_in_range(world.pieces, 1, idle + HELD);
	world_end();
}

static void test_frames(void **state)
{
	(void)state;
	frames_run("10.0.0.1/24");
}

/* Changes the ring's own words, and all other words that Linux can write. */
static void test_ring(void **state)
{
	struct limpet_channel_header *header;
	uint64_t *words;

	(void)state;
	world_begin_alone("10.0.0.1/24");
	world_seed(number("LIMPET_SEED", 1));
	header = (struct limpet_channel_header *)a.memory;
	words = (uint64_t *)&header->host;
	for (unsigned int i = 0; i < 20000; i++) {
		words[below(sizeof(header->host) / 8)] = (uint64_t)world_random() << below(33);
		fill((uint8_t *)a.memory + LIMPET_CHANNEL_PAGE + (64 << 10) + below(65000), 64);
		for (unsigned int turn = 0; turn < 4; turn++)
			a.link_turn();
		if (i % 100 == 0) {
			limpet_end_begin(&a.host, i + 2);
			now += 100 * MS;
			a.core_timers();
		}
	}
	limpet_end_begin(&a.host, 1 << 20);
	world_run(1000 * MS);
	assert_int_equal(figure(&a, "link up"), 1);
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_frames),
	};

	world_pieces = true;
	return cmocka_run_group_tests_name("net-fuzz", tests, NULL, NULL);
}
