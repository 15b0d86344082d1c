// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
/* Two network components and their clients, on a wire that may lose frames. */
#include <stdio.h>
#include <string.h>

#include "world.h"

#define SOON (now + 2000 * MS)
#define LONG (now + 600000 * MS)

static const word any[2];
static const word four_a[2] = { 0, 0xffff0a000001 }, four_b[2] = { 0, 0xffff0a000002 };
static char *memory_a, *memory_b; /* what LEFT shares with a, RIGHT with b */

static int setup(void **state)
{
	struct socket_begin_results out;

	(void)state;
	world_begin();
	assert_int_equal(a.begin(LEFT, &out), MEMORY_PAGES * 4096);
	memory_a = (char *)out.memory;
	assert_int_equal(b.begin(RIGHT, &out), MEMORY_PAGES * 4096);
	memory_b = (char *)out.memory;
	return 0;
}

/* Everything that was sent is delivered or given up; then nothing is held. */
static int teardown(void **state)
{
	struct socket_begin_results out;

	(void)state;
	world.judge = NULL;
	world.other = NULL;
	a.begin(LEFT, &out);
	b.begin(RIGHT, &out);
	world_run(300000 * MS);
	for (struct stack *s = &a; s; s = s == &a ? &b : NULL) {
		assert_int_equal(figure(s, "sockets"), 0);
		assert_int_equal(figure(s, "tcp connections"), 0);
		assert_int_equal(figure(s, "tcp time-wait"), 0);
		assert_int_equal(figure(s, "tcp segments"), 0);
		assert_int_equal(figure(s, "frames held"), 0);
		assert_int_equal(figure(s, "no memory"), 0);
	}
	world_end();
	return 0;
}

/* --- streams */

struct pair {
	long listener, left, right; /* sockets of b, a, b */
};

static long listen_at(word port)
{
	long s = b.create(RIGHT, 1);

	assert_true(s >= 0);
	assert_int_equal(b.bind(RIGHT, (word)s, any[0], any[1], port), 0);
	assert_int_equal(b.listen(RIGHT, (word)s, 4), 0);
	return s;
}

static struct pair connect_pair(const word *to)
{
	struct pair p = { .listener = listen_at(7) };
	struct socket_accept_results from;

	p.left = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)p.left, to[0], to[1], 7, LONG), 0);
	p.right = b.accept(RIGHT, (word)p.listener, LONG, &from);
	assert_true(p.right >= 0 && p.right != p.listener);
	assert_true(from.port >= 1024);
	return p;
}

static char pattern(uint64_t at)
{
	return (char)(at * 2654435761u >> 13 ^ at >> 3);
}

static struct flow {
	struct pair p;
	uint64_t received, total;
	bool ended;
} flow;

/* The other side reads whatever has come. */
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
	/* The way back is open, until the other side shuts it, too. */
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
	case 1: /* damaged on the way */
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

/* The address that IPv6 gave itself. */
static void link_local(struct stack *s, word *to)
{
	struct socket_address_results out;

	assert_int_equal(s->address(LEFT, 1, &out), 1);
	assert_int_equal(out.high, 0xfe80ul << 48);
	assert_int_equal(out.prefix, 64);
	to[0] = out.high;
	to[1] = out.low;
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

/* Nobody has the address; and a connection that takes longer than its caller waits. */
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
	assert_int_equal(b.close(RIGHT, (word)p.right), 0); /* with data that nobody has read */
	assert_int_equal(a.receive(LEFT, (word)p.left, 0, 10, SOON, &from), LIMPET_EPEER);
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 10, SOON), LIMPET_EPEER);
	assert_int_equal(a.name(LEFT, (word)p.left, 1, &(struct socket_name_results){ 0 }),
			 LIMPET_ESTATE);
}

/* More connections than wait for accept; all that were made are there. */
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
	/* Closing the listener ends those that wait. */
	assert_int_equal(a.close(LEFT, (word)s[0]), 0);
	s[0] = a.create(LEFT, 1);
	assert_int_equal(a.connect(LEFT, (word)s[0], four_b[0], four_b[1], 9, SOON), 0);
	assert_int_equal(b.close(RIGHT, (word)listener), 0);
	world_run(10 * MS);
	assert_int_equal(a.send(LEFT, (word)s[0], 0, 1, SOON), LIMPET_EPEER);
	assert_int_equal(figure(&b, "sockets"), 6);
}

/* The memory that one client may hold of what came is not all. */
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

/* --- datagrams */

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
	/* What does not fit is lost, and only that. */
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 100, four_b[0], four_b[1], 53), 100);
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 7, four_b[0], four_b[1], 53), 7);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, SOON, &from), 10);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, SOON, &from), 7);
	port = from.port;
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 10, 0, &from), LIMPET_ETIME);
	/* Connected: to that one, and from that one alone. */
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
	/* By broadcast, if that was asked for. */
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
	/* IPv4 does not come to that address. */
	assert_int_equal(a.send_to(LEFT, (word)s, 0, 1, four_b[0], four_b[1], 53), 1);
	assert_int_equal(b.receive(RIGHT, (word)t, 0, 4096, now + 100 * MS, &from), LIMPET_ETIME);
}

/* Nobody reads: what does not fit is counted, and others still have memory. */
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

/* --- waiting */

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
	/* A listener with a connection; one whose other side is gone. */
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

/* Each call that waits ends when its socket does, and when somebody wakes the thread. */
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

/* --- clients that come and go */

static void other_stops(void)
{
	world.stops[LEFT - 1] = 1;
}

/* Its connections are reset and its port is free, though nobody closed anything: also while it waits. */
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
	/* It begins again, with the memory that it had, and does not know that it was ever there. */
	s = a.create(LEFT, 1);
	assert_int_equal(s, 0);
	assert_int_equal(a.bind(LEFT, (word)s, any[0], any[1], 80), 0);
	assert_int_equal(a.listen(LEFT, (word)s, 1), 0);
	/* Stopped while it is not here at all. */
	world.stops[LEFT - 1] = 2;
	world_run(150 * MS);
	assert_int_equal(figure(&a, "sockets"), 0);
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

/* --- what is refused */

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
	/* Another listener at the port; it can bind, since connections that are over do not count. */
	s = a.create(LEFT, 1);
	assert_int_equal(a.bind(LEFT, (word)s, 0, 0, 1000), 0);
	assert_int_equal(a.listen(LEFT, (word)s, 1), LIMPET_EBUSY);
	/* Memory. */
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
	/* Options. */
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

/* As many as there are numbers; as many as there is room for. */
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
	/* Of all clients together. */
	for (word badge = 10; badge < 14; badge++) {
		assert_true(b.begin(badge, &out) > 0);
		for (unsigned int i = 0; i < 64; i++)
			connections += b.create(badge, 1) >= 0;
	}
	assert_int_equal(b.create(12, 1), LIMPET_EQUOTA);
	assert_int_equal(connections, 128 - 63); /* a listener has no connection's memory */
	for (word badge = 10; badge < 14; badge++)
		assert_true(b.begin(badge, &out) > 0);
}

/* A connection that was closed, and whose other side does not answer, is no reason to refuse a new one. */
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

/* --- names */

/* A name server: NAME.known has 10.9.8.7; every other name is unknown. */
static void other_resolves(void)
{
	struct socket_receive_results from;
	long n = b.receive(RIGHT, 0, 0, 512, 0, &from);

	if (n < 20)
		return;
	memory_b[2] = (char)0x81;
	memory_b[3] = (char)0x80;
	if (memmem(memory_b, (size_t)n, "\5known", 6)) {
		static const char answer[] = "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x0a\x09\x08\x07";

		memory_b[7] = 1;
		memcpy(memory_b + n, answer, sizeof(answer) - 1);
		n += sizeof(answer) - 1;
	} else {
		memory_b[3] |= 3;
	}
	b.send_to(RIGHT, 0, 0, (word)n, from.high, from.low, from.port);
}

static long resolve(const char *name, word family, uint64_t deadline, word *low)
{
	struct socket_resolve_results out = { 0 };
	long status;

	memcpy(memory_a, name, strlen(name));
	status = a.resolve(LEFT, 0, strlen(name), family, deadline, &out);
	*low = out.low;
	return status;
}

static void test_resolve(void **state)
{
	struct socket_resolve_results out;
	char text[16];
	word low;

	(void)state;
	assert_int_equal(b.create(RIGHT, 2), 0);
	assert_int_equal(b.bind(RIGHT, 0, any[0], any[1], 53), 0);
	assert_int_equal(resolve("10.1.2.3", 0, 0, &low), 0);
	assert_int_equal(low, 0xffff0a010203);
	assert_int_equal(resolve("host.known", 4, 0, &low), LIMPET_ETIME);
	world.interrupts = 1;
	assert_int_equal(resolve("host.known", 4, SOON, &low), LIMPET_EAGAIN);
	world.other = other_resolves;
	assert_int_equal(resolve("host.known", 4, SOON, &low), 0);
	assert_int_equal(low, 0xffff0a090807);
	assert_int_equal(resolve("host.known", 4, 0, &low), 0); /* known by now */
	assert_int_equal(resolve("nobody", 4, LONG, &low), LIMPET_ENOENT);
	world.other = NULL;
	/* One nobody answers; and more than there is room for. */
	assert_int_equal(resolve("lost.known", 4, LONG, &low), LIMPET_ENOENT);
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(text, sizeof(text), "h%u.known", i);
		assert_int_equal(resolve(text, 4, 0, &low), LIMPET_ETIME);
	}
	assert_int_equal(resolve("h8.known", 4, 0, &low), LIMPET_EBUSY);
	world_run(60000 * MS);
	assert_int_equal(resolve("h8.known", 4, 0, &low), LIMPET_ETIME);
	assert_int_equal(resolve("no name", 4, 0, &low), LIMPET_ERANGE);
	assert_int_equal(resolve("x", 5, 0, &low), LIMPET_ERANGE);
	assert_int_equal(a.resolve(LEFT, 0, 0, 0, 0, &out), LIMPET_ERANGE);
	assert_int_equal(a.resolve(LEFT, 0, 128, 0, 0, &out), LIMPET_ERANGE);
	assert_int_equal(a.resolve(LEFT, MEMORY_PAGES * 4096 - 4, 5, 0, 0, &out), LIMPET_ERANGE);
	assert_int_equal(a.resolve(99, 0, 1, 0, 0, &out), LIMPET_ESTATE);
	world_run(60000 * MS);
}

/* --- the link, and what is told of it */

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
	/* Linux's side goes, and comes back: nothing is lost but time. */
	a.host.self->generation = 0;
	world_turns(&a);
	assert_int_equal(figure(&a, "link up"), 0);
	assert_int_equal(a.send(LEFT, (word)p.left, 0, 5, SOON), 5);
	world_run(100 * MS);
	limpet_end_begin(&a.host, (uint32_t)generation + 1);
	world_run(5000 * MS);
	assert_int_equal(figure(&a, "link up"), 1);
	assert_int_equal(b.receive(RIGHT, (word)p.right, 0, 5, LONG, &from), 5);
	/* Messages that are no frames. */
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
#define WORLD_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_begin),		 WORLD_TEST(test_datagrams),
		WORLD_TEST(test_datagrams_ipv6), WORLD_TEST(test_flood),
		WORLD_TEST(test_stream),	 WORLD_TEST(test_stream_ipv6),
		WORLD_TEST(test_stream_lossy),	 WORLD_TEST(test_refused),
		WORLD_TEST(test_connect_late),	 WORLD_TEST(test_reset),
		WORLD_TEST(test_backlog),	 WORLD_TEST(test_window),
		WORLD_TEST(test_wait),		 WORLD_TEST(test_wait_ends),
		WORLD_TEST(test_stopped),	 WORLD_TEST(test_refusals),
		WORLD_TEST(test_many),		 WORLD_TEST(test_forsaken),
		WORLD_TEST(test_resolve),	 WORLD_TEST(test_link),
		WORLD_TEST(test_ring_full),
	};

	return cmocka_run_group_tests_name("net", tests, NULL, NULL);
}
