// SPDX-License-Identifier: BSD-2-Clause
/* Tests calls with socket addresses in exec.sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <guest/numbers.h>
#include <runtime/component.h>

#include "sandbox_guest.h"

/* --- addresses */

static size_t address_put(word family, const void *bytes, size_t size)
{
	uint16_t number = (uint16_t)family;

	fake_put(AT, &number, 2);
	fake_put(AT + 2, bytes, size);
	return size + 2;
}

static struct executive_answer inet_call(word number, const char *port, const char *address)
{
	uint8_t bytes[14] = { 0 };

	memcpy(bytes, port, 2);
	memcpy(bytes + 2, address, 4);
	address_put(GUEST_AF_INET, bytes, sizeof(bytes));
	return fake_call(ID, number, 3, AT, 16, 0, 0, 0);
}

static void test_inet(void **state)
{
	(void)state;
	assert_answer(inet_call(GUEST_CALL_connect, "\0\120", "\12\1\2\3"), PASS);
	assert_memory_equal(linux_reads(fake_register[LIMPET_GUEST_RSI]), "\2\0\0\120\12\1\2\3", 8);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 16);
	assert_served(inet_call(GUEST_CALL_connect, "\0\121", "\12\1\2\3"), REFUSED);
	assert_served(inet_call(GUEST_CALL_connect, "\0\120", "\12\2\2\3"), REFUSED);
	assert_answer(inet_call(GUEST_CALL_connect, "\1\1", "\177\0\0\2"), PASS);
	assert_served(inet_call(GUEST_CALL_bind, "\1\1", "\177\0\0\2"), REFUSED);
	assert_answer(inet_call(GUEST_CALL_bind, "\1\1", "\177\0\0\1"), PASS);
	fake_main();
	assert_non_null(strstr(fake_text(), "100: refused connect 10.1.2.3 port 81\n"));
}

static void test_inet6(void **state)
{
	uint8_t bytes[26] = { 0, 80 };

	(void)state;
	address_put(GUEST_AF_INET6, bytes, sizeof(bytes));
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 28, 0, 0, 0), REFUSED);
	memcpy(bytes + 6 + 10, "\377\377\12\1\2\3", 6); /* ::ffff:10.1.2.3 */
	address_put(GUEST_AF_INET6, bytes, sizeof(bytes));
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 28, 0, 0, 0), PASS);
	bytes[6 + 13]++;
	address_put(GUEST_AF_INET6, bytes, sizeof(bytes));
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 28, 0, 0, 0), REFUSED);
}

static void test_unix(void **state)
{
	(void)state;
	address_put(GUEST_AF_UNIX, "/tmp/x/../s\0\0\0\0", 15);
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 17, 0, 0, 0), PASS);
	assert_memory_equal(linux_reads(fake_register[LIMPET_GUEST_RSI]),
			    "\1\0/tmp/s\0\0\0\0\0\0\0\0\0", 17);
	assert_answer(fake_call(ID, GUEST_CALL_bind, 3, AT, 10, 0, 0, 0), PASS);
	address_put(GUEST_AF_UNIX, "/usr/s", 6);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 8, 0, 0, 0), REFUSED);
	address_put(GUEST_AF_UNIX, "\0abstract", 9);
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 11, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_bind, 3, AT, 2, 0, 0, 0), PASS);
}

static void test_families(void **state)
{
	uint8_t bytes[126] = { 0 };

	(void)state;
	address_put(GUEST_AF_NETLINK, bytes, sizeof(bytes));
	assert_answer(fake_call(ID, GUEST_CALL_bind, 3, AT, 12, 0, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 12, 0, 0, 0), REFUSED);
	address_put(0, bytes, sizeof(bytes)); /* no family means inet, but not in connect() */
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, AT, 16, 0, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_bind, 3, AT, 16, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_sendto, 3, 0, 0, 0, AT, 16), REFUSED);
	address_put(40, bytes, sizeof(bytes));
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 16, 0, 0, 0), REFUSED);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, 129, 0, 0, 0), -LINUX_EINVAL);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, AT, (word)-1, 0, 0, 0), -LINUX_EINVAL);
	assert_served(fake_call(ID, GUEST_CALL_connect, 3, 0x9000, 16, 0, 0, 0), -LINUX_EFAULT);
	assert_answer(fake_call(ID, GUEST_CALL_connect, 3, 0x9000, 0, 0, 0, 0), PASS);
	assert_answer(fake_call(ID, GUEST_CALL_sendto, 3, 0, 0, 0, 0, 16), PASS);
}

static void test_message(void **state)
{
	word message[7] = { AT, 16, 1, 2, 3, 4, 5 };
	const word *seen;

	(void)state;
	inet_call(GUEST_CALL_connect, "\0\120", "\12\1\2\3");
	fake_put(AT2, message, sizeof(message));
	assert_answer(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), PASS);
	seen = linux_reads(fake_register[LIMPET_GUEST_RSI]);
	assert_memory_equal(linux_reads(seen[0]), "\2\0\0\120\12\1\2\3", 8);
	assert_memory_equal(seen + 1, message + 1, sizeof(message) - sizeof(word));
	inet_call(GUEST_CALL_connect, "\0\121", "\12\1\2\3");
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), REFUSED);
	message[1] = (uint32_t)-1;
	fake_put(AT2, message, sizeof(message));
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), -LINUX_EINVAL);
	message[1] = 1000; /* Linux reads 128 bytes */
	fake_put(AT2, message, sizeof(message));
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), REFUSED);
	message[0] = 0;
	fake_put(AT2, message, sizeof(message));
	assert_answer(fake_call(ID, GUEST_CALL_sendmsg, 3, AT2, 0, 0, 0, 0), PASS);
	assert_served(fake_call(ID, GUEST_CALL_sendmsg, 3, 0, 0, 0, 0, 0), -LINUX_EFAULT);
	assert_served(fake_call(ID, GUEST_CALL_sendmmsg, 3, AT2, 1, 0, 0, 0), REFUSED);
}

#define STREAM 1
#define SEQPACKET 5
#define CLOEXEC 02000000
#define SCTP 132

/* Sockets of SCTP have options and control messages with addresses. */
static void test_sctp(void **state)
{
	(void)state;
	for (word family = GUEST_AF_INET; family <= GUEST_AF_INET6;
	     family += GUEST_AF_INET6 - GUEST_AF_INET) {
		assert_served(fake_call(ID, GUEST_CALL_socket, family, STREAM, SCTP, 0, 0, 0),
			      REFUSED);
		assert_served(
			fake_call(ID, GUEST_CALL_socket, family, SEQPACKET | CLOEXEC, 0, 0, 0, 0),
			REFUSED);
		assert_answer(fake_call(ID, GUEST_CALL_socket, family, STREAM, 6, 0, 0, 0), PASS);
	}
	assert_served(fake_call(ID, GUEST_CALL_socket, 1ul << 32 | GUEST_AF_INET, STREAM,
				1ul << 32 | SCTP, 0, 0, 0),
		      REFUSED);
	assert_answer(fake_call(ID, GUEST_CALL_socket, GUEST_AF_UNIX, SEQPACKET, 0, 0, 0, 0), PASS);
	fake_main();
	assert_non_null(strstr(fake_text(), "100: refused socket sctp\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SANDBOX_TEST(test_inet),     SANDBOX_TEST(test_inet6),	 SANDBOX_TEST(test_unix),
		SANDBOX_TEST(test_families), SANDBOX_TEST(test_message), SANDBOX_TEST(test_sctp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
