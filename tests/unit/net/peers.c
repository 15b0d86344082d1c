// SPDX-License-Identifier: BSD-2-Clause
#include "peers.h"

const word any[2];
const word four_a[2] = { 0, 0xffff0a000001 }, four_b[2] = { 0, 0xffff0a000002 };
char *memory_a, *memory_b;

int peers_setup(void **state)
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

int peers_teardown(void **state)
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

long listen_at(word port)
{
	long s = b.create(RIGHT, 1);

	assert_true(s >= 0);
	assert_int_equal(b.bind(RIGHT, (word)s, any[0], any[1], port), 0);
	assert_int_equal(b.listen(RIGHT, (word)s, 4), 0);
	return s;
}

struct pair connect_pair(const word *to)
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

char pattern(uint64_t at)
{
	return (char)(at * 2654435761u >> 13 ^ at >> 3);
}

void link_local(struct stack *s, word *to)
{
	struct socket_address_results out;

	assert_int_equal(s->address(LEFT, 1, &out), 1);
	assert_int_equal(out.high, 0xfe80ul << 48);
	assert_int_equal(out.prefix, 64);
	to[0] = out.high;
	to[1] = out.low;
}
