// SPDX-License-Identifier: BSD-2-Clause
/* Tests which frames component responder answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <responder/packet.h>

static const struct host host = { { 2, 0, 10, 5, 0, 2 }, 0x0200050a };

static const uint8_t arp_request[] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0,  10, 5, 0, 1, 8, 6, 0, 1, 8, 0,  6, 4, 0,
	1,    2,    0,	  10,	5,    0,    1, 10, 5,  0, 1, 0, 0, 0, 0, 0, 0, 10, 5, 0, 2,
};

/* Echo request 1 of 10.5.0.1, with four bytes. */
static const uint8_t echo_request[] = {
	2, 0,	 10,   5,  0, 2, 2, 0,	10, 5, 0, 1, 8, 0,    0x45, 0, 0, 32, 0, 0,   0,   0,	64,
	1, 0x66, 0xd1, 10, 5, 0, 1, 10, 5,  0, 2, 8, 0, 0x32, 0x36, 1, 2, 0,  1, 'a', 'b', 'c', 'd',
};

static void test_arp(void **state)
{
	uint8_t frame[sizeof(arp_request)];

	(void)state;
	memcpy(frame, arp_request, sizeof(frame));
	assert_int_equal(packet_answer(&host, frame, sizeof(frame)), sizeof(frame));
	assert_memory_equal(frame, arp_request + 6, 6);
	assert_memory_equal(frame + 22, host.mac, 6);
	assert_memory_equal(frame + 28, &host.ip, 4);
	assert_int_equal(frame[21], 2);
	memcpy(frame, arp_request, sizeof(frame));
	frame[41] = 3; /* another host's address */
	assert_int_equal(packet_answer(&host, frame, sizeof(frame)), 0);
	frame[41] = 2;
	assert_int_equal(packet_answer(&host, frame, sizeof(frame) - 1), 0);
}

static uint16_t sum(const uint8_t *data, unsigned int length)
{
	uint32_t total = 0;

	for (unsigned int i = 0; i < length; i += 2)
		total += (uint32_t)data[i] << 8 | data[i + 1];
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return (uint16_t)total;
}

static void test_echo(void **state)
{
	uint8_t frame[sizeof(echo_request)];

	(void)state;
	memcpy(frame, echo_request, sizeof(frame));
	assert_int_equal(sum(frame + 14, 20), 0xffff);
	assert_int_equal(sum(frame + 34, 12), 0xffff);
	assert_int_equal(packet_answer(&host, frame, sizeof(frame)), sizeof(frame));
	assert_int_equal(frame[34], 0);
	assert_int_equal(sum(frame + 14, 20), 0xffff);
	assert_int_equal(sum(frame + 34, 12), 0xffff);
	assert_memory_equal(frame + 42, "abcd", 4);
	assert_memory_equal(frame + 26, echo_request + 30, 4);
}

/*
 * Each wrong byte of headers and data makes the frame invalid, except bytes that are not checked.
 */
static void test_echo_damaged(void **state)
{
	(void)state;
	for (unsigned int i = 14; i < sizeof(echo_request); i++) {
		uint8_t frame[sizeof(echo_request)];

		memcpy(frame, echo_request, sizeof(frame));
		frame[i] ^= 0x10;
		assert_int_equal(packet_answer(&host, frame, sizeof(frame)), 0);
	}
}

/* Makes the echo request a datagram from port 0x0800 to port 7, with its checksum. */
static void datagram_make(uint8_t *frame)
{
	memcpy(frame, echo_request, sizeof(echo_request));
	frame[23] = 17;
	frame[25] -= 16;
	frame[37] = 7;
	frame[36] = 0;
}

static void test_port(void **state)
{
	uint8_t frame[sizeof(echo_request)];

	(void)state;
	memcpy(frame, echo_request, sizeof(frame));
	assert_int_equal(packet_port(&host, frame, sizeof(frame)), 0);
	datagram_make(frame);
	assert_int_equal(packet_port(&host, frame, sizeof(frame)), 7);
	assert_int_equal(packet_port(&host, frame, sizeof(frame) - 1), 0);
}

static void test_return(void **state)
{
	uint8_t frame[sizeof(echo_request)], was[sizeof(echo_request)];

	(void)state;
	datagram_make(frame);
	memcpy(was, frame, sizeof(was));
	assert_int_equal(packet_return(&host, frame, sizeof(frame)), sizeof(frame));
	assert_memory_equal(frame, was + 6, 6);
	assert_memory_equal(frame + 6, host.mac, 6);
	assert_memory_equal(frame + 26, was + 30, 4);
	assert_memory_equal(frame + 30, was + 26, 4);
	assert_memory_equal(frame + 34, was + 36, 2);
	assert_memory_equal(frame + 36, was + 34, 2);
	assert_int_equal(sum(frame + 14, 20), 0xffff);
	assert_memory_equal(frame + 40, "\0\0", 2);
	assert_memory_equal(frame + 42, "abcd", 4);
	memcpy(frame, echo_request, sizeof(frame));
	assert_int_equal(packet_return(&host, frame, sizeof(frame)), 0);
}

/* The sanitizers detect errors. */
static void test_random(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 200000; i++) {
		uint64_t length = (uint64_t)rand() % 100;
		uint8_t *frame = malloc(length + 1);

		for (uint64_t n = 0; n < length; n++)
			frame[n] = n < sizeof(echo_request) && rand() % 32 ? echo_request[n]
									   : (uint8_t)rand();
		packet_port(&host, frame, length);
		if (rand() % 2)
			assert_true(packet_return(&host, frame, length) <= length);
		assert_true(packet_answer(&host, frame, length) <= length);
		free(frame);
	}
}

static void test_address(void **state)
{
	(void)state;
	assert_int_equal(packet_address("10.5.0.2"), host.ip);
	assert_int_equal(packet_address("10.5.0.256"), 0);
	assert_int_equal(packet_address("10.5.0"), 0);
	assert_int_equal(packet_address("10.5.0.2x"), 0);
	assert_int_equal(packet_address(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arp),	     cmocka_unit_test(test_echo),
		cmocka_unit_test(test_echo_damaged), cmocka_unit_test(test_port),
		cmocka_unit_test(test_return),	     cmocka_unit_test(test_random),
		cmocka_unit_test(test_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
