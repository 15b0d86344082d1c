// SPDX-License-Identifier: GPL-2.0
/* Tests liblimpet's channels on plain memory, with the component's end in the same process and a wrapped ioctl(). */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <client/channel.h>

#define RING 4096u
#define STOPS 3u
#define LIFE ((STOPS + 1) << 16)

#define READY 1000 /* not a descriptor: see __wrap_ioctl() */

static uint64_t waited; /* argument of the last LIMPET_NODE_WAIT */
static char memory[LIMPET_CHANNEL_PAGE + 2 * RING] __attribute__((aligned(4096)));
static struct limpet_channel ours;
static struct limpet_end theirs;

static struct limpet_channel_header *header(void)
{
	return (void *)memory;
}

static struct limpet_end end_of(struct limpet_side *self, struct limpet_side *peer, char *out,
				const char *in)
{
	return (struct limpet_end){
		.self = self, .peer = peer, .out = out, .in = in, .out_size = RING, .in_size = RING
	};
}

/* Sets the same values as limpet_channel_open(). There is no node, so notifications are lost. */
static void ours_open(uint32_t mode)
{
	char *rings = memory + LIMPET_CHANNEL_PAGE;

	memset(&ours, 0, sizeof(ours));
	ours.fd = -1;
	ours.memory = memory;
	ours.info = (struct limpet_node_info){
		.mode = mode, .to_linux = RING, .to_component = RING, .stops = STOPS
	};
	ours.end = end_of(&header()->host, &header()->component, rings + RING, rings);
	limpet_end_adopt(&ours.end, mode == LIMPET_CHANNEL_BYTES ? 1 : LIMPET_MESSAGE_HEADER);
}

static void theirs_open(uint32_t generation)
{
	char *rings = memory + LIMPET_CHANNEL_PAGE;

	theirs = end_of(&header()->component, &header()->host, rings, rings + RING);
	limpet_end_begin(&theirs, generation);
}

static int setup(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	ours_open(LIMPET_CHANNEL_MESSAGES);
	theirs_open(LIFE);
	limpet_channel_connected(&ours);
	limpet_end_connected(&theirs);
	return 0;
}

static void theirs_send(const char *text)
{
	char *to = limpet_end_reserve(&theirs, strlen(text));

	assert_non_null(to);
	memcpy(to, text, strlen(text));
	limpet_end_commit(&theirs, strlen(text));
}

static void theirs_hear(const char *text)
{
	uint64_t length;
	const char *from = limpet_end_peek(&theirs, &length);

	assert_non_null(from);
	assert_int_equal(length, strlen(text));
	assert_memory_equal(from, text, length);
	limpet_end_release(&theirs);
}

static void messages_go_both_ways(void **state)
{
	char buffer[16];

	(void)state;
	assert_int_equal(limpet_channel_send(&ours, "there", 5, 0), 0);
	theirs_hear("there");
	theirs_send("and back");
	assert_int_equal(limpet_channel_receive(&ours, buffer, 4, 0), -EMSGSIZE);
	assert_int_equal(limpet_channel_receive(&ours, buffer, sizeof(buffer), 0), 8);
	assert_memory_equal(buffer, "and back", 8);
}

static void a_message_fits_or_is_refused(void **state)
{
	static char message[RING];

	(void)state;
	assert_int_equal(limpet_channel_max(&ours), RING / 2 - 8);
	assert_int_equal(limpet_channel_send(&ours, message, RING / 2 - 7, 0), -EMSGSIZE);
	assert_int_equal(limpet_channel_send(&ours, message, RING / 2 - 8, 0), 0);
	assert_int_equal(limpet_channel_send(&ours, message, RING / 2 - 8, 0), 0);
	assert_null(limpet_channel_reserve(&ours, 1));
}

static void nothing_moves_before_both_have_seen_each_other(void **state)
{
	uint64_t length;

	(void)state;
	memset(memory, 0, sizeof(memory));
	ours_open(LIMPET_CHANNEL_MESSAGES);
	assert_null(limpet_channel_reserve(&ours, 1));
	theirs_open(LIFE);
	assert_null(limpet_channel_reserve(&ours, 1)); /* it has not seen this side yet */
	assert_null(limpet_channel_peek(&ours, &length));
	assert_true(limpet_end_connected(&theirs));
	assert_non_null(limpet_channel_reserve(&ours, 1));
}

static void the_next_process_continues(void **state)
{
	char buffer[16];

	(void)state;
	limpet_channel_send(&ours, "first", 5, 0);
	theirs_send("left");
	ours_open(LIMPET_CHANNEL_MESSAGES);
	assert_int_equal(limpet_channel_send(&ours, "second", 6, 0), 0);
	theirs_hear("first");
	theirs_hear("second");
	assert_int_equal(limpet_channel_receive(&ours, buffer, sizeof(buffer), 0), 4);
}

static void adopts_with(uint64_t head, uint64_t tail, uint32_t generation, bool continues)
{
	const uint32_t next = limpet_generation_after(generation);

	header()->host.head = head;
	header()->host.tail = tail;
	header()->host.generation = generation;
	header()->host.seen = header()->component.generation;
	header()->component.seen = generation;
	ours_open(LIMPET_CHANNEL_MESSAGES);
	assert_int_equal(ours.end.generation, continues ? generation : next);
	assert_int_equal(ours.end.head, continues ? head : 0);
	assert_int_equal(ours.end.tail, continues ? tail : 0);
}

static void nonsense_is_not_continued(void **state)
{
	(void)state;
	header()->component.head = 64;
	header()->component.tail = 128;
	adopts_with(128 + RING, 64, 7, true);
	adopts_with(128, 0, 7, true);
	adopts_with(128 + RING + 8, 64, 7, false);
	adopts_with(120, 64, 7, false);
	adopts_with(128, 72, 7, false);
	adopts_with(132, 64, 7, false); /* no message starts there */
	adopts_with(128, 60, 7, false);
	adopts_with(128, 64, 0, false);
	adopts_with(~0ul, 64, ~0u, false);
}

static void another_life_is_not_this_one(void **state)
{
	char buffer[16];

	(void)state;
	theirs_send("what it left");
	assert_int_equal(limpet_channel_receive(&ours, buffer, sizeof(buffer), 0), 12);
	theirs_open(LIFE + (1 << 16));
	assert_false(limpet_channel_connected(&ours));
	assert_null(limpet_channel_reserve(&ours, 1));
	assert_int_equal(header()->host.seen, LIFE);
}

static void this_life_can_restart(void **state)
{
	(void)state;
	limpet_channel_send(&ours, "lost", 4, 0);
	theirs_open(LIFE + 1);
	assert_false(limpet_channel_connected(&ours));
	assert_true(limpet_end_connected(&theirs));
	assert_int_equal(limpet_channel_send(&ours, "then", 4, 0), 0);
	theirs_hear("then");
}

/* Answers LIMPET_NODE_WAIT of READY immediately, as if a component woke the process without writing data. */
int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	if (fd != READY || request != LIMPET_NODE_WAIT)
		return __real_ioctl(fd, request, argument);
	waited = (uintptr_t)argument;
	usleep(100);
	return 0;
}

static void time_limits_hold_against_the_component(void **state)
{
	char buffer[16];

	(void)state;
	ours.fd = READY;
	assert_int_equal(limpet_channel_receive(&ours, buffer, sizeof(buffer), 0), -EAGAIN);
	assert_int_equal(waited, LIMPET_SLEEP_DATA | LIMPET_NODE_WAIT_MS(0));
	assert_int_equal(limpet_channel_receive(&ours, buffer, sizeof(buffer), 20), -EAGAIN);
	assert_int_equal(waited, LIMPET_SLEEP_DATA | LIMPET_NODE_WAIT_MS(0));
	ours_open(LIMPET_CHANNEL_BYTES);
	ours.fd = READY;
	assert_int_equal(limpet_channel_take(&ours, buffer, sizeof(buffer), 20), -EAGAIN);
	limpet_channel_wait(&ours, LIMPET_SLEEP_SPACE, 7);
	assert_int_equal(waited, LIMPET_SLEEP_SPACE | LIMPET_NODE_WAIT_MS(7));
	limpet_channel_wait(&ours, LIMPET_SLEEP_SPACE, -1);
	assert_int_equal(waited, LIMPET_SLEEP_SPACE);
}

static void bytes_go_round_the_ring(void **state)
{
	static char out[3000], in[3000];

	(void)state;
	memset(memory, 0, sizeof(memory));
	ours_open(LIMPET_CHANNEL_BYTES);
	theirs_open(LIFE);
	limpet_channel_connected(&ours);
	limpet_end_connected(&theirs);
	assert_true(limpet_channel_connected(&ours));
	for (int round = 0; round < 10; round++) {
		uint64_t length;
		long got = 0;

		memset(out, 'a' + round, sizeof(out));
		assert_int_equal(limpet_channel_put(&ours, out, sizeof(out), 0), sizeof(out));
		for (int piece = 0; piece < 2; piece++) {
			const char *from = limpet_end_bytes(&theirs, &length);

			memcpy(in + got, from, length);
			limpet_end_take(&theirs, length);
			got += (long)length;
		}
		assert_int_equal(got, sizeof(out));
		assert_memory_equal(in, out, sizeof(out));
	}
	assert_int_equal(limpet_channel_put(&ours, memory, 2 * RING, 0), RING);
	assert_int_equal(limpet_channel_send(&ours, out, 8, 0), -EINVAL);
}

static void what_is_no_channel_is_refused(void **state)
{
	struct limpet_channel c;
	char path[32];
	int fd = memfd_create("no channel", 0);

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(limpet_channel_open(&c, path), -EPROTO);
	assert_int_equal(limpet_channel_open(&c, "/nowhere/at-all"), -ENOENT);
	assert_int_equal(limpet_channel_open(&c, "there-is-no-channel-of-that-name"), -ENOENT);
	assert_null(limpet_channel_memory(&ours, &(size_t){ 0 }));
	assert_int_equal(limpet_channel_put(&ours, "x", 1, 0), -EINVAL);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(messages_go_both_ways, setup),
		cmocka_unit_test_setup(a_message_fits_or_is_refused, setup),
		cmocka_unit_test_setup(nothing_moves_before_both_have_seen_each_other, setup),
		cmocka_unit_test_setup(the_next_process_continues, setup),
		cmocka_unit_test_setup(nonsense_is_not_continued, setup),
		cmocka_unit_test_setup(another_life_is_not_this_one, setup),
		cmocka_unit_test_setup(this_life_can_restart, setup),
		cmocka_unit_test_setup(time_limits_hold_against_the_component, setup),
		cmocka_unit_test_setup(bytes_go_round_the_ring, setup),
		cmocka_unit_test_setup(what_is_no_channel_is_refused, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
