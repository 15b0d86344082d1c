// SPDX-License-Identifier: GPL-2.0
/*
 * Tests a guest that uses io_uring. Its executive sees the calls io_uring_setup and io_uring_enter
 * and their results, but not the operations. With the argument `plain` the program is not a guest.
 */
#include "tests/system/lib/guest.h"

#include <linux/io_uring.h>

#define ENTRIES 16
#define RECORD 10 /* modes and counters of components/executive/exec.probe/probe.h */
#define RECORDED 12

static struct io_uring_params params;
static char *queue; /* both rings */
static struct io_uring_sqe *entries;
static int ring;
static bool plain;

static volatile uint32_t *word_at(uint32_t offset)
{
	return (volatile uint32_t *)(queue + offset);
}

static void ring_make(void)
{
	ring = (int)raw(SYS_io_uring_setup, ENTRIES, (long)&params, 0);
	EXPECT(ring >= 0);
	EXPECT(params.features & IORING_FEAT_SINGLE_MMAP);
	queue = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		     PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entries = mmap(NULL, ENTRIES * sizeof(*entries), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		       IORING_OFF_SQES);
	EXPECT(queue != MAP_FAILED && entries != MAP_FAILED);
}

static void read_add(int from, char *to)
{
	const uint32_t tail = *word_at(params.sq_off.tail), at = tail % ENTRIES;

	memset(&entries[at], 0, sizeof(*entries));
	entries[at].opcode = IORING_OP_READ;
	entries[at].fd = from;
	entries[at].addr = (uintptr_t)to;
	entries[at].len = 1;
	*word_at(params.sq_off.array + 4 * at) = at;
	__atomic_store_n(word_at(params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
}

/* Returns the number of operations that have read a byte since the last call. */
static long reads_done(void)
{
	const struct io_uring_cqe *done = (const struct io_uring_cqe *)(queue + params.cq_off.cqes);
	const uint32_t tail = __atomic_load_n(word_at(params.cq_off.tail), __ATOMIC_ACQUIRE);
	long good = 0;

	for (uint32_t head = *word_at(params.cq_off.head); head != tail; head++)
		good += done[head % params.cq_entries].res == 1;
	__atomic_store_n(word_at(params.cq_off.head), tail, __ATOMIC_RELEASE);
	return good;
}

static long enter(long submit, long complete)
{
	return raw6(SYS_io_uring_enter, ring, submit, complete, IORING_ENTER_GETEVENTS, 0, 0);
}

static void check_many(int ends[2])
{
	char bytes[ENTRIES];
	long calls;

	section("one call for many operations");
	EQUAL(write(ends[1], "0123456789abcdef", ENTRIES), ENTRIES);
	for (int i = 0; i < ENTRIES; i++)
		read_add(ends[0], bytes + i);
	calls = plain ? 0 : probe_counter(CALLS);
	EQUAL(enter(ENTRIES, ENTRIES), ENTRIES);
	EQUAL(plain ? 2 : probe_counter(CALLS) - calls,
	      2); /* with the call that returns the counter */
	EQUAL(reads_done(), ENTRIES);
}

/* Tests an operation that Linux completes during the call, in the thread that waits there. */
static void check_waiting(int ends[2])
{
	const pid_t own = getpid();
	long results, value = 0;
	char byte = 0;
	pid_t pid;

	section("a call that waits for its operation");
	for (int i = 0; i < 20; i++) {
		pid = fork();
		if (!pid)
			_exit(task_sleeps_within(own, 20) && write(ends[1], "x", 1) == 1
				      ? CHILD_GOOD
				      : 1);
		read_add(ends[0], &byte);
		if (!plain)
			probe_mode(RECORD);
		value = enter(1, 1);
		results = plain ? value : probe_counter(RECORDED);
		if (!plain)
			probe_mode(PASS);
		EQUAL(value, 1);
		EQUAL(results, 1);
		EQUAL(reads_done(), 1);
		EQUAL(byte, 'x');
		GOOD(pid);
	}
}

int main(int argc, char **argv)
{
	int ends[2];

	(void)argv;
	plain = argc > 1;
	section("io_uring_setup");
	EQUAL(pipe(ends), 0);
	ring_make();
	check_many(ends);
	check_waiting(ends);
	if (!plain)
		probe_check();
	return sections_finish();
}
