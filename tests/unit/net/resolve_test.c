// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
/* Tests names, with a client of the other component as the name server. */
#include <stdio.h>
#include <string.h>

#include "peers.h"

#define OTHER 12u /* badges of two more clients */
#define THIRD 13u

/* Acts as a name server: NAME.known has 10.9.8.7, and every other name is unknown. */
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

static long resolve_by(word badge, char *memory, const char *name, word family, uint64_t deadline,
		       word *low)
{
	struct socket_resolve_results out = { 0 };
	long status;

	memcpy(memory, name, strlen(name));
	status = a.resolve(badge, 0, strlen(name), family, deadline, &out);
	*low = out.low;
	return status;
}

static long resolve(const char *name, word family, uint64_t deadline, word *low)
{
	return resolve_by(LEFT, memory_a, name, family, deadline, low);
}

static void test_resolve(void **state)
{
	struct socket_resolve_results out;
	struct socket_begin_results begun, third;
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
	assert_int_equal(resolve("host.known", 4, 0, &low), 0); /* already known */
	assert_int_equal(resolve("nobody", 4, LONG, &low), LIMPET_ENOENT);
	world.other = NULL;
	/* Unanswered queries: up to the limit of one client, then up to the size of the table. */
	assert_int_equal(resolve("lost.known", 4, LONG, &low), LIMPET_ENOENT);
	assert_true(a.begin(OTHER, &begun) > 0);
	assert_true(a.begin(THIRD, &third) > 0);
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(text, sizeof(text), "h%u.known", i);
		assert_int_equal(i < 4 ? resolve(text, 4, 0, &low)
				       : resolve_by(OTHER, (char *)begun.memory, text, 4, 0, &low),
				 LIMPET_ETIME);
		if (i == 3)
			assert_int_equal(resolve("h8.known", 4, 0, &low), LIMPET_EBUSY);
	}
	assert_int_equal(resolve_by(THIRD, (char *)third.memory, "h8.known", 4, 0, &low),
			 LIMPET_EBUSY);
	assert_int_equal(resolve("h8.known", 4, 0, &low), LIMPET_EBUSY);
	world_run(60000 * MS);
	/* All queries have failed. Nothing waits for their answers, so a new call for such a name sends a new query. */
	assert_int_equal(resolve("h8.known", 4, 0, &low), LIMPET_ETIME);
	world.other = other_resolves;
	assert_int_equal(resolve("h0.known", 4, SOON, &low), 0);
	assert_int_equal(low, 0xffff0a090807);
	world.other = NULL;
	assert_int_equal(resolve("no name", 4, 0, &low), LIMPET_ERANGE);
	assert_int_equal(resolve("x", 5, 0, &low), LIMPET_ERANGE);
	assert_int_equal(a.resolve(LEFT, 0, 0, 0, 0, &out), LIMPET_ERANGE);
	assert_int_equal(a.resolve(LEFT, 0, 128, 0, 0, &out), LIMPET_ERANGE);
	assert_int_equal(a.resolve(LEFT, MEMORY_PAGES * 4096 - 4, 5, 0, 0, &out), LIMPET_ERANGE);
	assert_int_equal(a.resolve(99, 0, 1, 0, 0, &out), LIMPET_ESTATE);
	world_run(60000 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEERS_TEST(test_resolve),
	};

	return cmocka_run_group_tests_name("net-resolve", tests, NULL, NULL);
}
