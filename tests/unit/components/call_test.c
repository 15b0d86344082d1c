// SPDX-License-Identifier: BSD-2-Clause
/* Tests calls from Linux, with both ends on the same memory, against honest and dishonest peers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <host/pong.h>

#include "call_server.h"

#define MEMORY (LIMPET_CHANNEL_PAGE + 2 * CALL_RING)
#define TIMEOUT 20

static struct limpet_caller caller;
static unsigned int stops, opened;
static int open_error, wait_error;
static bool (*server)(void); /* action of the component while the caller waits, or NULL */

/* --- the node, in place of cli/client/channel.c */

int limpet_channel_open(struct limpet_channel *c, const char *name)
{
	struct limpet_channel_header *header = (void *)call_memory;
	char *rings = call_memory + LIMPET_CHANNEL_PAGE;

	assert_string_equal(name, "call");
	if (open_error)
		return open_error;
	opened++;
	*c = (struct limpet_channel){ .info.stops = stops, .memory = call_memory };
	c->end = (struct limpet_end){ .self = &header->host,
				      .peer = &header->component,
				      .out = rings + CALL_RING,
				      .in = rings,
				      .out_size = CALL_RING,
				      .in_size = CALL_RING };
	limpet_end_adopt(&c->end, LIMPET_MESSAGE_HEADER);
	return 0;
}

void limpet_channel_close(struct limpet_channel *c)
{
	assert_ptr_equal(c->memory, call_memory);
	c->memory = NULL;
}

void limpet_channel_renew(struct limpet_channel *c)
{
	if (!limpet_channel_alive(c))
		return;
	limpet_end_connected(&c->end);
	c->announced = c->end.generation;
	call_server_look();
}

int limpet_channel_notify(struct limpet_channel *c)
{
	(void)c;
	return 0;
}

int limpet_channel_wait(struct limpet_channel *c, unsigned int what, int timeout_ms)
{
	(void)c;
	assert_in_range(timeout_ms, 1, TIMEOUT);
	assert_true(what == LIMPET_SLEEP_DATA || what == (LIMPET_SLEEP_SPACE | LIMPET_SLEEP_DATA));
	if (wait_error)
		return wait_error;
	call_server_look();
	return server && server() ? 0 : -EAGAIN;
}

/* Time does not advance, because the component does not wait for it. */
uint64_t limpet_time(void)
{
	return 1;
}

static int setup(void **state)
{
	(void)state;
	call_memory = aligned_alloc(LIMPET_CHANNEL_PAGE, MEMORY);
	if (!call_memory)
		return 1;
	memset(call_memory, 0, MEMORY);
	stops = opened = 0;
	open_error = wait_error = 0;
	server = call_server_step;
	call_status = 0;
	call_functions = 0x7; /* not stamp and done */
	call_interface = HOST_PONG_INTERFACE;
	memset(&call_invoked, 0, sizeof(call_invoked));
	call_server_begin(0);
	return limpet_caller_open(&caller, "call", TIMEOUT);
}

static int teardown(void **state)
{
	(void)state;
	limpet_caller_close(&caller);
	free(call_memory);
	return 0;
}

/* --- two honest ends */

static void test_words_there_and_back(void **state)
{
	uint64_t x, y, z;

	(void)state;
	for (unsigned int i = 1; i <= 500; i++) { /* some times around the ring */
		call_status = i;
		assert_int_equal(pong_call6(&caller, 1, i, 3, 4, 5, ~0ul, &x, &y, &z), i);
		assert_int_equal(call_invoked.count, i);
		assert_int_equal(call_invoked.slot, CALL_SLOT + 2);
		assert_int_equal(call_invoked.in[0], 1);
		assert_int_equal(call_invoked.in[5], ~0ul);
		assert_int_equal(x, i);
		assert_int_equal(y, 3);
		assert_int_equal(z, 4);
	}
}

static void test_status_of_the_server(void **state)
{
	uint64_t x = 7, y = 7, z = 7;

	(void)state;
	call_status = LIMPET_ECRASH;
	assert_int_equal(pong_call4(&caller, 1, 2, 3, 4, &x, &y, &z), LIMPET_ECRASH);
	assert_int_equal(x | y | z, 0);
	assert_string_equal(limpet_call_text(LIMPET_ECRASH),
			    "the component crashed, was stopped or destroyed before it returned");
}

static void test_slots_without_gaps(void **state)
{
	uint64_t time;

	(void)state;
	call_functions = 0x9; /* functions 0 and 3 */
	call_server_begin(0);
	assert_int_equal(pong_stamp(&caller, &time), 0);
	assert_int_equal(call_invoked.slot, CALL_SLOT + 1);
	assert_int_equal(pong_call0(&caller), 0);
	assert_int_equal(call_invoked.slot, CALL_SLOT);
	assert_int_equal(pong_done(&caller), LIMPET_CALL_FUNCTION);
	assert_int_equal(call_invoked.count, 2);
}

/* --- refusals of the component */

static void test_function_not_allowed(void **state)
{
	uint64_t out[3], in[6] = { 0 };
	static const uint32_t wrong[] = {
		PONG_ID_STAMP, PONG_ID_DONE, 5, 63, 64, 65, 1u << 31, ~0u
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(limpet_call(&caller, HOST_PONG_INTERFACE, wrong[i], in, out),
				 LIMPET_CALL_FUNCTION);
	assert_int_equal(call_invoked.count, 0);
	assert_non_null(strstr(limpet_call_text(LIMPET_CALL_FUNCTION), "system file"));
}

static void test_other_interface(void **state)
{
	(void)state;
	call_interface ^= 1;
	assert_int_equal(pong_call0(&caller), LIMPET_CALL_INTERFACE);
	call_interface = 0; /* the import is omitted */
	assert_int_equal(pong_call0(&caller), LIMPET_CALL_INTERFACE);
	assert_int_equal(call_invoked.count, 0);
}

/* Sends a request like limpet_call(), but does not wait. A hostile Linux can send any words. */
static void put(const void *bytes, size_t length)
{
	void *space = limpet_channel_reserve(&caller.channel, length);

	assert_non_null(space);
	memcpy(space, bytes, length);
	limpet_channel_commit(&caller.channel, length);
}

static void test_requests_of_wrong_length(void **state)
{
	static const char bytes[256] = { 1 };
	struct limpet_host_answer answer;
	uint64_t length;

	(void)state;
	assert_int_equal(pong_call0(&caller), 0);
	for (size_t size = 0; size < sizeof(bytes); size++) {
		const void *at;

		if (size == sizeof(struct limpet_host_call))
			continue;
		put(bytes, size);
		assert_true(call_server_step());
		at = limpet_channel_peek(&caller.channel, &length);
		assert_non_null(at);
		assert_int_equal(length, sizeof(answer));
		memcpy(&answer, at, sizeof(answer));
		limpet_channel_release(&caller.channel);
		assert_int_equal(answer.outcome, LIMPET_HOST_LENGTH);
		assert_int_equal(answer.id, 0);
	}
	assert_int_equal(call_invoked.count, 1);
	assert_int_equal(pong_call0(&caller), 0);
}

/* If Linux does not read the answers, functions whose answers do not fit are not invoked. */
static void test_flood(void **state)
{
	const struct limpet_host_call call = { .interface = HOST_PONG_INTERFACE };
	unsigned int put_in = 0, answered = 0;
	void *space;

	(void)state;
	assert_int_equal(pong_call0(&caller), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		space = limpet_channel_reserve(&caller.channel, sizeof(call));
		if (space) {
			memcpy(space, &call, sizeof(call));
			limpet_channel_commit(&caller.channel, sizeof(call));
			put_in++;
		}
		answered += call_server_step();
	}
	assert_int_equal(call_invoked.count, 1 + answered);
	assert_in_range(answered, 1, CALL_RING / sizeof(struct limpet_host_answer));
	assert_in_range(put_in, answered + 1, 1000);
	assert_false(call_server_step());
	/* After Linux reads again, calls are served again. Earlier calls are skipped. */
	assert_int_equal(pong_call0(&caller), 0);
	assert_int_equal(call_invoked.count, 2 + put_in);
}

/* Linux writes random bytes to all memory that it can write. The component only ever invokes the valid slot. */
static void test_any_bytes(void **state)
{
	(void)state;
	srand(4);
	assert_int_equal(pong_call0(&caller), 0);
	for (unsigned int round = 0; round < 20000; round++) {
		char *shared = call_memory;
		size_t at = (size_t)rand() % MEMORY;
		bool host = at >= LIMPET_CHANNEL_PAGE + CALL_RING ||
			    (at >= offsetof(struct limpet_channel_header, host) &&
			     at < sizeof(struct limpet_channel_header));

		if (host)
			shared[at] = (char)rand();
		if (round % 16 == 0)
			((struct limpet_channel_header *)shared)->host.head +=
				(uint64_t)rand() % 256;
		for (unsigned int i = 0; i < 4; i++)
			call_server_step();
	}
	assert_int_equal(call_invoked.slot, CALL_SLOT);
}

/* --- the caller with a dishonest or missing component */

static bool nothing(void)
{
	return false;
}

static void test_timeout(void **state)
{
	(void)state;
	server = nothing;
	assert_int_equal(pong_call0(&caller), LIMPET_CALL_TIME);
	assert_int_equal(call_invoked.count, 0);
	server = call_server_step;
	/* The late answer to the first call is skipped. */
	call_status = 5;
	assert_int_equal(pong_call0(&caller), 5);
	assert_int_equal(call_invoked.count, 2);
}

static void test_no_space_in_time(void **state)
{
	(void)state;
	server = nothing;
	for (unsigned int i = 0; i < CALL_RING / 72; i++)
		if (!limpet_channel_reserve(&caller.channel, sizeof(struct limpet_host_call)))
			break;
		else
			limpet_channel_commit(&caller.channel, sizeof(struct limpet_host_call));
	assert_int_equal(pong_call0(&caller), LIMPET_CALL_TIME);
}

static struct limpet_host_answer wrong;
static uint64_t wrong_length;

static bool say_wrong(void)
{
	wrong.id += wrong.id ? caller.id - 1 : 0;
	return call_server_say(&wrong, wrong_length);
}

static long call_wrong(struct limpet_host_answer answer, uint64_t length)
{
	wrong = answer;
	wrong_length = length;
	server = say_wrong;
	return pong_call0(&caller);
}

static void test_answers_that_make_no_sense(void **state)
{
	const uint64_t size = sizeof(wrong);

	(void)state;
	/* Id 1 is the call's, and id 2 is not used yet. */
	assert_int_equal(call_wrong((struct limpet_host_answer){ .id = 1 }, size - 1),
			 LIMPET_CALL_BAD);
	assert_int_equal(call_wrong((struct limpet_host_answer){ .id = 1 }, 0), LIMPET_CALL_BAD);
	assert_int_equal(call_wrong((struct limpet_host_answer){ .id = 2 }, size), LIMPET_CALL_BAD);
	assert_int_equal(call_wrong((struct limpet_host_answer){ .id = 1, .outcome = 1 }, size),
			 LIMPET_CALL_BAD);
	assert_int_equal(call_wrong((struct limpet_host_answer){ .id = 1, .outcome = ~0u }, size),
			 LIMPET_CALL_BAD);
	/* A server's result cannot have the numbers that the library uses itself. */
	assert_int_equal(
		call_wrong((struct limpet_host_answer){ .id = 1, .status = LIMPET_CALL_LOST },
			   size),
		LIMPET_CALL_BAD);
	assert_int_equal(
		call_wrong((struct limpet_host_answer){ .id = 1, .status = INT64_MIN }, size),
		LIMPET_CALL_BAD);
	server = call_server_step;
	assert_int_equal(pong_call0(&caller), 0);
}

/* The call ends in time while answers to unknown calls arrive without end. */
static void test_endless_answers(void **state)
{
	(void)state;
	assert_int_equal(call_wrong((struct limpet_host_answer){ .id = 0 }, sizeof(wrong)),
			 LIMPET_CALL_TIME);
}

static void test_lost_and_back(void **state)
{
	(void)state;
	wait_error = -EPIPE;
	open_error = -ENXIO;
	assert_int_equal(pong_call0(&caller), LIMPET_CALL_LOST);
	assert_int_equal(pong_call0(&caller), LIMPET_CALL_LOST);
	assert_int_equal(opened, 1);
	/* The component restarts. */
	stops = 1;
	call_server_begin(1);
	wait_error = open_error = 0;
	assert_int_equal(pong_call0(&caller), 0);
	assert_int_equal(opened, 2);
	assert_int_equal(call_invoked.count, 1);
}

static void test_open(void **state)
{
	struct limpet_caller other;

	(void)state;
	open_error = -EBUSY;
	assert_int_equal(limpet_caller_open(&other, "call", TIMEOUT), -EBUSY);
	assert_int_equal(limpet_caller_open(
				 &other,
				 "0123456789012345678901234567890123456789012345678901234567890123",
				 TIMEOUT),
			 -ENOENT);
	open_error = 0;
	assert_int_equal(limpet_caller_open(&other, "call", 0), -EINVAL);
	assert_int_equal(limpet_caller_open(&other, "call", 1u << 31), -EINVAL); /* no limit */
}

static void test_texts(void **state)
{
	(void)state;
	for (long status = -1010; status < 10; status++) {
		const char *text = limpet_call_text(status);

		assert_non_null(text);
		assert_null(strchr(text, '\n'));
		assert_int_equal(!strcmp(text, "unknown status"),
				 (status < LIMPET_EINTR && status > LIMPET_CALL_TIME) ||
					 status < LIMPET_CALL_FUNCTION);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_words_there_and_back),
		TEST(test_status_of_the_server),
		TEST(test_slots_without_gaps),
		TEST(test_function_not_allowed),
		TEST(test_other_interface),
		TEST(test_requests_of_wrong_length),
		TEST(test_flood),
		TEST(test_any_bytes),
		TEST(test_timeout),
		TEST(test_no_space_in_time),
		TEST(test_answers_that_make_no_sense),
		TEST(test_endless_answers),
		TEST(test_lost_and_back),
		TEST(test_open),
		TEST(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
