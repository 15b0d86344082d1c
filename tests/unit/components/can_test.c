// SPDX-License-Identifier: BSD-2-Clause
/* Tests component can: its queues, filters and states, and its reactions to honest, slow, hostile and new proxies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <export/can.h>
#include <import/sched.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include "../sched_objects.h"
#include "can.h"

#define RING 4096u
#define MEMORY (LIMPET_CHANNEL_PAGE + 2 * RING)
#define TICKS 1000000u /* per ms, so a tick is a ns */
#define ALICE 5u       /* badges */
#define BOB 6u

extern struct limpet_info can_info asm("__limpet_info");
struct limpet_info can_info;

static struct limpet_info_channel channel_info;
static struct limpet_channel channel;
static struct limpet_end linux_end;
static char *memory;
static uint64_t now;
static unsigned int stops, kicks;
static char printed[4096];
static void (*meanwhile)(void); /* action while a call waits; NULL: it waits until the deadline */

/* --- functions that the component calls */

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	(void)in;
	*out = (struct limpet_out){ op == LIMPET_CALL(LIMPET_CALL_CHANNEL_STATE) ? stops : 0, 0,
				    0 };
	kicks += op == LIMPET_CALL(LIMPET_CALL_ENDPOINT_SEND);
	return LIMPET_OK;
}

unsigned int limpet_thread_id(void)
{
	return 3;
}

uint64_t limpet_time(void)
{
	return now;
}

void limpet_print(const char *format, ...)
{
	size_t length = strlen(printed);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(printed + length, sizeof(printed) - length, format, arguments);
	va_end(arguments);
}

long sched_resume(word thread)
{
	return (long)thread;
}

long sched_resume_best(word threads, word first)
{
	return (long)first + __builtin_ctzl(threads);
}

long sched_priority(word thread, word priority)
{
	(void)thread;
	return (long)priority;
}

long sched_suspend_for(word owner, word deadline)
{
	assert_int_equal(owner, 0);
	assert_int_equal(can.lock.owner, 0);
	if (meanwhile) {
		meanwhile();
		return LIMPET_OK;
	}
	now = deadline;
	return LIMPET_ETIME;
}

/* --- the proxy's end */

static void say(const void *message, size_t size)
{
	char *space = limpet_end_connected(&linux_end) ? limpet_end_reserve(&linux_end, size)
						       : NULL;

	assert_non_null(space);
	memcpy(space, message, size);
	limpet_end_commit(&linux_end, size);
}

static void say_status(uint32_t flags, uint32_t unsent, uint32_t missed)
{
	const struct limpet_can_status status = { LIMPET_CAN_STATUS, flags, unsent, missed };

	say(&status, sizeof(status));
	bus_turn(&channel);
}

static struct limpet_can_frame frame_of(uint32_t id, const char *text)
{
	struct limpet_can_frame frame = { .what = LIMPET_CAN_FRAME, .id = id, .time = now };

	frame.length = (uint32_t)strlen(text);
	memcpy(frame.data, text, frame.length < LIMPET_CAN_DATA ? frame.length : LIMPET_CAN_DATA);
	return frame;
}

static void say_frame(uint32_t id, const char *text)
{
	const struct limpet_can_frame frame = frame_of(id, text);

	say(&frame, sizeof(frame));
	bus_turn(&channel);
}

/* Reads a frame that the component has sent. Returns false if there is no frame. */
static bool hear(struct limpet_can_frame *frame)
{
	uint64_t length;
	const void *at = limpet_end_connected(&linux_end) ? limpet_end_peek(&linux_end, &length)
							  : NULL;

	if (!at)
		return false;
	assert_int_equal(length, sizeof(*frame));
	memcpy(frame, at, sizeof(*frame));
	limpet_end_release(&linux_end);
	return true;
}

/* Starts a proxy that has the channel open and has sent nothing yet. */
static void proxy_begin(uint32_t generation)
{
	struct limpet_channel_header *header = (void *)memory;
	char *rings = memory + LIMPET_CHANNEL_PAGE;

	linux_end = (struct limpet_end){ .self = &header->host,
					 .peer = &header->component,
					 .out = rings + RING,
					 .in = rings,
					 .out_size = RING,
					 .in_size = RING };
	limpet_end_begin(&linux_end, generation);
	linux_end.self->opened = 1;
	limpet_end_connected(&linux_end);
	bus_turn(&channel);
	limpet_end_connected(&linux_end);
	bus_turn(&channel);
}

static int setup(void **state)
{
	(void)state;
	memory = aligned_alloc(LIMPET_CHANNEL_PAGE, MEMORY);
	if (!memory)
		return 1;
	memset(memory, 0, MEMORY);
	can_info.ticks_per_ms = TICKS;
	channel_info = (struct limpet_info_channel){ "can", LIMPET_CHANNEL_MESSAGES, RING, RING,
						     32,    (uint64_t)memory,	     0,	   0,
						     0 };
	can_info.channels = 1;
	can_info.channel_info = (uint64_t)&channel_info;
	can = (struct can){ 0 };
	can_serve_ignore(ALICE);
	can_serve_ignore(BOB);
	now = 10 * 1000 * (uint64_t)TICKS;
	meanwhile = NULL;
	kicks = 0;
	assert_int_equal(channel_open_index(&channel, 0), LIMPET_OK);
	proxy_begin(1 + (uint32_t)rand() % 1000);
	say_status(LIMPET_CAN_FIRST | LIMPET_CAN_UP, 0, 0);
	assert_int_equal(can.state, LIMPET_CAN_ACTIVE);
	printed[0] = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(can.lock.owner, 0);
	free(memory);
	return 0;
}

static long receive(word badge, struct can_receive_results *out)
{
	return can_serve_receive(badge, 0, out);
}

static uint64_t unsent(void)
{
	struct can_losses_results losses;

	can_serve_losses(ALICE, &losses);
	return losses.unsent;
}

/* --- tests */

static void test_frames_to_the_bus(void **state)
{
	struct limpet_can_frame frame;
	struct can_state_results figures;

	(void)state;
	assert_int_equal(can_serve_send(ALICE, 0x123, 3, 0x4444444444636261), LIMPET_OK);
	assert_int_equal(can_serve_send(BOB, LIMPET_CAN_EXTENDED | 0x1fffffff, 8, ~0ul), LIMPET_OK);
	assert_int_equal(can_serve_send(BOB, LIMPET_CAN_REMOTE | 0x7ff, 8, ~0ul), LIMPET_OK);
	assert_int_equal(kicks, 3);
	bus_turn(&channel);
	assert_true(hear(&frame));
	assert_int_equal(frame.what, LIMPET_CAN_FRAME);
	assert_int_equal(frame.id, 0x123);
	assert_int_equal(frame.length, 3);
	assert_memory_equal(frame.data, "abc\0\0\0\0\0", 8);
	assert_true(hear(&frame));
	assert_int_equal(frame.id, LIMPET_CAN_EXTENDED | 0x1fffffff);
	assert_memory_equal(frame.data, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	assert_true(hear(&frame));
	assert_int_equal(frame.length, 8);
	assert_memory_equal(frame.data, "\0\0\0\0\0\0\0\0", 8);
	assert_false(hear(&frame));
	assert_int_equal(can_serve_state(ALICE, &figures), LIMPET_CAN_ACTIVE);
	assert_int_equal(figures.sent, 3);
}

static void test_arguments(void **state)
{
	static const word ids[] = { 0x800,
				    LIMPET_CAN_EXTENDED | 0x20000000,
				    LIMPET_CAN_ERROR,
				    LIMPET_CAN_REMOTE | 0x800,
				    1ul << 32,
				    ~0ul };

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		assert_int_equal(can_serve_send(ALICE, ids[i], 0, 0), LIMPET_ERANGE);
	assert_int_equal(can_serve_send(ALICE, 1, 9, 0), LIMPET_ERANGE);
	assert_int_equal(can_serve_send(ALICE, 1, ~0ul, 0), LIMPET_ERANGE);
	assert_int_equal(can_serve_listen(ALICE, 1ul << 32, 0), LIMPET_ERANGE);
	assert_int_equal(can_serve_listen(ALICE, 0, 1ul << 32), LIMPET_ERANGE);
	assert_int_equal(unsent(), 0);
}

static void test_filters(void **state)
{
	static const struct {
		word id, mask;
		uint32_t frame;
		bool matches;
	} tries[] = {
		{ 0x100, 0x7f0, 0x10f, true },
		{ 0x100, 0x7f0, 0x110, false },
		{ 0x100, 0x7ff, LIMPET_CAN_EXTENDED | 0x100, true },
		{ 0x100, LIMPET_CAN_EXTENDED | 0x7ff, LIMPET_CAN_EXTENDED | 0x100, false },
		{ LIMPET_CAN_REMOTE, LIMPET_CAN_REMOTE, LIMPET_CAN_REMOTE | 5, true },
		{ LIMPET_CAN_REMOTE, LIMPET_CAN_REMOTE, 5, false },
		{ 0, 0, LIMPET_CAN_EXTENDED | LIMPET_CAN_REMOTE | 5, true },
		{ 0, 0, LIMPET_CAN_ERROR | 4, false },
		{ LIMPET_CAN_ERROR, 0, LIMPET_CAN_ERROR | 4, true },
		{ LIMPET_CAN_ERROR, 0, 4, false },
		{ LIMPET_CAN_ERROR, 0x44, LIMPET_CAN_ERROR | 4, true },
		{ LIMPET_CAN_ERROR, 0x44, LIMPET_CAN_ERROR | 8, false },
	};
	struct can_receive_results out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		assert_int_equal(can_serve_listen(ALICE, tries[i].id, tries[i].mask), LIMPET_OK);
		say_frame(tries[i].frame, "x");
		if (receive(ALICE, &out) != (tries[i].matches ? LIMPET_OK : LIMPET_ETIME))
			fail_msg("filter %lx %lx, frame %x", tries[i].id, tries[i].mask,
				 tries[i].frame);
		assert_int_equal(can_serve_ignore(ALICE), LIMPET_OK);
		assert_int_equal(receive(ALICE, &out), LIMPET_ENOENT);
	}
}

static void test_listeners(void **state)
{
	struct can_receive_results out = { 0 };

	(void)state;
	for (unsigned int i = 0; i < FILTERS; i++)
		assert_int_equal(can_serve_listen(ALICE, i, 0x7ff), LIMPET_OK);
	assert_int_equal(can_serve_listen(ALICE, 0, 0), LIMPET_EFULL);
	assert_int_equal(can_serve_listen(BOB, 3, 0x7ff), LIMPET_OK);
	say_frame(3, "for both");
	say_frame(4, "for one");
	assert_int_equal(receive(ALICE, &out), LIMPET_OK);
	assert_int_equal(out.head, 8ul << 32 | 3);
	assert_memory_equal(&out.data, "for both", 8);
	assert_int_equal(out.time, now);
	assert_int_equal(receive(ALICE, &out), LIMPET_OK);
	assert_int_equal(out.head, 7ul << 32 | 4);
	assert_int_equal(receive(ALICE, &out), LIMPET_ETIME);
	assert_int_equal(receive(BOB, &out), LIMPET_OK);
	assert_int_equal(receive(BOB, &out), LIMPET_ETIME);
	for (word badge = 100; badge < 100 + LISTENERS - 2; badge++)
		assert_int_equal(can_serve_listen(badge, 0, 0), LIMPET_OK);
	assert_int_equal(can_serve_listen(99, 0, 0), LIMPET_EFULL);
	for (word badge = 100; badge < 100 + LISTENERS - 2; badge++)
		assert_int_equal(can_serve_ignore(badge), LIMPET_OK);
	assert_int_equal(can_serve_ignore(99), LIMPET_ENOENT);
}

static void frame_comes(void)
{
	say_frame(7, "late");
}

static void filters_go(void)
{
	assert_int_equal(can_serve_ignore(ALICE), LIMPET_OK);
	assert_int_equal(can_serve_listen(BOB, 0, 0), LIMPET_OK); /* in another record */
}

static void nothing_comes(void)
{
}

static void test_wait(void **state)
{
	struct can_receive_results out = { 0 };

	(void)state;
	assert_int_equal(can_serve_listen(ALICE, 0, 0), LIMPET_OK);
	meanwhile = frame_comes;
	assert_int_equal(can_serve_receive(ALICE, LIMPET_NEVER, &out), LIMPET_OK);
	assert_int_equal(out.head, 4ul << 32 | 7);
	meanwhile = nothing_comes;
	assert_int_equal(can_serve_receive(ALICE, LIMPET_NEVER, &out), LIMPET_EAGAIN);
	meanwhile = filters_go;
	assert_int_equal(can_serve_receive(ALICE, LIMPET_NEVER, &out), LIMPET_EAGAIN);
	assert_int_equal(can_serve_receive(ALICE, LIMPET_NEVER, &out), LIMPET_ENOENT);
	assert_int_equal(can_serve_ignore(ALICE),
			 LIMPET_ENOENT); /* the thread has freed the record */
	say_frame(7, "bob's");
	assert_int_equal(receive(BOB, &out), LIMPET_OK);
}

static void test_full_queues(void **state)
{
	struct can_losses_results losses = { 0 };
	struct can_receive_results out = { 0 };
	struct limpet_can_frame frame;
	unsigned int heard = 0;

	(void)state;
	for (unsigned int i = 0; i < QUEUE; i++)
		assert_int_equal(can_serve_send(ALICE, i, 0, 0), LIMPET_OK);
	assert_int_equal(can_serve_send(ALICE, 1, 0, 0), LIMPET_EFULL);
	assert_int_equal(unsent(), 1);
	bus_turn(&channel);
	assert_non_null(strstr(printed, "frames lost: 1 not sent"));
	/* The channel has less space than the proxy has frames to read. No frame is lost or reordered. */
	for (unsigned int i = QUEUE; i < 4 * QUEUE; i++)
		if (can_serve_send(ALICE, i, 0, 0) == LIMPET_OK)
			bus_turn(&channel);
		else
			break;
	assert_int_equal(can.count, QUEUE);
	while (hear(&frame)) {
		assert_int_equal(frame.id, heard++);
		bus_turn(&channel);
	}
	assert_in_range(heard, QUEUE + 1, 4 * QUEUE);
	assert_int_equal(can.count, 0);

	assert_int_equal(can_serve_listen(ALICE, 0, 0), LIMPET_OK);
	for (unsigned int i = 0; i < FRAMES + 5; i++)
		say_frame(i, "");
	assert_int_equal(can_serve_losses(ALICE, &losses), 5);
	assert_int_equal(losses.missed, 5);
	for (unsigned int i = 0; i < FRAMES; i++) {
		assert_int_equal(receive(ALICE, &out), LIMPET_OK);
		assert_int_equal(out.head, i);
	}
	assert_int_equal(receive(ALICE, &out), LIMPET_ETIME);
	/* A line is printed for each doubling. */
	printed[0] = 0;
	for (unsigned int i = 0; i < 1000; i++) {
		can.missed++;
		bus_turn(&channel);
	}
	for (heard = 0; strstr(printed, "lost"); heard++)
		memmove(printed, strstr(printed, "lost") + 4,
			strlen(strstr(printed, "lost") + 4) + 1);
	assert_in_range(heard, 5, 10);
}

static void test_states(void **state)
{
	struct limpet_can_frame frame;

	(void)state;
	say_frame(LIMPET_CAN_ERROR | 4, "x\4");
	assert_int_equal(can.state, LIMPET_CAN_WARNING);
	say_frame(LIMPET_CAN_ERROR | 4, "x\x20");
	assert_int_equal(can.state, LIMPET_CAN_PASSIVE);
	say_frame(LIMPET_CAN_ERROR | 2,
		  "x\x40"); /* another class, in which byte 1 is not of the controller */
	assert_int_equal(can.state, LIMPET_CAN_PASSIVE);
	say_frame(LIMPET_CAN_ERROR | 4, "x\x40");
	assert_int_equal(can.state, LIMPET_CAN_ACTIVE);
	can_serve_send(ALICE, 1, 0, 0);
	say_frame(LIMPET_CAN_ERROR | 0x40, "");
	assert_int_equal(can.state, LIMPET_CAN_BUS_OFF);
	assert_int_equal(can_serve_send(ALICE, 2, 0, 0), LIMPET_ESTATE);
	assert_int_equal(unsent(), 2);
	say_status(LIMPET_CAN_UP, 0, 0);
	assert_int_equal(can.state, LIMPET_CAN_BUS_OFF);
	say_frame(LIMPET_CAN_ERROR | 0x100, "");
	assert_int_equal(can.state, LIMPET_CAN_ACTIVE);
	say_frame(LIMPET_CAN_ERROR | 0x40, "");
	say_frame(5, "a frame: the restart was missed");
	assert_int_equal(can.state, LIMPET_CAN_BUS_OFF);
	say_frame(5, "valid");
	assert_int_equal(can.state, LIMPET_CAN_ACTIVE);
	say_status(0, 3, 0);
	assert_int_equal(can.state, LIMPET_CAN_DOWN);
	assert_int_equal(can.failed, 3);
	assert_int_equal(can_serve_send(ALICE, 2, 0, 0), LIMPET_ESTATE);
	say_frame(LIMPET_CAN_ERROR | 0x100, "");
	assert_int_equal(can.state, LIMPET_CAN_DOWN);
	say_status(LIMPET_CAN_UP, 5, 7);
	assert_int_equal(can.state, LIMPET_CAN_ACTIVE);
	assert_int_equal(can.failed, 5);
	assert_int_equal(can.missed, 7);
	assert_false(hear(&frame));
}

static void test_another_proxy(void **state)
{
	struct limpet_can_frame frame;

	(void)state;
	say_status(LIMPET_CAN_UP, 10, 10);
	/* The new proxy continues with the words of the ended proxy. */
	say_status(LIMPET_CAN_FIRST | LIMPET_CAN_UP, 1, 0);
	assert_int_equal(can.failed, 11);
	assert_int_equal(can.missed, 10);
	/* The component sees the old proxy end and the new one start. */
	can_serve_send(ALICE, 1, 0, 0);
	linux_end.self->opened = 0;
	bus_turn(&channel);
	assert_int_equal(can.state, LIMPET_CAN_ABSENT);
	assert_int_equal(can_serve_send(ALICE, 2, 0, 0), LIMPET_ECRASH);
	assert_int_equal(unsent(), 2);
	proxy_begin(5000);
	assert_int_equal(can.state, LIMPET_CAN_ABSENT);
	say_status(LIMPET_CAN_FIRST | LIMPET_CAN_UP, 0, 0);
	assert_int_equal(can_serve_send(ALICE, 3, 0, 0), LIMPET_OK);
	bus_turn(&channel);
	assert_true(hear(&frame));
	assert_int_equal(frame.id, 3);
	assert_int_equal(can.failed, 11);
}

static void test_time(void **state)
{
	struct can_receive_results out = { 0 };
	const struct {
		uint64_t time;
		uint32_t age;
		uint64_t result;
	} tries[] = {
		{ now - 1000, 500, now - 1500 },
		{ now + 1, 0, now },
		{ now - 1000, 0xffffffff, now },
		{ 0, 0, now },
		{ ~0ul, 5, now },
	};

	(void)state;
	assert_int_equal(can_serve_listen(ALICE, 0, 0), LIMPET_OK);
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		struct limpet_can_frame frame = frame_of(1, "");

		frame.time = tries[i].time;
		frame.age = tries[i].age;
		say(&frame, sizeof(frame));
		bus_turn(&channel);
		assert_int_equal(receive(ALICE, &out), LIMPET_OK);
		assert_int_equal(out.time, tries[i].result);
	}
}

/*
 * The proxy sends messages with random length and content, and random words in the channel. The component stays
 * within its memory and limits.
 */
static void test_hostile_proxy(void **state)
{
	struct can_receive_results out = { 0 };

	(void)state;
	srand(1);
	assert_int_equal(can_serve_listen(ALICE, 0, 0), LIMPET_OK);
	assert_int_equal(can_serve_listen(ALICE, LIMPET_CAN_ERROR, 0), LIMPET_OK);
	for (unsigned int round = 0; round < 20000; round++) {
		uint32_t message[16];
		size_t size = rand() % 3 ? (rand() % 2 ? 16 : 32) : (size_t)rand() % 64;

		for (unsigned int i = 0; i < 16; i++)
			message[i] = (uint32_t)rand() * 2 + (uint32_t)rand() % 2;
		message[0] = (uint32_t)rand() % 4;
		if (rand() % 2)
			message[2] = (uint32_t)rand() % 12;
		if (limpet_end_connected(&linux_end) && limpet_end_reserve(&linux_end, size))
			say(message, size);
		if (rand() % 100 == 0)
			linux_end.self->head = (uint64_t)rand();
		if (rand() % 100 == 0)
			linux_end.self->tail = (uint64_t)rand();
		bus_turn(&channel);
		can_serve_send(ALICE, (word)rand() % 0x800, (word)rand() % 9, 0);
		assert_in_range(can.state, LIMPET_CAN_ABSENT, LIMPET_CAN_BUS_OFF);
		assert_in_range(can.count, 0, QUEUE);
		while (receive(ALICE, &out) == LIMPET_OK) {
			assert_in_range(out.head >> 32, 0, LIMPET_CAN_DATA);
			assert_in_range(out.time, 0, now);
		}
	}
	proxy_begin(9000);
	say_status(LIMPET_CAN_FIRST | LIMPET_CAN_UP, 0, 0);
	say_frame(9, "honest");
	assert_int_equal(receive(ALICE, &out), LIMPET_OK);
	assert_memory_equal(&out.data, "honest\0\0", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames_to_the_bus, setup, teardown),
		cmocka_unit_test_setup_teardown(test_arguments, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_listeners, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_queues, setup, teardown),
		cmocka_unit_test_setup_teardown(test_states, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_proxy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_proxy, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
