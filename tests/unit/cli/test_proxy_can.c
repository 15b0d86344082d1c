// SPDX-License-Identifier: GPL-2.0
/* Tests limpet proxy can:INTERFACE, with socket pairs in place of the channel and the CAN socket, and interface lo. */
#include "test.h"

#include <errno.h>
#include <linux/can.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cli/command/proxy/can.h>

#define WAIT_MS 30000

static struct can_bus bus;
static int channel[2], wire[2]; /* the proxy has the second of each */
static pthread_t thread;
static int result;

static void *serve(void *nothing)
{
	result = can_serve(&bus, channel[1]);
	return nothing;
}

static void pair_make(int pair[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
}

/* Receives a message of exactly `size` bytes. */
static void expect(int fd, void *to, size_t size)
{
	struct pollfd ready = { fd, POLLIN, 0 };

	assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
	assert_int_equal(read(fd, to, size), size);
}

static struct limpet_can_status expect_status(void)
{
	struct limpet_can_status status;

	expect(channel[0], &status, sizeof(status));
	assert_int_equal(status.what, LIMPET_CAN_STATUS);
	return status;
}

static void write_all(int fd, const void *from, size_t size)
{
	assert_int_equal(write(fd, from, size), size);
}

static const struct limpet_can_frame plain = {
	.what = LIMPET_CAN_FRAME, .id = LIMPET_CAN_EXTENDED | 0x12345, .length = 3, .data = "abc"
};

static int setup(void **state)
{
	struct limpet_can_status status;

	(void)state;
	pair_make(channel);
	pair_make(wire);
	bus = (struct can_bus){ .interface = "lo", .socket = wire[1] };
	write_all(channel[0], &plain, sizeof(plain)); /* from an earlier proxy */
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
	status = expect_status();
	assert_int_equal(status.flags, LIMPET_CAN_FIRST | LIMPET_CAN_UP);
	assert_int_equal(status.unsent, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(channel[0]);
	pthread_join(thread, NULL);
	assert_int_equal(result, 0);
	close(channel[1]);
	close(wire[0]);
	can_close(&bus);
	return 0;
}

static void test_frames(void **state)
{
	struct limpet_can_frame from;
	struct can_frame frame = { .can_id = 0x7ff | CAN_RTR_FLAG, .can_dlc = 2, .data = "xyz" };

	(void)state;
	write_all(channel[0], &plain, sizeof(plain));
	expect(wire[0], &frame, sizeof(frame));
	assert_int_equal(frame.can_id, CAN_EFF_FLAG | 0x12345);
	assert_int_equal(frame.can_dlc, 3);
	assert_memory_equal(frame.data, "abc\0\0\0\0\0", 8);
	frame = (struct can_frame){ .can_id = 0x7ff | CAN_RTR_FLAG, .can_dlc = 2, .data = "xyz" };
	write_all(wire[0], &frame, sizeof(frame));
	expect(channel[0], &from, sizeof(from));
	assert_int_equal(from.what, LIMPET_CAN_FRAME);
	assert_int_equal(from.id, LIMPET_CAN_REMOTE | 0x7ff);
	assert_int_equal(from.length, 2);
	assert_memory_equal(from.data, "xy\0\0\0\0\0\0", 8);
}

/* Frames with a wrong length, kind or identifier are counted, and not sent. */
static void test_wrong_messages(void **state)
{
	struct limpet_can_frame wrong[] = { plain, plain, plain, plain };
	struct can_frame frame = { .can_id = 1, .can_dlc = 255 };
	struct limpet_can_frame from;

	(void)state;
	wrong[0].what = 7;
	wrong[1].length = 9;
	wrong[2].id |= LIMPET_CAN_ERROR;
	wrong[3].length = ~0u;
	for (uint32_t i = 0; i < 4; i++) {
		write_all(channel[0], &wrong[i], sizeof(wrong[i]));
		assert_int_equal(expect_status().unsent, 2 + i);
	}
	write_all(channel[0], &plain, sizeof(plain) - 1);
	assert_int_equal(expect_status().unsent, 6);
	assert_int_equal(read(wire[0], &frame, sizeof(frame)), -1);
	assert_int_equal(errno, EAGAIN);
	/* Sends a frame from Linux that claims more bytes than it has, and one that is too short. */
	write_all(wire[0], &frame, 3);
	write_all(wire[0], &frame, sizeof(frame));
	expect(channel[0], &from, sizeof(from));
	assert_int_equal(from.length, LIMPET_CAN_DATA);
}

/*
 * If the component does not read, its frames wait in the channel and then in the socket. No frame is lost or
 * reordered.
 */
static void test_full_channel(void **state)
{
	struct limpet_can_frame from;
	struct pollfd ready = { wire[0], POLLOUT, 0 };
	uint32_t sent = 0;

	(void)state;
	for (; sent < 5000; sent++) {
		const struct can_frame frame = { .can_id = sent };

		if (write(wire[0], &frame, sizeof(frame)) < 0 && poll(&ready, 1, 200) != 1)
			break;
	}
	assert_in_range(sent, 10, 4999);
	for (uint32_t i = 0; i < 10; i++) {
		expect(channel[0], &from, sizeof(from));
		assert_int_equal(from.id, i);
	}
}

static void test_refusals(void **state)
{
	char error[256];
	struct can_bus other;

	(void)state;
	assert_false(can_open(&other, "can-none", error, sizeof(error)));
	assert_non_null(strstr(error, "can-none: There is no such interface"));
	assert_false(can_open(&other, "a-name-that-no-interface-can-have", error, sizeof(error)));
	assert_int_equal(other.socket, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_messages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_channel, setup, teardown),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
