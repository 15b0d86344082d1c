// SPDX-License-Identifier: BSD-2-Clause
/* Tests sockets on a simulated network: waits, failed connections, and a crash of the network component. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <limpet/error.h>

#include "../../../lib/posix/file.h"
#include "fake.h"
#include "fake_net.h"

#define STREAM SYS(SYS_socket, AF_INET, SOCK_STREAM, 0)
#define BIT(number) (1ul << (number))

static const struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = 1, .sin_addr = { 1 } };

static int begin(void **state)
{
	fake_net = (struct fake_net){ .is_imported = true,
				      .received = LIMPET_ETIME,
				      .accept = LIMPET_ETIME,
				      .open = fake_net.open };
	return fake_begin(state);
}

static short events_of(long descriptor)
{
	struct pollfd polled = { (int)descriptor, POLLIN | POLLOUT, 0 };

	SYS(SYS_poll, &polled, 1, 0);
	return polled.revents;
}

static void test_no_import(void **state)
{
	(void)state;
	fake_net.is_imported = false;
	assert_int_equal(STREAM, -EAFNOSUPPORT);
	assert_non_null(strstr(
		fake_log, "(socket) is not served in this form, the program gets EAFNOSUPPORT"));
	assert_int_equal(SYS(SYS_socket, AF_UNIX, SOCK_STREAM, 0), -EAFNOSUPPORT);
}

static void data_come(void)
{
	fake_net.data = "data";
	fake_net.receive = ~0ul;
	sockets_update(); /* like the watcher */
}

static void test_receive(void **state)
{
	long s = STREAM;
	char data[8] = "";

	(void)state;
	fake_net.connect = 0;
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), 0);
	assert_int_equal(SYS(SYS_recvfrom, s, data, 8, MSG_DONTWAIT), -EAGAIN);
	fake_blocked = data_come;
	assert_int_equal(SYS(SYS_read, s, data, 8), 4);
	assert_string_equal(data, "data");
	fake_net.receive = 0;
	assert_int_equal(events_of(s), 0);
	fake_net.data = "more";
	assert_int_equal(SYS(SYS_recvfrom, s, data, 2, 0), 2);
	assert_int_equal(SYS(SYS_recvfrom, s, data, 2, MSG_OOB), -EOPNOTSUPP);
	fake_net.received = 0; /* the peer has ended */
	assert_int_equal(SYS(SYS_read, s, data, 8), 0);
	assert_int_equal(SYS(SYS_close, s), 0);
	assert_int_equal(fake_net.open, 0);
}

static void test_send(void **state)
{
	char data[10000] = "";
	long s = STREAM;

	(void)state;
	assert_int_equal(SYS(SYS_sendto, s, data, 1, MSG_NOSIGNAL), -EPIPE);
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), 0);
	fake_net.space = 9000;
	assert_int_equal(SYS(SYS_sendto, s, data, sizeof(data), MSG_DONTWAIT), 9000);
	assert_int_equal(SYS(SYS_sendto, s, data, 1, MSG_DONTWAIT), -EAGAIN);
	fake_net.send = ~0ul;
	fake_net.space = 9000;
	assert_int_equal(SYS(SYS_sendto, s, data, 9000, 0), 9000);
	assert_int_equal(SYS(SYS_shutdown, s, SHUT_WR), 0);
	assert_int_equal(SYS(SYS_sendto, s, data, 1, MSG_NOSIGNAL), -EPIPE);
	SYS(SYS_close, s);
	s = SYS(SYS_socket, AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(SYS(SYS_sendto, s, data, 1473, 0, &to, sizeof(to)), -EMSGSIZE);
	assert_int_equal(SYS(SYS_sendto, s, data, 1472, 0, &to, sizeof(to)), 1472);
	SYS(SYS_close, s);
}

/* readv() waits for the first data only, and writev() sends one datagram. */
static void test_parts(void **state)
{
	char head[2], body[8] = "";
	const struct iovec parts[] = { { head, 2 }, { body, 7 } };
	long s = STREAM;

	(void)state;
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), 0);
	fake_net.data = "da";
	assert_int_equal(SYS(SYS_readv, s, parts, 2), 2);
	fake_net.data = "data";
	assert_int_equal(SYS(SYS_readv, s, parts, 2), 4);
	assert_string_equal(body, "ta");
	assert_int_equal(SYS(SYS_preadv, s, parts, 2, 0), -ESPIPE);
	SYS(SYS_close, s);
	s = SYS(SYS_socket, AF_INET, SOCK_DGRAM, 0);
	fake_net.space = 100;
	fake_net.sends = 0;
	assert_int_equal(SYS(SYS_writev, s, parts, 2), 9);
	assert_int_equal(SYS(SYS_writev, s, parts, 0), 0);
	assert_int_equal(fake_net.sends, 1);
	fake_net.data = "datagram, too long";
	assert_int_equal(SYS(SYS_readv, s, parts, 2), 9);
	assert_string_equal(body, "tagram,");
	SYS(SYS_close, s);
}

/* The error of a refused connection is returned once. */
static void test_refused(void **state)
{
	long s = SYS(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	socklen_t size = sizeof(int);
	int error = 0;

	(void)state;
	fake_net.connect = LIMPET_ETIME;
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), -EINPROGRESS);
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), -EALREADY);
	assert_int_equal(events_of(s), 0);
	fake_net.ended = ~0ul;
	assert_int_equal(events_of(s), POLLIN | POLLOUT | POLLERR | POLLHUP);
	assert_int_equal(SYS(SYS_getsockopt, s, SOL_SOCKET, SO_ERROR, &error, &size), 0);
	assert_int_equal(error, ECONNREFUSED);
	assert_int_equal(events_of(s), POLLIN | POLLOUT | POLLHUP);
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), -ECONNABORTED);
	SYS(SYS_close, s);
	s = STREAM;
	fake_net.ended = 0;
	fake_net.connect = LIMPET_EPEER;
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), -ECONNREFUSED);
	SYS(SYS_close, s);
}

static void test_accept(void **state)
{
	long s = SYS(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), c;

	(void)state;
	assert_int_equal(SYS(SYS_accept, s, 0, 0), -EINVAL);
	assert_int_equal(SYS(SYS_listen, s, 1000), 0);
	assert_int_equal(SYS(SYS_accept, s, 0, 0), -EAGAIN);
	fake_net.accept = 0;
	c = SYS(SYS_accept, s, 0, 0);
	assert_true(c > s);
	assert_int_equal(SYS(SYS_close, c), 0);
	SYS(SYS_close, s);
	assert_int_equal(fake_net.open, 0);
}

static void network_crashes(void)
{
	fake_net.has_crashed = true;
	sockets_update();
}

/* All sockets fail, waits end, and new sockets work. */
static void test_crash(void **state)
{
	long s = STREAM, t;
	char data[8];

	(void)state;
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), 0);
	fake_blocked = network_crashes;
	fake_net.received = LIMPET_ETIME;
	assert_int_equal(SYS(SYS_read, s, data, 8), -ECONNRESET);
	assert_int_equal(SYS(SYS_read, s, data, 8), 0);
	assert_int_equal(SYS(SYS_connect, s, &to, sizeof(to)), -ENETDOWN);
	t = STREAM;
	assert_int_equal(SYS(SYS_connect, t, &to, sizeof(to)), 0);
	assert_int_equal(fake_net.open, BIT(0));
	assert_int_equal(SYS(SYS_close, s), 0); /* not the new socket of the same number */
	assert_int_equal(fake_net.open, BIT(0));
	assert_int_equal(SYS(SYS_close, t), 0);
	assert_int_equal(fake_net.open, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_no_import, begin),
		cmocka_unit_test_setup(test_receive, begin),
		cmocka_unit_test_setup(test_send, begin),
		cmocka_unit_test_setup(test_parts, begin),
		cmocka_unit_test_setup(test_refused, begin),
		cmocka_unit_test_setup(test_accept, begin),
		cmocka_unit_test_setup(test_crash, begin),
	};

	return cmocka_run_group_tests_name("posix-socket", tests, NULL, NULL);
}
