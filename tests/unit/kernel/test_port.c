// SPDX-License-Identifier: GPL-2.0
/* Tests ports: events between the CPUs of a system. */
#include <pthread.h>

#include "objects.h"

#define PORT 5

static void test_export_errors(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1),
	     few = weaker(LIMPET_BOOT_CPU, 31 & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(PORT_EXPORT, EMPTY, ep, PORT), ESLOT);
	assert_status(call(PORT_EXPORT, ep, ep, PORT), ETYPE);
	assert_status(call(PORT_EXPORT, few, ep, PORT), ERIGHTS);
	assert_status(call(PORT_EXPORT, LIMPET_BOOT_CPU, EMPTY, PORT), ESLOT);
	assert_status(call(PORT_EXPORT, LIMPET_BOOT_CPU, T, PORT), ETYPE);
	assert_status(call(PORT_EXPORT, LIMPET_BOOT_CPU, weaker(ep, 1), PORT), ERIGHTS);
	assert_status(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep, LIMPET_PORTS), ERANGE);
	assert_status(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep, ~0ul), ERANGE);
	assert_ok(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep, PORT));
	assert_status(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep, PORT), EFULL);
}

static void test_import_errors(void **state)
{
	word few = weaker(LIMPET_BOOT_CPU, 31 & ~LIMPET_MANAGE);

	(void)state;
	assert_status(call(PORT_IMPORT, EMPTY, 1, PORT, T, EMPTY), ESLOT);
	assert_status(call(PORT_IMPORT, T, 1, PORT, T, EMPTY), ETYPE);
	assert_status(call(PORT_IMPORT, few, 1, PORT, T, EMPTY), ERIGHTS);
	assert_status(call(PORT_IMPORT, LIMPET_BOOT_CPU, 1, PORT, EMPTY, EMPTY), ESLOT);
	assert_status(call(PORT_IMPORT, LIMPET_BOOT_CPU, 1, PORT, LIMPET_BOOT_CPU, EMPTY), ETYPE);
	assert_status(call(PORT_IMPORT, LIMPET_BOOT_CPU, 1, PORT, T, T), EFULL);
	assert_status(call(PORT_IMPORT, LIMPET_BOOT_CPU, 2, PORT, T, EMPTY), ERANGE);
	assert_status(call(PORT_IMPORT, LIMPET_BOOT_CPU, 1ul << 32, PORT, T, EMPTY), ERANGE);
	assert_status(call(PORT_IMPORT, LIMPET_BOOT_CPU, 1, LIMPET_PORTS, T, EMPTY), ERANGE);
	assert_ok(call(PORT_IMPORT, LIMPET_BOOT_CPU, 1, PORT, T, EMPTY));
	assert_status(call(ENDPOINT_SEND, EMPTY, 2), ERANGE);
	assert_status(call(ENDPOINT_SEND, EMPTY, 0), ERANGE);
	assert_status(call(ENDPOINT_RECEIVE, EMPTY, 0, 0), ETYPE);
	assert_status(call(ENDPOINT_SEND, weaker(EMPTY, LIMPET_GRANT), 1), ETYPE);
}

/* CPU 1 waits at its port. CPU 0 sends, and the host's kick makes CPU 1 check its inbox. */
static void test_send(void **state)
{
	word ep;

	(void)state;
	machine_play(1);
	ep = object_new(LIMPET_ENDPOINT, 1);
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep, PORT));
	call(ENDPOINT_RECEIVE, ep, 0, 0);
	assert_true(cpu->idle);
	machine_play(0);
	assert_ok(call(PORT_IMPORT, LIMPET_BOOT_CPU, 1, PORT, T, EMPTY));
	assert_ok(call(ENDPOINT_SEND, EMPTY, 1));
	assert_ok(call(ENDPOINT_SEND, EMPTY, 1));
	assert_int_equal(machine.all[1]->inbox.event[INBOX_PORT / 64], 1ul << PORT);
	host_serve();
	assert_int_equal(host->kick, 1ul << 1);
	machine_play(1);
	host_serve();
	assert_false(cpu->idle);
	assert_int_equal(user->words[0], 1);
	assert_int_equal(cpu->inbox.event[INBOX_PORT / 64], 0);
}

/* Events to a port that was not exported, or whose endpoint is deleted, are lost. */
static void test_send_without_receiver(void **state)
{
	word ep;

	(void)state;
	assert_ok(call(PORT_IMPORT, LIMPET_BOOT_CPU, 0, PORT, T, EMPTY)); /* its own CPU's */
	assert_ok(call(ENDPOINT_SEND, EMPTY, 1));
	host_serve();
	assert_int_equal(host->kick, 1);
	ep = object_new(LIMPET_ENDPOINT, 1);
	assert_ok(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep, PORT));
	assert_ok(call(ENDPOINT_SEND, EMPTY, 1));
	assert_ok(delete_all(ep));
	assert_null(cpu->source[INBOX_PORT + PORT].endpoint);
	interrupt();
}

static void *sender(void *inbox)
{
	for (unsigned int i = 0; i < 200000; i++)
		hal_or(&((struct inbox *)inbox)->event[INBOX_PORT / 64], 1ul << i % 64);
	return NULL;
}

/* Bits that another CPU sets while this one takes them are not lost. */
static void test_inbox_is_atomic(void **state)
{
	struct inbox inbox = { 0 };
	pthread_t thread;
	word seen = 0, last;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, sender, &inbox), 0);
	for (unsigned int i = 0; i < 200000; i++)
		seen |= hal_exchange(&inbox.event[INBOX_PORT / 64], 0);
	pthread_join(thread, NULL);
	last = hal_exchange(&inbox.event[INBOX_PORT / 64], 0);
	assert_int_equal(seen | last, ~0ul);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_TWO(test_export_errors),
		TEST_TWO(test_import_errors),
		TEST_TWO(test_send),
		TEST_TWO(test_send_without_receiver),
		TEST_TWO(test_inbox_is_atomic),
	};

	return RUN("port", tests);
}
