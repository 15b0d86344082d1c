// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests lib/channel, a component's end of its channels. The test simulates Linux, with its own end,
 * and the kernel. The pages around the channels' memory cannot be accessed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <channel/channel.h>
#include <runtime/component.h>

#define RING 4096u
#define CHANNELS 4
#define CHANNEL_SLOT 40
enum { MESSAGES, BYTES, SHARED, SINK };

static struct limpet_info_channel infos[CHANNELS] = {
	[MESSAGES] = { "talk", LIMPET_CHANNEL_MESSAGES, RING, RING, 32, 0, 0, 0, 0 },
	[BYTES] = { "stream", LIMPET_CHANNEL_BYTES, RING, 2 * RING, 33, 0, 0, 0, 0 },
	[SHARED] = { "picture", LIMPET_CHANNEL_SHARED, 3 * RING, 0, 34, 0, 0, 0, 0 },
	[SINK] = { "sink", LIMPET_CHANNEL_MESSAGES, 0, RING, 35, 0, 0, 0, 0 },
};
extern struct limpet_info own asm("__limpet_info");
struct limpet_info own = { .channels = CHANNELS,
			   .channel_info = (uint64_t)infos,
			   .channel_slot = CHANNEL_SLOT };
static char printed[200];

static struct limpet_channel channel[CHANNELS];
static struct limpet_end host[CHANNELS]; /* Linux's ends */
static unsigned int notified[CHANNELS];
static word stops, pending; /* of all channels; of the endpoint */
static long receive_status;
static word receive_flags;
static unsigned int receives;
static void (*asleep)(void); /* action of Linux while the component waits */
static uint64_t seed;

static uint64_t dice(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

void limpet_print(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(printed, sizeof(printed), format, values);
	va_end(values);
}

uint64_t limpet_time(void)
{
	return 1000;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_CHANNEL_STATE:
		assert_int_equal(in[1], LIMPET_CHANNEL_STOPS);
		out->w0 = stops;
		return LIMPET_OK;
	case LIMPET_CALL_CHANNEL_NOTIFY:
		assert_in_range(in[0], CHANNEL_SLOT, CHANNEL_SLOT + CHANNELS - 1);
		notified[in[0] - CHANNEL_SLOT]++;
		return LIMPET_OK;
	}
	assert_int_equal(op, LIMPET_CALL(LIMPET_CALL_ENDPOINT_RECEIVE));
	assert_int_equal(in[0], LIMPET_SLOT_ENDPOINT);
	assert_int_equal(in[1], 0);
	receives++;
	receive_flags = in[2];
	if (!in[2] && asleep)
		asleep();
	out->w0 = pending;
	pending = 0;
	return in[2] && !out->w0 ? LIMPET_EEMPTY : receive_status;
}

static struct limpet_channel_header *header_of(unsigned int n)
{
	return (struct limpet_channel_header *)infos[n].address;
}

static uint64_t size_of(unsigned int n)
{
	return LIMPET_CHANNEL_PAGE + infos[n].to_linux + infos[n].to_component;
}

static void memory_make(unsigned int n)
{
	char *all = mmap(NULL, size_of(n) + 2 * LIMPET_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	assert_true(all != MAP_FAILED);
	infos[n].address = (uint64_t)all + LIMPET_PAGE;
	assert_false(mprotect(all + LIMPET_PAGE, size_of(n), PROT_READ | PROT_WRITE));
}

/* Starts Linux's end, with its side of the header and the rings swapped. */
static void host_begin(unsigned int n, uint32_t generation)
{
	struct limpet_channel_header *header = header_of(n);
	char *rings = (char *)header + LIMPET_CHANNEL_PAGE;

	host[n] = (struct limpet_end){ .self = &header->host,
				       .peer = &header->component,
				       .out = rings + infos[n].to_linux,
				       .in = rings,
				       .out_size = infos[n].to_component,
				       .in_size = n == SHARED ? 0 : infos[n].to_linux };
	limpet_end_begin(&host[n], generation);
}

static int setup(void **state)
{
	(void)state;
	stops = pending = receives = 0;
	receive_status = LIMPET_OK;
	asleep = NULL;
	seed = 0x123456789;
	memset(notified, 0, sizeof(notified));
	for (unsigned int n = 0; n < CHANNELS; n++) {
		if (!infos[n].address)
			memory_make(n);
		memset(header_of(n), 0, size_of(n));
		assert_int_equal(channel_open(&channel[n], infos[n].name), 0);
	}
	return 0;
}

static void peer_connect(unsigned int n)
{
	host_begin(n, 7);
	limpet_end_connected(&host[n]);
	assert_true(channel_connected(&channel[n]));
	assert_true(limpet_end_connected(&host[n]));
	notified[n] = 0;
}

static int setup_connected(void **state)
{
	setup(state);
	for (unsigned int n = 0; n < CHANNELS; n++)
		peer_connect(n);
	return 0;
}

static void test_open(void **state)
{
	struct limpet_channel c;

	(void)state;
	assert_int_equal(channel_open(&c, "tal"), LIMPET_ENOENT);
	assert_int_equal(channel_open(&c, "talk2"), LIMPET_ENOENT);
	assert_int_equal(channel_open_index(&c, CHANNELS), LIMPET_ENOENT);
	for (unsigned int n = 0; n < CHANNELS; n++) {
		assert_int_equal(notified[n], 1); /* Linux's side is notified of the peer */
		assert_int_equal(channel[n].slot, CHANNEL_SLOT + n);
		assert_int_equal(channel[n].bit, 1ul << (32 + n));
		assert_int_equal(header_of(n)->component.generation, 1u << 16);
	}
}

static void test_open_argument(void **state)
{
	struct limpet_channel c;

	(void)state;
	printed[0] = 0;
	assert_int_equal(channel_open_argument(&c), 0);
	assert_ptr_equal(c.info, &infos[0]);
	own.args = 1;
	own.arg[0] = (struct limpet_info_arg){ .name = "channel", .text = "sink" };
	assert_int_equal(channel_open_argument(&c), 0);
	assert_ptr_equal(c.info, &infos[SINK]);
	assert_string_equal(printed, "");
	strcpy(own.arg[0].text, "drain");
	assert_int_equal(channel_open_argument(&c), LIMPET_ENOENT);
	assert_non_null(strstr(printed, "the component has no channel 'drain'. Name it"));
	own.args = own.channels = 0;
	assert_int_equal(channel_open_argument(&c), LIMPET_ENOENT);
	assert_non_null(strstr(printed, "the component has no channel. Name it"));
	own.channels = CHANNELS;
}

/* Each life of the component, and each opening in one, has a different generation. */
static void test_generations(void **state)
{
	static const struct {
		word stops;
		uint32_t generation;
	} life[] = { { 0, 0x10001 }, { 1, 0x20000 }, { 1, 0x20001 },
		     { 2, 0x30000 }, { 0xffff, 1 },  { 0x10000, 0x10000 } };

	(void)state;
	for (unsigned int i = 0; i < array_size(life); i++) {
		stops = life[i].stops;
		assert_int_equal(channel_open_index(&channel[MESSAGES], MESSAGES), 0);
		assert_int_equal(header_of(MESSAGES)->component.generation, life[i].generation);
	}
}

static void test_no_peer(void **state)
{
	char buffer[16];
	uint64_t length;

	(void)state;
	for (unsigned int n = 0; n < CHANNELS; n++) {
		struct limpet_channel *c = &channel[n];

		assert_int_equal(channel_peer(c), 0);
		assert_null(channel_peek(c, &length));
		assert_null(channel_reserve(c, 1));
		assert_int_equal(channel_receive(c, buffer, sizeof(buffer)), LIMPET_EEMPTY);
		assert_int_equal(channel_put(c, "x", 1), LIMPET_ESTATE);
		assert_int_equal(channel_take(c, buffer, sizeof(buffer)), LIMPET_EEMPTY);
		assert_int_equal(channel_events(c), 0);
	}
	assert_int_equal(channel_send(&channel[MESSAGES], "x", 1), LIMPET_ESTATE);
}

/* A side that sees the other one start announces it once. */
static void test_connect(void **state)
{
	struct limpet_channel *c = &channel[MESSAGES];

	(void)state;
	host_begin(MESSAGES, 9);
	limpet_end_connected(&host[MESSAGES]);
	assert_true(channel_connected(c));
	assert_int_equal(notified[MESSAGES], 2);
	assert_int_equal(header_of(MESSAGES)->component.seen, 9);
	assert_int_equal(channel_peer(c), 9);
	assert_true(channel_connected(c));
	assert_int_equal(notified[MESSAGES], 2);
	host_begin(MESSAGES, 10);
	assert_int_equal(channel_peer(c), 0); /* it has not seen this side yet */
	limpet_end_connected(&host[MESSAGES]);
	assert_int_equal(channel_peer(c), 10);
	limpet_end_begin(&host[MESSAGES], 0); /* Linux closes its end */
	assert_int_equal(channel_peer(c), 0);
	assert_int_equal(notified[MESSAGES], 4);
}

static void test_limits(void **state)
{
	static char data[RING];
	struct limpet_channel *c = &channel[MESSAGES];
	uint64_t max = channel_max(c), length;

	(void)state;
	assert_int_equal(max, RING / 2 - 8);
	assert_int_equal(channel_max(&channel[SINK]), 0);
	assert_int_equal(channel_send(&channel[SINK], data, 1), LIMPET_ERANGE);
	assert_null(channel_reserve(&channel[SINK], 0));
	assert_int_equal(channel_send(c, data, max + 1), LIMPET_ERANGE);
	assert_int_equal(channel_send(c, data, max), 0);
	assert_int_equal(channel_send(c, data, max), 0);
	assert_int_equal(channel_send(c, data, 0), LIMPET_EFULL);
	assert_non_null(limpet_end_peek(&host[MESSAGES], &length));
	assert_int_equal(length, max);
	limpet_end_release(&host[MESSAGES]);
	assert_int_equal(channel_send(c, data, 0), 0);
	memset(limpet_end_reserve(&host[MESSAGES], 100), 5, 100);
	limpet_end_commit(&host[MESSAGES], 100);
	assert_int_equal(channel_receive(c, data, 99), LIMPET_ERANGE);
	assert_int_equal(channel_receive(c, data, 100), 100);
	assert_int_equal(data[99], 5);
	assert_int_equal(channel_receive(c, data, 100), LIMPET_EEMPTY);
}

/* Makes message `number`, of random length. Its content identifies it. */
static uint64_t message_make(uint8_t *data, uint64_t number)
{
	uint64_t length = number * 37 % (RING / 2 - 7);

	for (uint64_t i = 0; i < length; i++)
		data[i] = (uint8_t)(number + i * 3);
	return length;
}

static void message_check(const void *data, uint64_t length, uint64_t number)
{
	static uint8_t wanted[RING];

	assert_int_equal(length, message_make(wanted, number));
	assert_memory_equal(data, wanted, length);
}

static void test_messages(void **state)
{
	static uint8_t data[RING];
	struct limpet_channel *c = &channel[MESSAGES];
	uint64_t sent = 0, received = 0, given = 0, taken = 0, length;

	(void)state;
	for (unsigned int i = 0; i < 40000; i++) {
		const void *message;
		void *space;

		switch (dice(4)) {
		case 0:
			sent += channel_send(c, data, message_make(data, sent)) == 0;
			break;
		case 1:
			if (!(message = limpet_end_peek(&host[MESSAGES], &length)))
				break;
			message_check(message, length, received++);
			limpet_end_release(&host[MESSAGES]);
			break;
		case 2:
			length = message_make(data, given);
			if (!(space = limpet_end_reserve(&host[MESSAGES], length)))
				break;
			memcpy(space, data, length);
			limpet_end_commit(&host[MESSAGES], length);
			given++;
			break;
		default:
			if ((long)(length = channel_receive(c, data, sizeof(data))) >= 0)
				message_check(data, length, taken++);
		}
	}
	assert_true(sent > 5000 && given > 5000);
	assert_in_range(sent - received, 0, RING / 8);
	assert_in_range(given - taken, 0, RING / 8);
	assert_int_equal(notified[MESSAGES], 0); /* Linux never waited */
}

static void test_bytes(void **state)
{
	static uint8_t data[3 * RING];
	struct limpet_channel *c = &channel[BYTES];
	uint64_t sent = 0, received = 0, given = 0, taken = 0, length;

	(void)state;
	assert_int_equal(channel_put(c, data, 0), 0);
	assert_int_equal(channel_take(c, data, 10), LIMPET_EEMPTY);
	for (unsigned int i = 0; i < 20000; i++) {
		uint64_t wanted = dice(RING * 3 / 2);
		const uint8_t *in = (const uint8_t *)limpet_end_bytes(&host[BYTES], &length);
		uint8_t *space;
		long done;

		length = length < wanted ? length : wanted;
		length = dice(2) ? length : 0;
		for (uint64_t at = 0; at < length; at++) {
			assert_int_equal(in[at], (uint8_t)received++);
			limpet_end_take(&host[BYTES], 1);
		}
		for (uint64_t at = 0; at < wanted; at++)
			data[at] = (uint8_t)(sent + at);
		done = channel_put(c, data, wanted);
		assert_true(done > 0 || done == (wanted ? LIMPET_EFULL : 0));
		sent += done > 0 ? (uint64_t)done : 0;
		assert_true(done <= 0 || (uint64_t)done == wanted ||
			    limpet_end_filled(&c->end) == RING);
		space = (uint8_t *)limpet_end_space(&host[BYTES], &length);
		length = length < wanted ? length : wanted;
		for (uint64_t at = 0; at < length; at++)
			space[at] = (uint8_t)given++;
		limpet_end_put(&host[BYTES], length);
		done = channel_take(c, data, dice(2 * RING));
		for (long at = 0; at < done; at++)
			assert_int_equal(data[at], (uint8_t)taken++);
	}
	assert_true(received > 100000 && taken > 100000);
	assert_in_range(sent - received, 0, RING);
}

/*
 * A second message causes no second kernel call while the peer does not wait. A peer waits for
 * data, or for space.
 */
static void test_notified_when_it_waits(void **state)
{
	struct limpet_channel *c = &channel[MESSAGES];
	uint64_t length;

	(void)state;
	channel_send(c, "a", 1);
	assert_int_equal(notified[MESSAGES], 0);
	limpet_end_sleep(&host[MESSAGES], LIMPET_SLEEP_DATA);
	channel_reserve(c, 1);
	channel_commit_more(c, 1);
	assert_int_equal(notified[MESSAGES], 0);
	channel_send(c, "c", 1);
	assert_int_equal(notified[MESSAGES], 1);
	limpet_end_reserve(&host[MESSAGES], 1);
	limpet_end_commit(&host[MESSAGES], 1);
	assert_non_null(channel_peek(c, &length));
	channel_release(c);
	assert_int_equal(notified[MESSAGES], 1);
	limpet_end_sleep(&host[MESSAGES], LIMPET_SLEEP_SPACE);
	limpet_end_reserve(&host[MESSAGES], 1);
	limpet_end_commit(&host[MESSAGES], 1);
	assert_non_null(channel_peek(c, &length));
	channel_release(c);
	assert_int_equal(notified[MESSAGES], 2);
}

static void test_shared_and_events(void **state)
{
	struct limpet_channel *c = &channel[SHARED];
	uint64_t size;
	char *memory = channel_memory(c, &size);

	(void)state;
	assert_int_equal(size, 3 * RING);
	memset(memory, 1, size); /* all of it can be accessed */
	channel_memory(&channel[MESSAGES], &size);
	assert_int_equal(size, 0);
	assert_int_equal(channel_events(c), 0);
	for (unsigned int i = 0; i < 5; i++)
		limpet_end_event(&host[SHARED]);
	assert_int_equal(channel_events(c), 5);
	assert_int_equal(channel_events(c), 0);
	channel_event(c);
	channel_event(c);
	assert_int_equal(notified[SHARED], 2);
	assert_int_equal(limpet_end_events(&host[SHARED]), 2);
}

/* Messages in flight are lost in both directions when either side restarts. */
static void test_restarts(void **state)
{
	struct limpet_channel *c = &channel[MESSAGES];
	uint64_t length;

	(void)state;
	channel_send(c, "old", 3);
	limpet_end_reserve(&host[MESSAGES], 3);
	limpet_end_commit(&host[MESSAGES], 3);
	host_begin(MESSAGES, 8);
	assert_null(channel_peek(c, &length));
	limpet_end_connected(&host[MESSAGES]);
	assert_int_equal(channel_peer(c), 8);
	assert_null(channel_peek(c, &length));
	assert_true(limpet_end_connected(&host[MESSAGES]));
	assert_null(limpet_end_peek(&host[MESSAGES], &length));
	stops = 1;
	channel_send(c, "old", 3);
	assert_int_equal(channel_open(c, "talk"), 0);
	assert_false(channel_connected(c));
	limpet_end_connected(&host[MESSAGES]);
	assert_true(channel_connected(c));
	assert_null(limpet_end_peek(&host[MESSAGES], &length));
	assert_int_equal(channel_send(c, "new", 3), 0);
	assert_non_null(limpet_end_peek(&host[MESSAGES], &length));
}

static void test_nonsense(void **state)
{
	struct limpet_channel *c = &channel[MESSAGES];
	uint64_t length;

	(void)state;
	header_of(MESSAGES)->host.head = RING + 1;
	assert_null(channel_peek(c, &length));
	assert_int_equal(c->end.broken, 1);
	assert_false(channel_connected(c));
	assert_int_equal(notified[MESSAGES], 1); /* it must see the new generation */
	assert_int_equal(header_of(MESSAGES)->component.generation, 0x10001);
	header_of(MESSAGES)->host.tail = 12345;
	assert_null(channel_reserve(c, 1));
	limpet_end_connected(&host[MESSAGES]);
	assert_true(channel_connected(c));
	assert_int_equal(channel_send(c, "x", 1), 0);
}

/* --- waiting */

static void message_comes(void)
{
	assert_int_equal(header_of(MESSAGES)->component.sleeping, LIMPET_SLEEP_DATA);
	assert_int_equal(header_of(BYTES)->component.sleeping, 0); /* not part of the wait */
	limpet_end_reserve(&host[MESSAGES], 1);
	limpet_end_commit(&host[MESSAGES], 1);
	pending = channel[MESSAGES].bit | 1;
}

static void test_wait(void **state)
{
	struct limpet_channel *c = &channel[MESSAGES];
	uint64_t length;

	(void)state;
	asleep = message_comes;
	assert_int_equal(channel_wait(c->bit), c->bit | 1);
	assert_int_equal(header_of(MESSAGES)->component.sleeping, 0);
	assert_int_equal(receive_flags, 0);
	/* A pending message prevents the wait, and other events still arrive. */
	pending = 6;
	assert_int_equal(channel_wait(c->bit), c->bit | 6);
	assert_int_equal(receive_flags, LIMPET_NOWAIT);
	assert_int_equal(channel_wait(c->bit | channel[BYTES].bit), c->bit);
	channel_peek(c, &length);
	channel_release(c);
	receive_status = LIMPET_ESTATE;
	asleep = NULL;
	pending = 6;
	assert_int_equal(channel_wait(c->bit), 0); /* the endpoint belongs to another thread */
}

static void space_comes(void)
{
	uint64_t length;

	assert_int_equal(header_of(MESSAGES)->component.sleeping,
			 LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE);
	limpet_end_peek(&host[MESSAGES], &length);
	limpet_end_release(&host[MESSAGES]);
}

/* Without space, old messages do not keep the thread awake. Space and new messages do. */
static void test_wait_for_space(void **state)
{
	static char data[RING];
	struct limpet_channel *c = &channel[MESSAGES];
	uint64_t max = channel_max(c);

	(void)state;
	limpet_end_reserve(&host[MESSAGES], 1);
	limpet_end_commit(&host[MESSAGES], 1);
	assert_int_equal(channel_wait(c->bit), c->bit);
	for (unsigned int i = 0; i < 2; i++)
		channel_send(c, data, max);
	assert_int_equal(channel_send(c, data, 100), LIMPET_EFULL);
	asleep = space_comes;
	assert_int_equal(channel_wait(c->bit), 0); /* this test's Linux sends no event */
	assert_int_equal(receive_flags, 0);
	assert_int_equal(channel_send(c, data, max), 0);
	assert_null(channel_reserve(c, 100));
	/* Space becomes available between the check and the wait. */
	limpet_end_peek(&host[MESSAGES], &max);
	limpet_end_release(&host[MESSAGES]);
	assert_int_equal(channel_wait(c->bit), c->bit);
	assert_int_equal(receive_flags, LIMPET_NOWAIT);
	assert_int_equal(channel_send(c, data, 100), 0);
	assert_null(channel_reserve(c, channel_max(c)));
	limpet_end_reserve(&host[MESSAGES], 1);
	limpet_end_commit(&host[MESSAGES], 1);
	assert_int_equal(channel_wait(c->bit), c->bit);
}

/* Events wake the thread once, whether or not they are read. A new peer does, too. */
static void test_wait_for_others(void **state)
{
	struct limpet_channel *c = &channel[SHARED];

	(void)state;
	limpet_end_event(&host[SHARED]);
	assert_int_equal(channel_wait(c->bit), c->bit);
	assert_int_equal(channel_wait(c->bit), 0);
	limpet_end_event(&host[SHARED]);
	assert_int_equal(channel_wait(c->bit), c->bit);
	assert_int_equal(channel_events(c), 2);
	host_begin(SHARED, 99);
	assert_int_equal(channel_wait(c->bit), c->bit);
	assert_int_equal(channel_wait(c->bit), 0);
	assert_int_equal(receives, 5);
}

/*
 * Linux writes random values to all shared memory. The component stays in bounds, does not loop, and returns valid
 * lengths.
 */
static void test_hostile(void **state)
{
	static char buffer[4 * RING];

	(void)state;
	for (unsigned int i = 0; i < 300000; i++) {
		unsigned int n = (unsigned int)dice(CHANNELS);
		struct limpet_channel *c = &channel[n];
		uint64_t at = dice(3) ? sizeof(struct limpet_channel_header) : size_of(n);
		uint64_t *word_at = (uint64_t *)header_of(n) + dice(at / 8), length = 0;
		const uint8_t *message;
		long done;

		*word_at = dice(3) ? dice(3 * RING) : dice(~0ul);
		if (!dice(50)) {
			host_begin(n, 1 + (uint32_t)dice(1000));
			limpet_end_connected(&host[n]);
		}
		message = channel_peek(c, &length);
		if (message) {
			assert_true(length <= infos[n].to_component - 8);
			buffer[0] ^= message[length ? length - 1 : 0];
			channel_release(c);
		}
		done = channel_receive(c, buffer, sizeof(buffer));
		assert_true(done <= (long)infos[n].to_component);
		done = channel_take(c, buffer, dice(sizeof(buffer)));
		assert_true(done <= (long)infos[n].to_component);
		done = channel_put(c, buffer, dice(sizeof(buffer)));
		assert_true(done <= (n == SHARED ? 0 : (long)infos[n].to_linux));
		channel_send(c, buffer, dice(RING));
		channel_events(c);
		channel_wait(dice(16) << 32);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_open, setup),
		cmocka_unit_test_setup(test_open_argument, setup),
		cmocka_unit_test_setup(test_generations, setup),
		cmocka_unit_test_setup(test_no_peer, setup),
		cmocka_unit_test_setup(test_connect, setup),
		cmocka_unit_test_setup(test_limits, setup_connected),
		cmocka_unit_test_setup(test_messages, setup_connected),
		cmocka_unit_test_setup(test_bytes, setup_connected),
		cmocka_unit_test_setup(test_notified_when_it_waits, setup_connected),
		cmocka_unit_test_setup(test_shared_and_events, setup_connected),
		cmocka_unit_test_setup(test_restarts, setup_connected),
		cmocka_unit_test_setup(test_nonsense, setup_connected),
		cmocka_unit_test_setup(test_wait, setup_connected),
		cmocka_unit_test_setup(test_wait_for_space, setup_connected),
		cmocka_unit_test_setup(test_wait_for_others, setup_connected),
		cmocka_unit_test_setup(test_hostile, setup_connected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
