// SPDX-License-Identifier: BSD-2-Clause
#include <executive/report.h>
#include <runtime/print.h>
#include <runtime/ring.h>
#include <runtime/time.h>

#include <import/sched.h>

#define PERIOD_MS 10 /* interval of prints while there are lines */

static struct ring_writer writer;
static struct limpet_ring *ring;
static uint32_t asleep;	  /* the own thread waits, or is about to: the next line wakes it */
static uint32_t called;	  /* report_wake() was called */
static uint64_t dropped;  /* lines */
static uint64_t reported; /* number of reported ones */

void report_init(void *memory, size_t bytes)
{
	ring = memory;
	ring_head_init(ring, bytes);
	ring_writer_init(&writer, ring, bytes);
	asleep = called = 0;
	dropped = reported = 0;
}

static void thread_wake(void)
{
	if (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(&asleep, 0, __ATOMIC_SEQ_CST))
		sched_wake(limpet_info()->thread);
}

void report_drop(void)
{
	__atomic_fetch_add(&dropped, 1, __ATOMIC_RELAXED);
}

/* The ring counts dropped bytes. A line of another thread that is dropped in between can count twice. */
void report_line(const char *text, size_t size)
{
	uint64_t before = __atomic_load_n(&writer.dropped, __ATOMIC_RELAXED);

	ring_write(&writer, text, size);
	if (__atomic_load_n(&writer.dropped, __ATOMIC_RELAXED) != before)
		report_drop();
	thread_wake();
}

void report_wake(void)
{
	__atomic_store_n(&called, 1, __ATOMIC_SEQ_CST);
	thread_wake();
}

static uint64_t bytes_waiting(void)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_SEQ_CST);

	return limpet_ring_used(head, ring->tail, writer.size);
}

/* Prints the text up to the end of the ring's memory, and frees its space. Returns the number of bytes. */
static uint64_t piece_print(void)
{
	uint64_t offset = ring->tail & (writer.size - 1), size = bytes_waiting();

	if (size > writer.size - offset)
		size = writer.size - offset;
	limpet_write(ring->data + offset, size);
	__atomic_store_n(&ring->tail, ring->tail + size, __ATOMIC_RELEASE);
	return size;
}

/* Prints all text and the number of dropped lines. Returns whether there was any text. */
static bool lines_print(void)
{
	bool any = false;
	uint64_t now;

	while (piece_print())
		any = true;
	now = __atomic_load_n(&dropped, __ATOMIC_RELAXED);
	if (now != reported)
		limpet_print("%lu lines were dropped, because guests made them faster than the "
			     "console took them\n",
			     now - reported);
	any = any || now != reported;
	reported = now;
	return any;
}

/* Waits until a handler thread has text. Returns immediately if there is text already. */
static void next_wait(word deadline)
{
	__atomic_store_n(&asleep, 1, __ATOMIC_SEQ_CST);
	if (!bytes_waiting() && !__atomic_load_n(&called, __ATOMIC_SEQ_CST))
		sched_block_until(deadline);
	__atomic_store_n(&asleep, 0, __ATOMIC_SEQ_CST);
}

bool report_serve(word deadline)
{
	for (;;) {
		bool any = lines_print();
		word now = limpet_time(), next = now + PERIOD_MS * limpet_info()->ticks_per_ms;

		if (__atomic_exchange_n(&called, 0, __ATOMIC_SEQ_CST))
			return true;
		if (now >= deadline)
			return false;
		if (any)
			sched_sleep_until(next < deadline ? next : deadline);
		else
			next_wait(deadline);
	}
}
