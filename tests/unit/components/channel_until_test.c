// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests waits for a channel with a time limit. The test simulates Linux, the kernel, the scheduler, and time. The
 * watcher thread runs while the component waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <channel/channel.h>
#include <runtime/component.h>
#include <runtime/time.h>

#include <import/sched.h>

#define RING 4096u
#define SELF 3
#define WATCHER 9u
#define BEGIN 5000ul

static _Alignas(4096) char memory[LIMPET_CHANNEL_PAGE + 2 * RING];
static struct limpet_info_channel channel_info = { "talk", LIMPET_CHANNEL_MESSAGES, RING, RING,
						   32,	   (uint64_t)memory,	    0,	  0,
						   0 };
static struct limpet_info_thread threads[11] = {
	[WATCHER] = { .component = SELF, .flags = LIMPET_THREAD_SPARE },
};
extern struct limpet_info own asm("__limpet_info");
struct limpet_info own = { .channels = 1,
			   .channel_info = (uint64_t)&channel_info,
			   .index = SELF,
			   .ticks_per_ms = 1000,
			   .threads = 10,
			   .thread_of = threads };

static struct limpet_channel channel;
static struct limpet_end host;
static uint64_t now;
static word pending;
static bool stranger;		  /* the caller is not the component's own thread */
static unsigned int looks, wakes; /* receives at the endpoint; wake-ups of the watcher */
static uint64_t message_at;	  /* time at which Linux sends a message */
static unsigned int earlier_life; /* refusals left, of a spare thread that is not ready yet */
static word (*watch)(word);	  /* the watcher's function; NULL: it was not created */
static uint64_t watch_at;	  /* time at which it continues */
static bool in_watch;
static void (*in_block)(void); /* action before the watcher sleeps */

uint64_t limpet_time(void)
{
	return now;
}

static void watch_continue(void)
{
	in_watch = true;
	watch(0);
	in_watch = false;
}

/* The watcher sleeps. The test calls it again, from the start of its loop. */
long sched_block_until(word deadline)
{
	assert_true(in_watch);
	if (in_block)
		in_block();
	watch_at = deadline;
	return LIMPET_ESTATE;
}

long sched_create(word entry, word argument, word priority)
{
	assert_int_equal(argument, 0);
	assert_int_equal(priority, 0);
	if (earlier_life) {
		earlier_life--;
		return LIMPET_EQUOTA;
	}
	assert_null(watch);
	watch = (word(*)(word))entry;
	watch_at = 0;
	return WATCHER;
}

long sched_wake(word thread)
{
	assert_int_equal(thread, WATCHER);
	wakes++;
	watch_at = 0;
	return LIMPET_OK;
}

long sched_sleep_until(word deadline)
{
	assert_true(deadline > now && deadline != LIMPET_NEVER);
	now = deadline;
	return LIMPET_OK;
}

static void message_put(void)
{
	assert_non_null(limpet_end_reserve(&host, 1));
	limpet_end_commit(&host, 1);
	pending |= channel.bit;
}

/* Advances time until an event has arrived. */
static void until_wait(void)
{
	while (!pending) {
		uint64_t next = watch && watch_at < message_at ? watch_at : message_at;

		if (next == LIMPET_NEVER)
			fail_msg("nothing will ever come");
		now = next > now ? next : now;
		if (message_at <= now) {
			message_put();
			message_at = LIMPET_NEVER;
		} else {
			watch_continue();
		}
	}
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_CHANNEL_STATE:
	case LIMPET_CALL_CHANNEL_NOTIFY:
		return LIMPET_OK;
	case LIMPET_CALL_ENDPOINT_SEND:
		assert_int_equal(in[0], LIMPET_SLOT_ENDPOINT);
		pending |= in[1];
		return LIMPET_OK;
	}
	assert_int_equal(op, LIMPET_CALL(LIMPET_CALL_ENDPOINT_RECEIVE));
	assert_int_equal(in[0], LIMPET_SLOT_ENDPOINT);
	assert_int_equal(in[1], 0);
	if (stranger)
		return LIMPET_ESTATE;
	looks++;
	if (!in[2])
		until_wait();
	out->w0 = pending;
	pending = 0;
	return out->w0 ? LIMPET_OK : LIMPET_EEMPTY;
}

/* Starts the component. It forgets the watcher of an earlier test. */
static int setup(void **state)
{
	struct limpet_channel_header *header = (struct limpet_channel_header *)memory;

	(void)state;
	memset(memory, 0, sizeof(memory));
	now = BEGIN;
	pending = 0;
	looks = wakes = earlier_life = 0;
	message_at = LIMPET_NEVER;
	stranger = false;
	in_block = NULL;
	host = (struct limpet_end){ .self = &header->host,
				    .peer = &header->component,
				    .out = memory + LIMPET_CHANNEL_PAGE + RING,
				    .in = memory + LIMPET_CHANNEL_PAGE,
				    .out_size = RING,
				    .in_size = RING };
	limpet_end_begin(&host, 7);
	assert_int_equal(channel_open(&channel, "talk"), 0);
	limpet_end_connected(&host);
	assert_true(channel_connected(&channel));
	assert_true(limpet_end_connected(&host));
	return 0;
}

static long until(uint64_t deadline, word *came)
{
	*came = ~0ul;
	return channel_wait_until(channel.bit, came, deadline);
}

static void message_take(void)
{
	uint64_t length;

	assert_non_null(channel_peek(&channel, &length));
	channel_release(&channel);
}

/* In the first tests, in this order, the component has not yet waited with a time limit. */

static void test_no_thread_needed(void **state)
{
	word came;

	(void)state;
	assert_int_equal(until(BEGIN, &came), LIMPET_ETIME);
	assert_int_equal(came, 0);
	assert_int_equal(until(0, &came), LIMPET_ETIME);
	assert_int_equal(looks, 2);
	message_at = BEGIN + 10;
	assert_int_equal(until(LIMPET_NEVER, &came), 0);
	assert_int_equal(came, channel.bit);
	assert_int_equal(until(0, &came), 0); /* the message is still pending, however late it is */
	assert_int_equal(came, channel.bit);
	assert_int_equal(now, BEGIN + 10);
	assert_null(watch);
}

static void test_no_thread(void **state)
{
	word came;

	(void)state;
	threads[WATCHER].flags = 0;
	assert_int_equal(until(BEGIN + 100, &came), LIMPET_EQUOTA);
	threads[WATCHER] =
		(struct limpet_info_thread){ .component = SELF + 1, .flags = LIMPET_THREAD_SPARE };
	assert_int_equal(until(BEGIN + 100, &came), LIMPET_EQUOTA);
	threads[WATCHER].component = SELF;
	assert_int_equal(came, 0);
	assert_int_equal(now, BEGIN);
	earlier_life = 1000;
	assert_int_equal(until(BEGIN + 100000, &came), LIMPET_EQUOTA);
	assert_int_equal(now, BEGIN + 100000);
	assert_int_equal(looks, 0);
}

/* After a restart the thread can still be busy with the end of its earlier life. */
static void test_thread_late(void **state)
{
	word came;

	(void)state;
	earlier_life = 3;
	assert_int_equal(until(BEGIN + 100000, &came), LIMPET_ETIME);
	assert_int_equal(earlier_life, 0);
	assert_int_equal(now, BEGIN + 100000);
	assert_non_null(watch);
}

/*
 * From here on the watcher exists, and sleeps without a limit unless the component requests
 * otherwise.
 */

static void test_time(void **state)
{
	word came;

	(void)state;
	assert_int_equal(until(BEGIN + 700, &came), LIMPET_ETIME);
	assert_int_equal(came, 0);
	assert_int_equal(now, BEGIN + 700);
	assert_int_equal(wakes, 1);
	assert_int_equal(watch_at, LIMPET_NEVER);
	assert_int_equal(((struct limpet_channel_header *)memory)->component.sleeping, 0);
	assert_int_equal(until(BEGIN + 900, &came), LIMPET_ETIME);
	assert_int_equal(now, BEGIN + 900);
}

static void test_message_first(void **state)
{
	word came;

	(void)state;
	message_at = BEGIN + 300;
	assert_int_equal(until(BEGIN + 700, &came), 0);
	assert_int_equal(came, channel.bit);
	assert_int_equal(now, BEGIN + 300);
	message_take();
	/* Later deadlines need no call: the watcher checks at 700, and again. */
	assert_int_equal(wakes, 1);
	assert_int_equal(until(BEGIN + 2000, &came), LIMPET_ETIME);
	assert_int_equal(now, BEGIN + 2000);
	assert_int_equal(wakes, 1);
	/* An earlier deadline does. */
	message_at = BEGIN + 2100;
	assert_int_equal(until(BEGIN + 9000, &came), 0);
	message_take();
	assert_int_equal(wakes, 2);
	assert_int_equal(until(BEGIN + 2200, &came), LIMPET_ETIME);
	assert_int_equal(now, BEGIN + 2200);
	assert_int_equal(wakes, 3);
}

/*
 * An event of a finished wait does not end another one, with or without a limit, and is not passed
 * on.
 */
static void test_stale(void **state)
{
	word came;

	(void)state;
	pending = CHANNEL_TIME;
	message_at = BEGIN + 50;
	assert_int_equal(channel_wait(channel.bit), channel.bit);
	assert_int_equal(now, BEGIN + 50);
	pending = CHANNEL_TIME | 5;
	assert_int_equal(channel_wait(channel.bit), channel.bit | 5);
	message_take();
	pending = CHANNEL_TIME;
	assert_int_equal(until(BEGIN + 400, &came), LIMPET_ETIME);
	assert_int_equal(now, BEGIN + 400);
}

static void space_comes(void)
{
	uint64_t length;

	in_block = NULL;
	assert_non_null(limpet_end_peek(&host, &length));
	limpet_end_release(&host);
}

/* It also does not remove the condition of the wait: here space, for which no event is sent. */
static void test_stale_and_space(void **state)
{
	static char data[RING];
	word came;

	(void)state;
	message_put();
	assert_int_equal(channel_wait(channel.bit), channel.bit); /* the message stays pending */
	while (!channel_send(&channel, data, channel_max(&channel)))
		;
	pending = CHANNEL_TIME;
	in_block = space_comes;
	assert_int_equal(until(BEGIN + 400, &came), 0);
	assert_int_equal(came, channel.bit);
	assert_int_equal(now, BEGIN + 400);
}

static void test_another_thread(void **state)
{
	word came;

	(void)state;
	stranger = true;
	assert_int_equal(until(BEGIN + 700, &came), LIMPET_ESTATE);
	assert_int_equal(came, 0);
	assert_int_equal(channel_wait(channel.bit), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_no_thread_needed, setup),
		cmocka_unit_test_setup(test_no_thread, setup),
		cmocka_unit_test_setup(test_thread_late, setup),
		cmocka_unit_test_setup(test_time, setup),
		cmocka_unit_test_setup(test_message_first, setup),
		cmocka_unit_test_setup(test_stale, setup),
		cmocka_unit_test_setup(test_stale_and_space, setup),
		cmocka_unit_test_setup(test_another_thread, setup),
	};

	return cmocka_run_group_tests_name("channel-until", tests, NULL, NULL);
}
