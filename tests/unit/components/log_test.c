// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the log component and its ring, with a hostile reader. Writers may be preempted by writers
 * at any access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <channel/end.h>
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/ring.h>

#include <export/log.h>

#include "points.h"

#define MEMORY (16 * 4096)
#define DATA 32768 /* size of the data in a ring of that memory */

#define NAMES 23

/* A badge is 1 + index. */
static const char names[NAMES][LIMPET_NAME_MAX] = {
	[19] = "ping",
	[20] = "1234567890123456789012345678901",
};

const struct limpet_info __limpet_info = { .name_of = names, .components = NAMES };

static char channel[LIMPET_CHANNEL_PAGE + MEMORY] __attribute__((aligned(4096)));
static struct limpet_channel_header *const header = (struct limpet_channel_header *)channel;
static char *const memory = channel + LIMPET_CHANNEL_PAGE;
static struct limpet_ring *const ring = (struct limpet_ring *)(channel + LIMPET_CHANNEL_PAGE);
static unsigned int thread, notified, stops;
static void (*between)(void); /* called between two accesses of the component */

unsigned int limpet_thread_id(void)
{
	return thread;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	assert_int_equal(in[0], LIMPET_SLOT_CHANNEL);
	if (op == LIMPET_CALL(LIMPET_CALL_CHANNEL_STATE)) {
		assert_int_equal(in[1], LIMPET_CHANNEL_STOPS);
		out->w0 = stops;
		return 0;
	}
	assert_int_equal(op, LIMPET_CALL(LIMPET_CALL_CHANNEL_NOTIFY));
	notified++;
	return 0;
}

void fake_point(void)
{
	if (between)
		between();
}

static int setup(void **state)
{
	struct limpet_info info = { .channel = (uint64_t)memory, .channel_size = MEMORY };

	(void)state;
	memset(channel, 0, sizeof(channel));
	ring_head_init(ring, MEMORY);
	thread = 1;
	between = NULL;
	notified = stops = 0;
	return (int)component_init(&info);
}

/* Reads all available text. Returns it as a string. */
static const char *drain(void)
{
	static char text[DATA + 1];
	uint64_t used = limpet_ring_used(ring->head, ring->tail, DATA);

	for (uint64_t i = 0; i < used; i++)
		text[i] = ring->data[(ring->tail + i) % DATA];
	text[used] = 0;
	ring->tail += used;
	return text;
}

static long write_as(word badge, const char *text)
{
	long status = 0;
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at += 48) {
		word w[6] = { 0 };

		memcpy(w, text + at, length - at < 48 ? length - at : 48);
		status = log_serve_write(badge, w[0], w[1], w[2], w[3], w[4], w[5]);
	}
	return status;
}

static void test_lines(void **state)
{
	(void)state;
	write_as(7, "hello\n");
	assert_string_equal(drain(), "7: hello\n");
	write_as(7, "no end");
	assert_string_equal(drain(), "");
	write_as(7, ", then one\nand\nagain\n");
	assert_string_equal(drain(), "7: no end, then one\n7: and\n7: again\n");
	write_as(7, "\n");
	assert_string_equal(drain(), "7: \n");
	write_as(7, "tab\tbell\a escape\033[1m del\177 \303\244\n");
	assert_string_equal(drain(), "7: tab.bell. escape.[1m del. \303\244\n");
}

static void test_threads_and_callers(void **state)
{
	(void)state;
	write_as(1, "one ");
	thread = 2;
	write_as(1, "two\n");
	thread = 1;
	write_as(1, "half\n");
	assert_string_equal(drain(), "1: two\n1: one half\n");
	write_as(1, "begun");
	write_as(2, "other\n");
	assert_string_equal(drain(), "1: begun\n2: other\n");
}

/* The badge selects the name of a line. A badge without a name is printed as a number. */
static void test_names(void **state)
{
	(void)state;
	write_as(20, "x\n");
	write_as(21, "y\n");
	write_as(22, "z\n");
	write_as(NAMES + 1, "outside\n");
	write_as(0, "none\n");
	write_as(~0ul, "last\n");
	assert_string_equal(drain(), "ping: x\n1234567890123456789012345678901: y\n22: z\n"
				     "24: outside\n0: none\n18446744073709551615: last\n");
}

static void test_long_line(void **state)
{
	static char text[4100];
	const char *got;

	(void)state;
	memset(text, 'x', 4050);
	strcpy(text + 4050, "\n");
	write_as(3, text);
	got = drain();
	assert_int_equal(strlen(got), 3 + 4000 + 1 + 3 + 50 + 1);
	assert_memory_equal(got + 4003, "\n3: xx", 6);
}

static void test_full(void **state)
{
	long dropped = 0;
	unsigned int lines = 0;
	const char *got;

	(void)state;
	while (!dropped) {
		dropped = write_as(5, "0123456789012345678901234567890123456789\n");
		lines++;
	}
	assert_int_equal(lines, DATA / 44 + 1);
	assert_int_equal(dropped, 44);
	assert_int_equal(ring->dropped, 44);
	assert_int_equal(strlen(drain()), DATA / 44 * 44);
	write_as(5, "on\n");
	got = drain();
	assert_string_equal(got, "5: on\n");
}

/*
 * A notice is sent only after the reader has read everything, because the reader checks again
 * before it waits.
 */
static void test_notify(void **state)
{
	(void)state;
	write_as(5, "a\n");
	assert_int_equal(notified, 1);
	write_as(5, "b\n");
	assert_int_equal(notified, 1);
	drain();
	write_as(5, "c\n");
	assert_int_equal(notified, 2);
}

/* Linux sees each notification as a new event, in the component's life that the kernel counts. */
static void test_events(void **state)
{
	(void)state;
	header->host.generation = 7;
	write_as(5, "a\n");
	assert_int_equal(header->component.generation >> 16, 1);
	assert_int_equal(header->component.seen, 7);
	assert_int_equal(header->component.events, 1);
	drain();
	write_as(5, "b\n");
	assert_int_equal(header->component.events, 2);
	drain();
	stops = 1;
	write_as(5, "c\n");
	assert_int_equal(header->component.generation >> 16, 2);
	assert_int_equal(header->component.seen, 7);
	assert_int_equal(header->component.events, 1);
	drain();
	header->host.generation = 8;
	write_as(5, "d\n");
	assert_int_equal(header->component.seen, 8);
	assert_int_equal(header->component.events, 1);
}

/* The reader writes random values into the shared header. The component's text stays intact. */
static void test_hostile_reader(void **state)
{
	static const uint64_t values[] = { 0, 1, DATA, ~0ul, 1ul << 63, 0x5555555555555555 };

	(void)state;
	for (unsigned int i = 0; i < 5000; i++) {
		ring->tail = values[(unsigned int)random() % array_size(values)] + random() % 100;
		ring->head = (uint64_t)random();
		ring->size = (uint32_t)random();
		ring->magic = (uint64_t)random();
		write_as(5, "0123456789\n");
	}
	ring->tail = ring->head;
	write_as(5, "still here\n");
	assert_string_equal(drain(), "5: still here\n");
}

static uint32_t seed;
static unsigned int depth, written;

/* A thread of higher priority preempts, and also writes a line. */
static void nested(void)
{
	char line[40];
	unsigned int before = thread;

	seed = seed * 1103515245 + 12345;
	if (depth == 3 || seed >> 16 & 63)
		return;
	depth++;
	thread = 10 + depth;
	snprintf(line, sizeof(line), "line %u of it\n", written++);
	write_as(9, line);
	thread = before;
	depth--;
}

static void check_whole(const char *text, unsigned char *seen)
{
	unsigned int number;
	int length;

	while (*text) {
		assert_int_equal(sscanf(text, "9: line %u of it%n", &number, &length), 1);
		assert_int_equal(text[length], '\n');
		assert_true(number < written && !seen[number]);
		seen[number] = 1;
		text += length + 1;
	}
}

/* Writes a line while other threads preempt the writer, at random places. */
static void write_nested(unsigned int round)
{
	char line[40];

	seed = round;
	depth = 0;
	snprintf(line, sizeof(line), "line %u of it\n", written++);
	between = nested;
	write_as(9, line);
	between = NULL;
}

static void test_preempted_writers(void **state)
{
	static unsigned char seen[1000000];
	(void)state;
	written = 0;
	for (unsigned int i = 0; i < 200; i++) {
		write_nested(i);
		check_whole(drain(), seen);
	}
	for (unsigned int i = 0; i < written; i++)
		assert_true(seen[i] || ring->dropped);
	assert_true(written > 1000);
}

/* Makes each of the threads from 100 on begin a line. */
static void unfinished(unsigned int lines)
{
	for (unsigned int i = 0; i < lines; i++) {
		thread = 100 + i;
		write_as(8, i ? "begun" : "first");
	}
	thread = 1;
}

/* Threads with unfinished lines do not block the output of other threads. The oldest unfinished line is printed. */
static void test_unfinished(void **state)
{
	const long before = write_as(5, "\n");

	(void)state;
	drain();
	unfinished(64);
	assert_string_equal(drain(), "");
	assert_int_equal(write_as(5, "a\n"), before);
	assert_string_equal(drain(), "8: first\n5: a\n");
	thread = 100;
	write_as(8, "more");
	thread = 101;
	write_as(8, " of 101");
	thread = 1;
	write_as(5, "b\n");
	assert_string_equal(drain(), "8: begun\n5: b\n"); /* that of thread 102 */
	thread = 100;
	write_as(8, " of 100\n");
	thread = 101;
	write_as(8, "\n");
	assert_string_equal(drain(), "8: more of 100\n8: begun of 101\n");
	for (thread = 102; thread < 164; thread++)
		write_as(8, "\n");
	assert_int_equal(write_as(5, "\n"), before);
}

static jmp_buf stopped;

static void stop(void)
{
	if (random() % 20 == 0)
		longjmp(stopped, 1);
}

/* A thread that was stopped in its call uses the same line in its next call. */
static void test_stopped(void **state)
{
	(void)state;
	for (volatile unsigned int i = 0; i < 3000; i++) {
		thread = 100 + i % 3;
		between = stop;
		if (!setjmp(stopped))
			write_as(8, "x");
		between = NULL;
	}
	for (thread = 100; thread < 103; thread++)
		write_as(8, "\n");
	thread = 1;
	drain();
	unfinished(64);
	assert_string_equal(drain(), "");
	for (thread = 100; thread < 164; thread++)
		write_as(8, "\n");
}

/* Threads preempt each other while they end the lines of others. */
static void test_preempted_ends(void **state)
{
	static unsigned char seen[1000000];

	(void)state;
	written = 0;
	for (unsigned int i = 0; i < 300; i++) {
		char *text, *begun;

		unfinished(64);
		drain();
		write_nested(i);
		text = (char *)(uintptr_t)drain();
		while ((begun = strstr(text, "8: begun\n")) || (begun = strstr(text, "8: first\n")))
			memmove(begun, begun + 9, strlen(begun + 9) + 1);
		check_whole(text, seen);
		for (thread = 100; thread < 164; thread++)
			write_as(8, "\n");
		drain();
	}
	for (unsigned int i = 0; i < written; i++)
		assert_true(seen[i]);
	assert_true(written > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_lines, setup),
		cmocka_unit_test_setup(test_threads_and_callers, setup),
		cmocka_unit_test_setup(test_names, setup),
		cmocka_unit_test_setup(test_long_line, setup),
		cmocka_unit_test_setup(test_full, setup),
		cmocka_unit_test_setup(test_notify, setup),
		cmocka_unit_test_setup(test_events, setup),
		cmocka_unit_test_setup(test_hostile_reader, setup),
		cmocka_unit_test_setup(test_preempted_writers, setup),
		cmocka_unit_test_setup(test_unfinished, setup),
		cmocka_unit_test_setup(test_stopped, setup),
		cmocka_unit_test_setup(test_preempted_ends, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
